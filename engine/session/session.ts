/**
 * A place where Python runs: Pyodide, `torch` and the engine. In the browser it is a confined worker with a warm spare; in Node it
 * is in-process on the reference backend. Runs are serial; every run starts with a fresh `__main__`.
 */

export interface BackendInfo {
  /** What `device="cuda"` is served by. */
  readonly name: 'webgpu' | 'cpu';
  /** Why it is the reference ("this browser has no WebGPU", "no JSPI", "self-test failed: …"); absent for webgpu. */
  readonly reason?: string;
  /** The adapter's own description, for the learner. */
  readonly adapter?: string;
}

export interface Progress {
  /** What is happening, for people: "Downloading Python", "Starting Python", "Asking for your GPU". */
  readonly label: string;
  /** 0..1 where known. */
  readonly fraction?: number;
}

export interface TraceOptions {
  /** Count what is in every output, and link each input to the op that made it. */
  readonly statistics: boolean;
  /** Run one op otherwise: in float32, or with its input multiplied (core/intervention.ts). */
  readonly intervention?: { readonly at: number; readonly change: 'float32' | number };
}

export interface RunOptions {
  /** Shown in tracebacks; default "main.py". */
  readonly filename?: string;
  readonly args?: readonly string[];
  readonly onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
  /** Record a trace (see core/trace.ts); costs time, with statistics more. */
  readonly trace?: boolean | TraceOptions;
  /** Milliseconds of wall time before the run is stopped; default 30,000. 0: no limit. */
  readonly timeLimit?: number;
  /** Characters of output before the run is stopped; default 200,000. */
  readonly outputLimit?: number;
}

export interface PythonError {
  readonly type: string;
  readonly message: string;
  /** As CPython prints it, learner's frames only, ending in "Type: message\n". */
  readonly traceback: string;
  /** Line of the learner's file, 1-based, where known. */
  readonly line?: number;
}

export interface RunResult {
  readonly status: 'done' | 'error' | 'stopped';
  readonly error?: PythonError;
  /** For 'stopped': why, and what to do, in one or two sentences. */
  readonly reason?: string;
  /** sys.exit status as CPython would give. */
  readonly exitCode: number;
  readonly milliseconds: number;
  readonly trace?: readonly TraceEvent[];
  /** Kernels (GPU dispatches) executed during the run; 0 on the reference backend. */
  readonly kernels: number;
}

/**
 * A value passed to or returned from a learner's function, bits and all. A tensor's `bits` are the hexadecimal patterns of its elements
 * in row-major order, separated by spaces ("3c00 fc00"); of integer and bool tensors, decimal numbers. A number that JSON can't hold is
 * a string: "inf", "-inf", "nan", or the digits of an int beyond 2^53.
 */
export type PyValue =
  | {
      readonly kind: 'tensor';
      readonly dtype: string;
      readonly shape: readonly number[];
      readonly device: string;
      readonly bits: string;
      readonly requiresGrad?: boolean;
      readonly grad?: PyValue | null;
    }
  | { readonly kind: 'number'; readonly type: 'int' | 'float' | 'bool'; readonly value: number | string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'list' | 'tuple'; readonly items: readonly PyValue[] }
  | { readonly kind: 'dict'; readonly entries: readonly (readonly [string, PyValue])[] }
  | { readonly kind: 'other'; readonly repr: string };

export interface EvaluateResult {
  readonly status: 'done' | 'error' | 'stopped';
  readonly value?: PyValue;
  readonly error?: PythonError;
  readonly reason?: string;
  readonly output: string;
  readonly trace?: readonly TraceEvent[];
}

/** One op as it ran. core/trace.ts defines and documents it. */
export interface TraceEvent {
  readonly op: string;
  readonly line: number | null;
  readonly inputs: readonly { readonly dtype: string; readonly shape: readonly number[]; readonly from?: number }[];
  readonly outputs: readonly { readonly dtype: string; readonly shape: readonly number[] }[];
  readonly backend: 'cpu' | 'webgpu' | 'host';
  readonly autocast?: string;
  readonly phase: 'forward' | 'backward' | 'scaler';
  readonly detail?: Readonly<Record<string, number | string | boolean>>;
  readonly nth?: number;
  readonly forwardLine?: number;
}

export interface Session {
  readonly state: 'new' | 'loading' | 'ready' | 'running' | 'broken';
  /** Resolves once Python and the backend are ready. Idempotent; start it on idle, hover or focus. */
  start(onProgress?: (p: Progress) => void): Promise<BackendInfo>;
  /** Runs a script as `__main__`. Names it defines stay until the next run, for `evaluate`. */
  run(code: string, options?: RunOptions): Promise<RunResult>;
  /**
   * Evaluates a Python expression in the namespace left by the last run, with `bindings` as extra names (tensors arrive as torch tensors).
   * Graders call learners' functions this way: evaluate("softmax(x, 0)", { x }).
   */
  evaluate(
    expression: string,
    bindings?: Readonly<Record<string, PyValue>>,
    options?: RunOptions,
  ): Promise<EvaluateResult>;
  /** Ends the current run; a usable session is back within two seconds (the spare takes over). */
  stop(reason?: string): void;
  /** Frees everything. */
  close(): void;
}
