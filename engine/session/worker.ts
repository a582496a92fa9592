/// <reference lib="webworker" />
/**
 * The worker that runs a learner's Python. It is started from a `data:` URL, so its origin is opaque: no cookies, no storage of the
 * site, no network (the page's policy holds here too, and the ways out are removed before any learner's code runs). The page fetches
 * every byte that is needed here and posts it.
 */
import { startEngine } from './engine';
import type { EvaluateMessage, InitMessage, Outcome, PageMessage, RunMessage, WorkerMessage } from './messages';
import { OutputBatch } from './output-batch';
import { type HostResult, type Pyodide, PythonHost } from './python-host';
import type { Engine } from './reference-engine';

const scope = self as unknown as DedicatedWorkerGlobalScope;
const send = (message: WorkerMessage, transfer: Transferable[] = []) => scope.postMessage(message, transfer);

interface SnapshottingPyodide extends Pyodide {
  makeMemorySnapshot(): Uint8Array;
}
interface LoaderModule {
  loadPyodide(options: Record<string, unknown>): Promise<SnapshottingPyodide>;
}
interface RuntimeModule {
  default: unknown;
}

/** Where the packed Python sources lie in Python's own file system. */
const TORCH_ZIP = '/lib/torch.zip';

async function importText<T>(source: string): Promise<T> {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    return (await import(/* @vite-ignore */ url)) as T;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Pyodide asks for two files by URL; we have both already. */
function serveFromMemory(files: InitMessage['files']): void {
  const answer = async (input: RequestInfo | URL): Promise<Response> => {
    const name = String(input instanceof Request ? input.url : input)
      .split('/')
      .pop();
    if (name === 'python_stdlib.zip') return new Response(files.stdlib);
    if (name === 'pyodide.asm.wasm') return new Response(null); // instantiateStreaming below has the compiled module
    throw new TypeError(`no network here: ${name}`);
  };
  scope.fetch = answer as typeof fetch;
  WebAssembly.instantiateStreaming = async (_source, imports) => ({
    module: files.module,
    instance: await WebAssembly.instantiate(files.module, imports),
  });
}

/** Python's heap stops growing here: malloc fails, and Python raises MemoryError while the tab is still well. */
function limitMemory(bytes: number): void {
  const grow = WebAssembly.Memory.prototype.grow;
  const page = 65536; // bytes of one WebAssembly page
  WebAssembly.Memory.prototype.grow = function (this: WebAssembly.Memory, pages: number) {
    if (this.buffer.byteLength + pages * page > bytes) throw new RangeError('memory limit of the session');
    return grow.call(this, pages);
  };
}

/** Ways out of the worker. The opaque origin and the page's policy hold anyway; these make the failure plain. */
const REMOVED = [
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'WebSocketStream',
  'WebTransport',
  'EventSource',
  'Worker',
  'SharedWorker',
  'BroadcastChannel',
  'indexedDB',
  'caches',
  'importScripts',
];

function closeTheDoors(): void {
  for (const name of REMOVED) {
    try {
      Object.defineProperty(scope, name, { value: undefined, configurable: false, writable: false });
    } catch {
      // Not configurable in this browser; the origin and the policy still hold.
    }
  }
}

async function loadPython(init: InitMessage): Promise<SnapshottingPyodide> {
  if (!init.allowSuspend) {
    // Pyodide looks for this constructor to decide whether Python can wait for promises.
    Reflect.deleteProperty(WebAssembly, 'Suspending');
  }
  const [loader, runtime, torch, snapshot] = await Promise.all([
    importText<LoaderModule>(init.files.loader),
    importText<RuntimeModule>(init.files.runtime),
    init.files.torch.arrayBuffer(),
    init.snapshot?.arrayBuffer(),
  ]);
  serveFromMemory(init.files);
  limitMemory(init.memoryLimit);
  const python = await loader.loadPyodide({
    indexURL: 'https://pyodide.invalid/',
    createPyodideModule: runtime.default,
    lockFileContents: init.files.lock,
    jsglobals: {},
    ...(snapshot ? { _loadSnapshot: snapshot } : {}),
    ...(init.makeSnapshot ? { _makeSnapshot: true } : {}),
  });
  python.FS.writeFile(TORCH_ZIP, new Uint8Array(torch));
  if (!snapshot) {
    python.runPython(`import sys; sys.path.insert(0, '${TORCH_ZIP}')`);
    PythonHost.prepare(python);
    if (init.makeSnapshot) {
      const heap = python.makeMemorySnapshot().buffer as ArrayBuffer;
      send({ kind: 'snapshot', heap }, [heap]);
    }
  }
  return python;
}

let host: PythonHost | undefined;
let engine: Engine | undefined;
let current = 0;
let busy = false;
const output = new OutputBatch((text, stream) => send({ kind: 'output', id: current, text, stream }));

async function init(message: InitMessage): Promise<void> {
  const canSuspend = message.allowSuspend && 'Suspending' in WebAssembly;
  // The device is asked for first: the GPU process answers while Python starts here.
  const starting = startEngine({
    gpu: message.allowGpu ? scope.navigator.gpu : undefined,
    canSuspend,
    onLost: (reason) => send({ kind: 'device-lost', reason }),
  });
  const python = await loadPython(message);
  send({ kind: 'progress', label: 'Asking for your GPU' });
  engine = await starting;
  host = PythonHost.connect(python, engine.bridge, {
    emit: (text, stream) => output.write(text, stream),
    flush: () => output.flush(),
    block: (milliseconds) => {
      const end = performance.now() + milliseconds;
      while (performance.now() < end) {
        // Without JSPI and without shared memory, a worker can't wait in any other way.
      }
    },
    canSuspend,
    limitReached: () => send({ kind: 'limit', id: current }),
  });
  // An error that crosses to Python has its stack written out, and naming the frames of Python's WebAssembly takes 100 ms each time.
  Error.stackTraceLimit = 0;
  closeTheDoors();
  send({ kind: 'ready', backend: engine.info, restored: message.snapshot !== undefined });
}

async function perform(message: RunMessage | EvaluateMessage): Promise<Outcome> {
  const start = performance.now();
  if (!host || !engine) throw new Error('the session has not started');
  const kernels = engine.kernels;
  const limits = { timeLimit: message.timeLimit, outputLimit: message.outputLimit, trace: message.trace };
  let result: HostResult;
  try {
    if (message.kind === 'run') {
      result = await host.run(message.code, { filename: message.filename, args: message.args, ...limits });
    } else {
      result = await host.evaluate(message.expression, message.bindings, limits);
    }
  } catch (error) {
    return {
      ...fatal(error, message.kind === 'run' ? message.filename : '<evaluate>'),
      spoiled: host.spoiled,
      milliseconds: performance.now() - start,
      kernels: 0,
    };
  }
  return {
    status: result.status,
    exitCode: result.exitCode,
    error: result.error,
    reason: result.reason,
    value: result.value,
    trace: result.trace,
    milliseconds: performance.now() - start,
    kernels: engine.kernels - kernels,
    heapBytes: host.heapBytes,
  };
}

/** Python itself broke down. Its stack overflowed (deep recursion through C code), or its heap is damaged. */
function fatal(error: unknown, filename: string): Pick<Outcome, 'status' | 'exitCode' | 'error' | 'fatal'> {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const overflow = /maximum call stack|too much recursion|stack overflow|call_stack_exhausted/i.test(text);
  const type = overflow ? 'RecursionError' : 'SystemError';
  const message = overflow
    ? 'the recursion was so deep that Python itself ran out of stack. A fresh Python has been started. Give the recursion an end, or use a loop'
    : `Python stopped working${text.startsWith('PythonError') ? '' : ` (${text.slice(0, 300)})`}. A fresh Python has been started`;
  const line = host?.lineOfBreakdown(filename);
  const where = line === undefined ? '' : `Traceback (most recent call last):\n  File "${filename}", line ${line}\n`;
  const traceback = `${where}${type}: ${message}\n`;
  return { status: 'error', exitCode: 1, fatal: true, error: { type, message, traceback, line } };
}

scope.onmessage = async ({ data }: MessageEvent<PageMessage>) => {
  switch (data.kind) {
    case 'init':
      try {
        await init(data);
      } catch (error) {
        send({ kind: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      }
      return;
    case 'run':
    case 'evaluate': {
      if (busy) return; // the page runs one at a time
      busy = true;
      current = data.id;
      try {
        const outcome = await perform(data);
        output.flush();
        send({ kind: 'outcome', id: data.id, outcome });
      } finally {
        busy = false;
      }
      return;
    }
    case 'interrupt':
      host?.interrupt(data.reason);
      return;
    case 'prove':
      void engine?.prove();
      return;
    case 'lose-device':
      engine?.loseDevice();
  }
};

send({ kind: 'up' });
