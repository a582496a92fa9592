/**
 * The session in a page: one worker that runs, and a warm spare that takes over at once when the first has to be ended. Starts nothing
 * until `start` or `run` is called.
 */
import { type AssetUrls, type Files, fetchFiles } from './files';
import { OUTPUT_LIMIT, outputReason, TIME_LIMIT, timeReason } from './limits';
import type { Outcome } from './messages';
import type { BackendInfo, EvaluateResult, Progress, PyValue, RunOptions, RunResult, Session } from './session';
import { dropSnapshot, loadSnapshot, storeSnapshot } from './snapshot-store';
import { WorkerProcess } from './worker-process';

/** After a stop request or a limit, Python has this long to raise KeyboardInterrupt before its worker is ended. Milliseconds. */
const GRACE = 300;
/** Beyond its time limit, a run that didn't even hear the interrupt is ended. Milliseconds. */
const HARD_GRACE = 700;
/** Most that Python's heap may take, in bytes. A phone's tab dies at little more. */
const MEMORY_LIMIT = 2 ** 30;
/** A heap that has grown beyond this is given back (with its worker) before the next run. Bytes. */
const WORN_HEAP = 400 * 2 ** 20;

export interface BrowserOptions {
  /** False: no spare and no snapshot are made (Save-Data, or little memory). Default true. */
  readonly spare?: boolean;
  readonly memoryLimit?: number;
}

/** Safari has no requestIdleCallback; and engine/ is compiled without the DOM's types. */
const idleCallback = (globalThis as { requestIdleCallback?: (task: () => void, options: { timeout: number }) => void })
  .requestIdleCallback;

function whenIdle(task: () => void): void {
  if (idleCallback) idleCallback(task, { timeout: 3000 });
  else setTimeout(task, 200);
}

export class BrowserSession implements Session {
  private current: 'new' | 'loading' | 'ready' | 'running' | 'broken' = 'new';
  private files: Files | undefined;
  private snapshot: Promise<Blob | undefined> | undefined;
  private active: Promise<WorkerProcess> | undefined;
  private spare: Promise<WorkerProcess> | undefined;
  private spareIsReady = false;
  private running: WorkerProcess | undefined;
  private graceTimer: ReturnType<typeof setTimeout> | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private worn = false;
  private closed = false;
  private readonly listeners = new Set<(progress: Progress) => void>();
  private lastProgress: Progress | undefined;
  private readonly allowSuspend = 'Suspending' in WebAssembly;
  private readonly allowGpu = typeof navigator !== 'undefined' && 'gpu' in navigator && Boolean(navigator.gpu);

  constructor(
    private readonly urls: AssetUrls,
    private readonly options: BrowserOptions = {},
  ) {}

  get state() {
    return this.current;
  }

  /** A second worker is ready to take over at once. */
  get spareReady(): boolean {
    return this.spareIsReady;
  }

  async start(onProgress?: (progress: Progress) => void): Promise<BackendInfo> {
    if (onProgress) {
      this.listeners.add(onProgress);
      if (this.lastProgress) onProgress(this.lastProgress);
    }
    try {
      return (await this.ensure()).backend;
    } finally {
      if (onProgress) this.listeners.delete(onProgress);
    }
  }

  run(code: string, options: RunOptions = {}): Promise<RunResult> {
    return this.serially(async () => {
      const request = { kind: 'run', code, filename: options.filename ?? 'main.py', args: options.args ?? [] } as const;
      let outcome = await this.perform(await this.fresh(), options, request);
      // The run before has damaged its Python; this one has not begun.
      if (outcome.spoiled) outcome = await this.perform(await this.fresh(), options, request);
      const { status, exitCode, milliseconds, kernels, error, reason, trace } = outcome;
      return { status, exitCode, milliseconds, kernels, error, reason, trace };
    });
  }

  evaluate(
    expression: string,
    bindings: Readonly<Record<string, PyValue>> = {},
    options: RunOptions = {},
  ): Promise<EvaluateResult> {
    return this.serially(async () => {
      const process = await this.ensure();
      let output = '';
      const onOutput: RunOptions['onOutput'] = (text, stream) => {
        output += text;
        options.onOutput?.(text, stream);
      };
      const outcome = await this.perform(process, { ...options, onOutput }, { kind: 'evaluate', expression, bindings });
      const { status, value, error, reason, trace } = outcome;
      return { status, value, error, reason, output, trace };
    });
  }

  stop(reason = 'Stopped by you.'): void {
    const process = this.running;
    if (!process) return;
    process.interrupt(reason);
    this.endSoon(process, { status: 'stopped', exitCode: 130, reason }, GRACE);
  }

  close(): void {
    this.closed = true;
    this.current = 'new';
    for (const process of [this.active, this.spare])
      process?.then((p) => p.terminate({ reason: 'The session was closed.' }), ignore);
    this.active = undefined;
    this.forgetSpare();
    this.files = undefined;
  }

  /** Tests only: loses the GPU device, as a driver reset would. */
  async loseDevice(): Promise<void> {
    (await this.ensure()).loseDevice();
  }

  // --- one run

  private serially<T>(task: () => Promise<T>): Promise<T> {
    const result = this.queue.then(task);
    this.queue = result.catch(ignore);
    return result;
  }

