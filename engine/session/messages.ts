/**
 * What a page and its worker say to each other. The worker runs a stranger's code (a shared link), which may post whatever it likes:
 * everything that comes from it passes `parseWorkerMessage`, and a page shows it as text only.
 */
import type { BackendInfo, PythonError, PyValue, TraceEvent, TraceOptions } from './session';

/** Every byte that Python needs; the page fetches it, because the worker's opaque origin can't. */
export interface PythonFiles {
  /** pyodide.mjs and pyodide.asm.mjs, as text. */
  readonly loader: string;
  readonly runtime: string;
  /** Pyodide's (empty) list of packages, as JSON. */
  readonly lock: string;
  /** Compiled once in the page and shared with every worker. */
  readonly module: WebAssembly.Module;
  /** python_stdlib.zip. */
  readonly stdlib: Blob;
  /** torch.zip: engine/python and engine/session/python, with bytecode. */
  readonly torch: Blob;
}

export interface InitMessage {
  readonly kind: 'init';
  readonly files: PythonFiles;
  /** Python's heap after `import torch`, made by an earlier worker of this very build. */
  readonly snapshot?: Blob;
  /** Send a snapshot of the heap, for the next start, before going on. */
  readonly makeSnapshot: boolean;
  /** False where the page itself sees no WebGPU or no JSPI (then the worker doesn't try). */
  readonly allowGpu: boolean;
  readonly allowSuspend: boolean;
  /** Most memory that Python's heap may take, in bytes. */
  readonly memoryLimit: number;
}

export interface RunMessage {
  readonly kind: 'run';
  readonly id: number;
  readonly code: string;
  readonly filename: string;
  readonly args: readonly string[];
  readonly trace: boolean | TraceOptions;
  readonly timeLimit: number;
  readonly outputLimit: number;
}

export interface EvaluateMessage {
  readonly kind: 'evaluate';
  readonly id: number;
  readonly expression: string;
  readonly bindings: Readonly<Record<string, PyValue>>;
  readonly trace: boolean | TraceOptions;
  readonly timeLimit: number;
  readonly outputLimit: number;
}

export interface InterruptMessage {
  readonly kind: 'interrupt';
  readonly reason: string;
}

/** The page is idle: a good moment to test the GPU, which the first use of "cuda" would wait for otherwise. */
export interface ProveMessage {
  readonly kind: 'prove';
}

/** Tests only: loses the GPU device as a driver reset would. */
export interface LoseDeviceMessage {
  readonly kind: 'lose-device';
}

export type PageMessage =
  | InitMessage
  | RunMessage
  | EvaluateMessage
  | InterruptMessage
  | ProveMessage
  | LoseDeviceMessage;

/** How a run or an evaluation ended. */
export interface Outcome {
  readonly status: 'done' | 'error' | 'stopped';
  readonly exitCode: number;
  readonly milliseconds: number;
  readonly kernels: number;
  readonly error?: PythonError;
  readonly reason?: string;
  readonly value?: PyValue;
  readonly trace?: readonly TraceEvent[];
  /** Python can't go on (its stack or its heap is damaged): the page must replace this worker. */
  readonly fatal?: boolean;
  /** With `fatal`: nothing was run, because an earlier run had damaged this Python. A fresh one may run it. */
  readonly spoiled?: boolean;
  /** Bytes of Python's heap, which never shrinks. */
  readonly heapBytes?: number;
}

export type WorkerMessage =
  | { readonly kind: 'up' }
  | { readonly kind: 'progress'; readonly label: string; readonly fraction?: number }
  | { readonly kind: 'ready'; readonly backend: BackendInfo; readonly restored: boolean }
  | { readonly kind: 'snapshot'; readonly heap: ArrayBuffer }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'output'; readonly id: number; readonly text: string; readonly stream: 'stdout' | 'stderr' }
  /** The worker's GPU device is gone: it serves no further run. */
  | { readonly kind: 'device-lost'; readonly reason: string }
  /** The output limit was passed; Python has been asked to stop. */
  | { readonly kind: 'limit'; readonly id: number }
  | { readonly kind: 'outcome'; readonly id: number; readonly outcome: Outcome };

type Loose = Readonly<Record<string, unknown>>;

const isRecord = (v: unknown): v is Loose => typeof v === 'object' && v !== null && !Array.isArray(v);
const isText = (v: unknown): v is string => typeof v === 'string';
const isCount = (v: unknown): v is number => typeof v === 'number' && Number.isFinite(v) && v >= 0;
const optional = <T>(v: unknown, is: (v: unknown) => v is T): T | undefined => (is(v) ? v : undefined);

function parseBackend(v: unknown): BackendInfo | undefined {
  if (!isRecord(v) || (v.name !== 'webgpu' && v.name !== 'cpu')) return undefined;
  return { name: v.name, reason: optional(v.reason, isText), adapter: optional(v.adapter, isText) };
}

