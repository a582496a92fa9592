/**
 * Python with `torch` in it, wherever Pyodide runs: the worker of a page and Node use the same host. It knows Pyodide and the Python
 * half of the session (python/_subnormal); it gets the engine's bridge injected and never looks inside it.
 */
import { outputReason, shortened, timeReason } from './limits';
import type { PythonError, PyValue, TraceEvent, TraceOptions } from './session';

/** The part of Pyodide's API that we use. (Pyodide's own types pull in the DOM library.) */
export interface Pyodide {
  readonly version: string;
  readonly _module: { readonly HEAPU8: Uint8Array };
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
  /** The output limit was passed. */
  limitReached?(): void;
}

export interface HostLimits {
  /** Milliseconds; 0: no limit. */
  readonly timeLimit: number;
  /** Characters; 0: no limit. */
  readonly outputLimit: number;
  readonly trace?: boolean | TraceOptions;
}

export interface HostRun extends HostLimits {
  /** Shown in tracebacks. */
  readonly filename: string;
  /** sys.argv[0]; default: the filename. */
  readonly program?: string;
  readonly args: readonly string[];
  /** Directory of the script whose modules it may import (Node only). */
  readonly directory?: string;
}

/** The part of the engine's bridge that records traces (bridge/state.ts). */
interface TraceBridge {
  trace_start(statistics: boolean, at?: number, change?: number): void;
  trace_take(): string | Promise<string>;
  set_line(line: number | null): void;
}

export interface HostResult {
  status: 'done' | 'error' | 'stopped';
  exitCode: number;
  error?: PythonError;
  reason?: string;
  value?: PyValue;
  trace?: readonly TraceEvent[];
}

/** How often Python, while it is busy, lets the worker's event loop run, in milliseconds. */
const TICK = 100;

/** How soon it tries again where the moment was a bad one, in milliseconds. */
const RETRY = 2;
/** How Python's fatal-error handler begins its dump of the stack. */
const STACK_DUMP = 'Stack (most recent call first)';
const TIME_IS_UP = 'time is up';

/** What Python gets instead of a promise: it waits for `promise`, which never rejects, and then takes the value or the error. */
class Later {
  readonly promise: Promise<void>;
  private value: unknown;
  private error: unknown;
  private failed = false;

  constructor(promise: Promise<unknown>) {
    this.promise = promise.then(
      (value) => {
        this.value = value;
      },
      (error: unknown) => {
        this.failed = true;
        this.error = error;
      },
    );
  }

  take(): unknown {
    if (this.failed) throw this.error;
    return this.value;
  }
}

/** These never give a promise, and are called far too often to be wrapped. */
const IMMEDIATE = new Set(['op', 'op_', 'op_into', 'free', 'congested']);

/**
 * The bridge with every promise in a Later. A promise that rejects while Python waits for it is printed by Pyodide's event loop
 * before Python gets it as an exception; so Python waits first and asks for the outcome afterwards.
 */
function answeringLater(bridge: object): object {
  const wrapped: Record<string, unknown> = { later: new Later(Promise.resolve()) };
  for (const [name, value] of Object.entries(bridge)) {
    if (typeof value !== 'function' || IMMEDIATE.has(name)) wrapped[name] = value;
    else {
      wrapped[name] = (...args: unknown[]) => {
        const result: unknown = value(...args);
        return result instanceof Promise ? new Later(result) : result;
      };
    }
  }
  return wrapped;
}

export class PythonHost {
  private readonly session: PythonModule;
  private readonly lines: PythonModule;
  private deadline = Number.POSITIVE_INFINITY;
  private nextTick = Number.POSITIVE_INFINITY;
  private stopReason: string | undefined;
  /** The learner's code has its turn; false while Python prepares for it. */
  private begun = false;
  private written = 0;
  private limit = Number.POSITIVE_INFINITY;
  private cut = 0;
  private dump = '';
  private wake: (() => void) | undefined;

  private constructor(
    private readonly python: Pyodide,
    private readonly surroundings: Surroundings,
    private readonly bridge: TraceBridge,
  ) {
    this.session = python.pyimport('_subnormal.runner');
    this.lines = python.pyimport('_subnormal.source_lines');
  }

  /** Imports torch and what learners use; touches no engine, so the heap may be snapshotted afterwards. */
  static prepare(python: Pyodide): void {
    python.runPython('import _subnormal.runner; _subnormal.runner.prepare()');
  }

  /** Connects a prepared Python with the page and the engine. */
  static connect(python: Pyodide, bridge: TraceBridge, surroundings: Surroundings): PythonHost {
    const host = new PythonHost(python, surroundings, bridge);
    host.session.connect!(host.forPython(), surroundings.canSuspend);
    host.listenForInterrupts();
    python.setStdout(host.rawStream('stdout'));
    python.setStderr(host.rawStream('stderr'));
    const core = python.pyimport('torch._C');
    core.bind!(answeringLater(bridge));
    return host;
  }

