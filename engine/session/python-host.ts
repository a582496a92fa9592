/**
 * Python with `torch` in it, wherever Pyodide runs: the worker of a page and Node use the same host. It knows Pyodide and the Python
 * half of the session (python/_subnormal.py); it gets the engine's bridge injected and never looks inside it.
 */
import type { PythonError } from './session';

/** The part of Pyodide's API that we use. (Pyodide's own types pull in the DOM library.) */
export interface Pyodide {
  readonly version: string;
  readonly FS: {
    writeFile(path: string, data: Uint8Array | string): void;
    mkdirTree(path: string): void;
  };
  pyimport(name: string): PythonModule;
  runPython(code: string): unknown;
  setInterruptBuffer(buffer: ArrayLike<number>): void;
  setStdout(options: { write: (bytes: Uint8Array) => number }): void;
  setStderr(options: { write: (bytes: Uint8Array) => number }): void;
}

interface PythonFunction {
  (...args: unknown[]): unknown;
  /** Runs the function so that Python may suspend (run_sync); needs JSPI. */
  callPromising(...args: unknown[]): Promise<unknown>;
}
type PythonModule = Record<string, PythonFunction>;

export type OutputStream = 'stdout' | 'stderr';

/** What the host needs from where it runs. */
export interface Surroundings {
  /** Text that Python wrote. */
  emit(text: string, stream: OutputStream): void;
  /** Asks for everything emitted so far to be shown now. */
  flush(): void;
  /** Blocks the thread; only called where Python can't suspend. */
  block(milliseconds: number): void;
  /** JSPI: Python may wait for promises. */
  readonly canSuspend: boolean;
}

export interface HostRun {
  readonly filename: string;
  readonly args: readonly string[];
  /** Directory of the script whose modules it may import (Node only). */
  readonly directory?: string;
  /** Milliseconds; 0: no limit. */
  readonly timeLimit: number;
  /** Characters; 0: no limit. */
  readonly outputLimit: number;
}

export interface HostResult {
  status: 'done' | 'error' | 'stopped';
  exitCode: number;
  error?: PythonError & { shown?: boolean };
  reason?: string;
}

/** How often Python, while it is busy, lets the worker's event loop run, in milliseconds. */
const TICK = 100;

export class PythonHost {
  private readonly session: PythonModule;
  private deadline = Number.POSITIVE_INFINITY;
  private nextTick = Number.POSITIVE_INFINITY;
  private stopReason: string | undefined;
  private written = 0;
  private limit = Number.POSITIVE_INFINITY;
  private cut = 0;
  private wake: (() => void) | undefined;

  private constructor(
    private readonly python: Pyodide,
    private readonly surroundings: Surroundings,
  ) {
    this.session = python.pyimport('_subnormal');
  }

  /** Imports torch and what learners use; touches no engine, so the heap may be snapshotted afterwards. */
  static prepare(python: Pyodide): void {
    python.runPython('import _subnormal; _subnormal.prepare()');
  }

  /** Connects a prepared Python with the page and the engine. */
  static connect(python: Pyodide, bridge: unknown, surroundings: Surroundings): PythonHost {
    const host = new PythonHost(python, surroundings);
    host.session.connect!(host.forPython(), surroundings.canSuspend);
    host.listenForInterrupts();
    const decoder = new TextDecoder();
    const raw = (stream: OutputStream) => ({
      write: (bytes: Uint8Array) => {
        host.emit(decoder.decode(bytes.slice(), { stream: true }), stream);
        return bytes.length;
      },
    });
    python.setStdout(raw('stdout'));
    python.setStderr(raw('stderr'));
    const core = python.pyimport('torch._C');
    core.bind!(bridge);
    return host;
  }

  /** The functions that _subnormal.py calls. Plain values in and out. */
  private forPython() {
    return {
      emit: (text: string, fd: number) => this.emit(text, fd === 2 ? 'stderr' : 'stdout'),
      flush: () => this.surroundings.flush(),
      pending: () => this.pending(),
      block: (milliseconds: number) => this.surroundings.block(milliseconds),
      sleep: (milliseconds: number) => this.sleep(milliseconds),
      tick: () => this.sleep(0),
    };
  }

  /** True once the output limit is passed. */
  private emit(text: string, stream: OutputStream): boolean {
    const room = this.limit - this.written;
    this.written += text.length;
    if (text.length <= room) {
      this.surroundings.emit(text, stream);
      return false;
    }
    if (room > 0) this.surroundings.emit(text.slice(0, room), stream);
    this.cut += text.length - Math.max(room, 0);
    return true;
  }

  private pending(): boolean {
    if (this.stopReason === undefined && performance.now() > this.deadline) this.stopReason = 'time';
    return this.stopReason !== undefined;
  }

  private sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = Math.min(milliseconds, Math.max(0, this.deadline - performance.now()) + 1);
      const timer = setTimeout(done, end);
      const self = this;
      function done() {
        clearTimeout(timer);
        self.wake = undefined;
        resolve();
      }
      this.wake = done;
    });
  }

  /**
   * Interrupts without shared memory: Pyodide polls element 0 of its interrupt buffer between bytecodes, and a getter answers 2 (SIGINT)
   * when something is due. Python's signal handler then lets the worker hear a stop request, or raises KeyboardInterrupt.
   */
  private listenForInterrupts(): void {
    const poll = () => {
      const now = performance.now();
      if (now < this.nextTick) return 0;
      this.nextTick = now + TICK;
      this.surroundings.flush();
      if (this.pending() || this.surroundings.canSuspend) return 2;
      return 0;
    };
    const buffer = {
      length: 1,
      get 0() {
        return poll();
      },
      set 0(_value: number) {
        /* Pyodide resets the flag that it has read */
      },
    };
    this.python.setInterruptBuffer(buffer);
  }

  /** Asks the current run to end with KeyboardInterrupt. */
  interrupt(reason: string): void {
    this.stopReason = reason;
    this.nextTick = 0;
    this.wake?.();
  }

  async run(code: string, run: HostRun): Promise<HostResult> {
    const result = await this.guarded(run, 'run', code, run.filename, JSON.stringify(run.args), run.directory ?? null);
    return result;
  }

  private async guarded(limits: HostRun, name: string, ...args: unknown[]): Promise<HostResult> {
    const start = performance.now();
    this.stopReason = undefined;
    this.written = 0;
    this.cut = 0;
    this.limit = limits.outputLimit || Number.POSITIVE_INFINITY;
    this.deadline = limits.timeLimit ? start + limits.timeLimit : Number.POSITIVE_INFINITY;
    this.nextTick = start + TICK;
    const values = args.map((a) => (a === null ? undefined : a));
    const call = this.session[name]!;
    try {
      const json = this.surroundings.canSuspend ? await call.callPromising(...values) : call(...values);
      const result = JSON.parse(String(json)) as HostResult;
      if (result.status === 'stopped') result.reason = this.whyStopped(limits);
      return result;
    } finally {
      this.deadline = Number.POSITIVE_INFINITY;
      this.nextTick = Number.POSITIVE_INFINITY;
      this.surroundings.flush();
    }
  }

  private whyStopped(limits: HostRun): string {
    if (this.cut > 0) {
      return `Stopped: the output passed ${limits.outputLimit.toLocaleString('en')} characters; ${this.cut.toLocaleString('en')} more were cut. Print less, for example every 100th step.`;
    }
    if (this.stopReason === 'time') {
      return `Stopped: the run took longer than ${limits.timeLimit / 1000} seconds. Look for a loop that never ends, or do fewer steps.`;
    }
    return this.stopReason ?? 'Stopped.';
  }
}