function parseError(v: unknown): PythonError | undefined {
  if (!isRecord(v) || !isText(v.type) || !isText(v.message) || !isText(v.traceback)) return undefined;
  return { type: v.type, message: v.message, traceback: v.traceback, line: optional(v.line, isCount) };
}

/** Deepest nesting of a value that a grader accepts; a forged message can't overflow the page's stack. */
const MAX_DEPTH = 100;

function isPyValue(v: unknown, depth = 0): v is PyValue {
  if (!isRecord(v) || depth > MAX_DEPTH) return false;
  switch (v.kind) {
    case 'tensor':
      return (
        isText(v.dtype) &&
        Array.isArray(v.shape) &&
        v.shape.every(isCount) &&
        isText(v.device) &&
        isText(v.bits) &&
        (v.grad === undefined || v.grad === null || isPyValue(v.grad, depth + 1))
      );
    case 'number':
      return (
        (v.type === 'int' || v.type === 'float' || v.type === 'bool') &&
        (typeof v.value === 'number' || isText(v.value))
      );
    case 'string':
      return isText(v.value);
    case 'none':
      return true;
    case 'list':
    case 'tuple':
      return Array.isArray(v.items) && v.items.every((item) => isPyValue(item, depth + 1));
    case 'dict':
      return (
        Array.isArray(v.entries) &&
        v.entries.every((e) => Array.isArray(e) && e.length === 2 && isText(e[0]) && isPyValue(e[1], depth + 1))
      );
    case 'other':
      return isText(v.repr);
    default:
      return false;
  }
}

const isSpec = (v: unknown): boolean =>
  isRecord(v) &&
  isText(v.dtype) &&
  Array.isArray(v.shape) &&
  v.shape.every(isCount) &&
  (v.from === undefined || isCount(v.from));

function isTraceEvent(v: unknown): v is TraceEvent {
  return (
    isRecord(v) &&
    isText(v.op) &&
    (v.line === null || isCount(v.line)) &&
    Array.isArray(v.inputs) &&
    v.inputs.every(isSpec) &&
    Array.isArray(v.outputs) &&
    v.outputs.every(isSpec) &&
    (v.backend === 'cpu' || v.backend === 'webgpu' || v.backend === 'host') &&
    (v.autocast === undefined || isText(v.autocast)) &&
    (v.phase === 'forward' || v.phase === 'backward' || v.phase === 'scaler') &&
    (v.detail === undefined || isRecord(v.detail)) &&
    (v.nth === undefined || isCount(v.nth)) &&
    (v.forwardLine === undefined || isCount(v.forwardLine))
  );
}

function parseOutcome(v: unknown): Outcome | undefined {
  if (!isRecord(v)) return undefined;
  if (v.status !== 'done' && v.status !== 'error' && v.status !== 'stopped') return undefined;
  if (!isCount(v.exitCode) || !isCount(v.milliseconds) || !isCount(v.kernels)) return undefined;
  return {
    status: v.status,
    exitCode: v.exitCode,
    milliseconds: v.milliseconds,
    kernels: v.kernels,
    error: parseError(v.error),
    reason: optional(v.reason, isText),
    value: v.value !== undefined && isPyValue(v.value) ? v.value : undefined,
    trace: Array.isArray(v.trace) && v.trace.every(isTraceEvent) ? v.trace : undefined,
    fatal: v.fatal === true,
    spoiled: v.spoiled === true,
    heapBytes: optional(v.heapBytes, isCount),
  };
}

/** The message, made of known fields of the right types only; undefined for anything else. */
export function parseWorkerMessage(v: unknown): WorkerMessage | undefined {
  if (!isRecord(v)) return undefined;
  switch (v.kind) {
    case 'up':
      return { kind: 'up' };
    case 'progress':
      if (!isText(v.label)) return undefined;
      return { kind: 'progress', label: v.label, fraction: optional(v.fraction, isCount) };
    case 'ready': {
      const backend = parseBackend(v.backend);
      return backend && { kind: 'ready', backend, restored: v.restored === true };
    }
    case 'snapshot':
      return v.heap instanceof ArrayBuffer ? { kind: 'snapshot', heap: v.heap } : undefined;
    case 'failed':
      return isText(v.error) ? { kind: 'failed', error: v.error } : undefined;
    case 'output':
      if (!isCount(v.id) || !isText(v.text) || (v.stream !== 'stdout' && v.stream !== 'stderr')) return undefined;
      return { kind: 'output', id: v.id, text: v.text, stream: v.stream };
    case 'device-lost':
      return isText(v.reason) ? { kind: 'device-lost', reason: v.reason } : undefined;
    case 'limit':
      return isCount(v.id) ? { kind: 'limit', id: v.id } : undefined;
    case 'outcome': {
      const outcome = parseOutcome(v.outcome);
      return isCount(v.id) && outcome ? { kind: 'outcome', id: v.id, outcome } : undefined;
    }
    default:
      return undefined;
  }
}