  /** What python/_subnormal/host.py calls the page. Plain values in and out. */
  private forPython() {
    let waiting: Promise<void> | undefined;
    return {
      emit: (text: string, fd: number) => this.emit(text, fd === 2 ? 'stderr' : 'stdout'),
      flush: () => this.surroundings.flush(),
      pending: () => this.pending(),
      begin: () => {
        this.begun = true;
      },
      block: (milliseconds: number) => this.surroundings.block(milliseconds),
      retry: () => {
        this.nextTick = performance.now() + RETRY;
      },
      begin_wait: (milliseconds: number) => {
        waiting = this.sleep(milliseconds);
      },
      get promise() {
        return waiting;
      },
    };
  }

  /** True once the output limit is passed. */
  private emit(text: string, stream: OutputStream): boolean {
    if (!this.begun) return false; // a finaliser of the last run's objects, or a fault that `spoiled` reports
    const room = this.limit - this.written;
    this.written += text.length;
    if (text.length <= room) {
      this.surroundings.emit(text, stream);
      return false;
    }
    if (room > 0) this.surroundings.emit(text.slice(0, room), stream);
    if (this.cut === 0) this.surroundings.limitReached?.();
    this.cut += text.length - Math.max(room, 0);
    return true;
  }

  /** What is written past sys.stdout: os.write(1, …), and Python's own dump of its stack when it breaks down. */
  private rawStream(stream: OutputStream) {
    const decoder = new TextDecoder();
    return {
      write: (bytes: Uint8Array) => {
        const text = decoder.decode(bytes.slice(), { stream: true });
        if (this.dump !== '' || text.startsWith(STACK_DUMP)) this.dump += text;
        else this.emit(text, stream);
        return bytes.length;
      },
    };
  }

  /** After a breakdown: the line of `filename` that was running, from Python's dump of its stack. */
  lineOfBreakdown(filename: string): number | undefined {
    for (const [, file, line] of this.dump.matchAll(/File "([^"]*)", line (\d+)/g)) {
      if (file === filename) return Number(line);
    }
    return undefined;
  }

  private pending(): boolean {
    if (this.stopReason === undefined && performance.now() > this.deadline) this.stopReason = TIME_IS_UP;
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

  /** Size of Python's heap; WebAssembly memory never shrinks. */
  get heapBytes(): number {
    return this.python._module.HEAPU8.length;
  }

  /** Python could not even prepare for the last run: an earlier one has damaged what this session itself needs. Nothing of it was run. */
  get spoiled(): boolean {
    return !this.begun;
  }

  /** Asks the current run to end with KeyboardInterrupt. */
  interrupt(reason: string): void {
    this.stopReason = reason;
    this.nextTick = 0;
    this.wake?.();
  }

  /** Runs a script as `__main__`. Rejects only when Python itself broke down. */
  run(code: string, run: HostRun): Promise<HostResult> {
    const argv = JSON.stringify([run.program ?? run.filename, ...run.args]);
    return this.guarded(run, 'run', code, run.filename, argv, run.directory);
  }

  /** Evaluates an expression in the namespace that the last run left. */
  evaluate(expression: string, bindings: Readonly<Record<string, PyValue>>, limits: HostLimits): Promise<HostResult> {
    return this.guarded(limits, 'evaluate', expression, JSON.stringify(bindings));
  }

  private async guarded(limits: HostLimits, name: string, ...args: unknown[]): Promise<HostResult> {
    const start = performance.now();
    this.stopReason = undefined;
    this.begun = name === 'evaluate';
    this.written = 0;
    this.cut = 0;
    this.limit = limits.outputLimit || Number.POSITIVE_INFINITY;
    this.deadline = limits.timeLimit ? start + limits.timeLimit : Number.POSITIVE_INFINITY;
    this.nextTick = start + TICK;
    const call = this.session[name]!;
    const { bridge } = this;
    if (limits.trace) {
      const { statistics = false, intervention } = limits.trace === true ? {} : limits.trace;
      const change = intervention?.change === 'float32' ? 0 : intervention?.change;
      bridge.trace_start(statistics, intervention?.at, change);
      this.lines.watch!(bridge.set_line);
    }
    try {
      const json = this.surroundings.canSuspend ? await call.callPromising(...args) : call(...args);
      const result = JSON.parse(String(json)) as HostResult;
      if (result.error && limits.outputLimit) {
        const { message, traceback } = result.error;
        result.error = { ...result.error, message: shortened(message), traceback: shortened(traceback) };
      }
      if (result.status === 'stopped') result.reason = this.whyStopped(limits);
      if (limits.trace) result.trace = JSON.parse(await bridge.trace_take()) as TraceEvent[];
      return result;
    } finally {
      if (limits.trace) this.lines.unwatch!(bridge.set_line);
      this.deadline = Number.POSITIVE_INFINITY;
      this.nextTick = Number.POSITIVE_INFINITY;
      this.surroundings.flush();
    }
  }

  private whyStopped(limits: HostLimits): string {
    if (this.cut > 0) return outputReason(limits.outputLimit, this.cut);
    if (this.stopReason === TIME_IS_UP) return timeReason(limits.timeLimit);
    return this.stopReason ?? 'Stopped.';
  }
}