  private async perform(
    process: WorkerProcess,
    options: RunOptions,
    request:
      | { kind: 'run'; code: string; filename: string; args: readonly string[] }
      | { kind: 'evaluate'; expression: string; bindings: Readonly<Record<string, PyValue>> },
  ): Promise<Outcome> {
    const timeLimit = options.timeLimit ?? TIME_LIMIT;
    const outputLimit = options.outputLimit ?? OUTPUT_LIMIT;
    const start = performance.now();
    this.running = process;
    this.current = 'running';
    let shown = 0;
    const onOutput = (text: string, stream: 'stdout' | 'stderr') => {
      // The worker counts too; this holds when the learner's code has taken the worker over.
      const room = outputLimit > 0 ? outputLimit - shown : text.length;
      if (room <= 0) return;
      shown += text.length;
      options.onOutput?.(text.slice(0, room), stream);
    };
    const onLimit = () => this.endSoon(process, { reason: outputReason(outputLimit) }, GRACE);
    const timeout =
      timeLimit > 0
        ? setTimeout(() => this.endSoon(process, { reason: timeReason(timeLimit) }, 0), timeLimit + HARD_GRACE)
        : undefined;
    try {
      const outcome = await process.perform(
        { ...request, trace: options.trace ?? false, timeLimit, outputLimit },
        onOutput,
        onLimit,
      );
      this.worn = (outcome.heapBytes ?? 0) > WORN_HEAP;
      return outcome.milliseconds > 0 ? outcome : { ...outcome, milliseconds: performance.now() - start };
    } finally {
      clearTimeout(timeout);
      clearTimeout(this.graceTimer);
      this.running = undefined;
      if (process.dead) this.replace();
      else if (!this.closed) this.current = 'ready';
    }
  }

  private endSoon(process: WorkerProcess, outcome: Partial<Outcome>, grace: number): void {
    clearTimeout(this.graceTimer);
    this.graceTimer = setTimeout(() => process.terminate(outcome), grace);
  }

  // --- workers

  /** The active worker, started if need be. */
  private ensure(): Promise<WorkerProcess> {
    if (!this.active) {
      this.closed = false;
      this.current = 'loading';
      this.active = this.launch().then(
        (process) => {
          this.current = 'ready';
          whenIdle(() => {
            process.prove();
            void this.prepareSpare();
          });
          return process;
        },
        (error: unknown) => {
          // The next start tries again from the beginning.
          this.active = undefined;
          this.files = undefined;
          this.current = 'broken';
          throw error;
        },
      );
    }
    return this.active;
  }

  /** The active worker, or the spare where the active one's heap has grown too big or its GPU device is lost. */
  private async fresh(): Promise<WorkerProcess> {
    const process = await this.ensure();
    if (!this.worn && !process.deviceLost) return process;
    this.worn = false;
    process.terminate();
    this.replace();
    return this.ensure();
  }

  /** The spare becomes the active worker; a new spare is started. */
  private replace(): void {
    if (this.closed) return;
    const spare = this.spare;
    this.forgetSpare();
    this.active = undefined;
    this.current = 'loading';
    if (spare) {
      this.active = spare.then(
        (process) => {
          this.current = 'ready';
          // Not at once: the learner's next run comes first.
          whenIdleAfter(1500, () => {
            process.prove();
            void this.prepareSpare();
          });
          return process;
        },
        () => {
          this.active = undefined;
          return this.ensure();
        },
      );
    }
    this.ensure().catch(ignore);
  }

  private async launch(): Promise<WorkerProcess> {
    this.files ??= fetchFiles(this.urls, (p) => this.tell(p));
    this.snapshot ??= loadSnapshot(this.urls, this.allowSuspend);
    const { files } = this;
    const snapshot = await this.snapshot;
    const onProgress = (p: Progress) => this.tell(p);
    const plain = { ...this.processOptions(), onProgress, onSnapshot: (heap: Blob) => this.keepSnapshot(heap) };
    if (!snapshot) return WorkerProcess.start(files, plain);
    try {
      return await WorkerProcess.start(files, { ...this.processOptions(), onProgress, snapshot });
    } catch {
      await files.python; // a failed download has nothing to do with the snapshot
      // A damaged snapshot must not lock the learner out: drop it and start plainly.
      this.snapshot = Promise.resolve(undefined);
      await dropSnapshot();
      return WorkerProcess.start(files, plain);
    }
  }

  /** The first plain start gives a snapshot: the spare starts from it, and so does the next visit. */
  private keepSnapshot(heap: Blob): void {
    this.snapshot = Promise.resolve(heap);
    whenIdle(async () => {
      await storeSnapshot(this.urls, this.allowSuspend, heap);
      performance.mark('python-snapshot-stored');
    });
  }

  private processOptions() {
    return {
      workerUrl: this.urls.sessionWorker,
      allowGpu: this.allowGpu,
      allowSuspend: this.allowSuspend,
      memoryLimit: this.options.memoryLimit ?? MEMORY_LIMIT,
    };
  }

  /** At idle: the spare, which starts from the snapshot. */
  private async prepareSpare(): Promise<void> {
    if (this.options.spare === false || this.spare || this.closed || !this.active) return;
    if (this.running) {
      whenIdleAfter(500, () => void this.prepareSpare());
      return;
    }
    const { files } = this;
    if (!files) return;
    this.spare = (async () => {
      const snapshot = await this.snapshot;
      return WorkerProcess.start(files, { ...this.processOptions(), snapshot });
    })();
    const spare = this.spare;
    const drop = () => {
      if (this.spare === spare) this.forgetSpare();
    };
    spare.then((process) => {
      this.spareIsReady = this.spare === spare;
      // A driver reset takes every device with it, this one too.
      process.onDeviceLost = () => {
        if (this.spare !== spare) return;
        drop();
        process.terminate();
      };
    }, drop);
  }

  private forgetSpare(): void {
    this.spare = undefined;
    this.spareIsReady = false;
  }

  private tell(progress: Progress): void {
    this.lastProgress = progress;
    for (const listener of this.listeners) listener(progress);
  }
}

const ignore = () => undefined;

function whenIdleAfter(milliseconds: number, task: () => void): void {
  setTimeout(() => whenIdle(task), milliseconds);
}
