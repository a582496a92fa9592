/** One confined worker, from the page's side: started, asked, interrupted, ended. */
import type { Files } from './files';
import {
  type EvaluateMessage,
  type InitMessage,
  type Outcome,
  type PageMessage,
  type PythonFiles,
  parseWorkerMessage,
  type RunMessage,
  type WorkerMessage,
} from './messages';
import type { BackendInfo, Progress } from './session';

/** A worker that says nothing for this long has not started, in milliseconds. */
const UP_TIMEOUT = 10_000;
/** loadPyodide may hang rather than fail (a policy without 'wasm-unsafe-eval' does that), in milliseconds. */
const READY_TIMEOUT = 90_000;

export interface ProcessOptions extends Omit<InitMessage, 'kind' | 'files' | 'makeSnapshot'> {
  readonly workerUrl: string;
  readonly onProgress?: (progress: Progress) => void;
  /** Asks for a snapshot of Python's heap on the way, which the next start may use. */
  readonly onSnapshot?: (heap: Blob) => void;
}

type OnOutput = (text: string, stream: 'stdout' | 'stderr') => void;

interface Pending {
  readonly id: number;
  readonly onOutput?: OnOutput;
  readonly onLimit?: () => void;
  readonly settle: (outcome: Outcome) => void;
}

function spawnConfined(source: string): Worker {
  return new Worker(`data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`, { type: 'module' });
}

export class WorkerProcess {
  backend: BackendInfo = { name: 'cpu' };
  /** True when Python's heap came from a snapshot. */
  restored = false;
  /** Set once this worker can't be used any more. */
  dead = false;
  /** Set once its GPU device is lost: a run that goes on may end, the next one needs another worker. */
  deviceLost = false;
  onDeviceLost: (() => void) | undefined;
  private pending: Pending | undefined;
  private nextId = 1;

  private constructor(
    private readonly worker: Worker,
    /** False where the browser refuses `data:` workers and the site's own origin had to serve. */
    readonly confined: boolean,
  ) {}

  /** Starts a worker and Python in it. Rejects with an Error whose message is for people. */
  static async start(files: Files, options: ProcessOptions): Promise<WorkerProcess> {
    const process = await WorkerProcess.spawn(await files.worker, options.workerUrl);
    try {
      const ready = await process.init(await files.python, options);
      process.backend = ready.backend;
      process.restored = ready.restored;
      process.listen();
      return process;
    } catch (error) {
      process.terminate();
      throw error;
    }
  }

  private static async spawn(source: string, workerUrl: string): Promise<WorkerProcess> {
    try {
      const process = new WorkerProcess(spawnConfined(source), true);
      await process.wait('up', UP_TIMEOUT, 'the worker did not start');
      return process;
    } catch {
      const process = new WorkerProcess(new Worker(workerUrl, { type: 'module' }), false);
      await process.wait(
        'up',
        UP_TIMEOUT,
        'this browser starts no module workers. Use a current Chrome, Edge, Firefox or Safari',
      );
      return process;
    }
  }

  private init(files: PythonFiles, options: ProcessOptions): Promise<Extract<WorkerMessage, { kind: 'ready' }>> {
    const { workerUrl: _, onProgress, onSnapshot, ...rest } = options;
    const waiting = this.wait(
      'ready',
      READY_TIMEOUT,
      `Python did not start within ${READY_TIMEOUT / 1000} seconds. Reload the page; if that doesn't help, check that no extension or proxy blocks WebAssembly`,
      (message) => {
        if (message.kind === 'progress') onProgress?.({ label: message.label, fraction: message.fraction });
        else if (message.kind === 'snapshot') onSnapshot?.(new Blob([message.heap]));
      },
    );
    onProgress?.({ label: 'Starting Python' });
    this.post({ kind: 'init', files, makeSnapshot: onSnapshot !== undefined, ...rest });
    return waiting;
  }

  /** The next message of `kind`; rejects on failure, a crash of the worker, or a time-out. */
  private wait<K extends WorkerMessage['kind']>(
    kind: K,
    timeout: number,
    onTimeout: string,
    onOther?: (message: WorkerMessage) => void,
  ): Promise<Extract<WorkerMessage, { kind: K }>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(onTimeout)), timeout);
      const fail = (message: string) => {
        clearTimeout(timer);
        reject(new Error(message));
      };
      this.worker.onerror = (event) => {
        event.preventDefault();
        fail(event.message || 'the worker failed to start');
      };
      this.worker.onmessage = ({ data }: MessageEvent<unknown>) => {
        const message = parseWorkerMessage(data);
        if (message?.kind === 'failed') fail(message.error);
        else if (message?.kind === kind) {
          clearTimeout(timer);
          resolve(message as Extract<WorkerMessage, { kind: K }>);
        } else if (message) onOther?.(message);
      };
    });
  }

  private listen(): void {
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.end({
        ...ENDED,
        fatal: true,
        error: crash(event.message || 'the worker crashed, most likely because the tab ran out of memory'),
      });
    };
    this.worker.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = parseWorkerMessage(data);
      const pending = this.pending;
      if (message?.kind === 'device-lost') {
        this.deviceLost = true;
        this.onDeviceLost?.();
      }
      if (!message || !pending) return;
      if (message.kind === 'output' && message.id === pending.id) pending.onOutput?.(message.text, message.stream);
      else if (message.kind === 'limit' && message.id === pending.id) pending.onLimit?.();
      else if (message.kind === 'outcome' && message.id === pending.id) {
        this.end(message.outcome);
      }
    };
  }

  /** Runs or evaluates; one at a time. Never rejects. */
  perform(
    request: Omit<RunMessage, 'id'> | Omit<EvaluateMessage, 'id'>,
    onOutput?: OnOutput,
    onLimit?: () => void,
  ): Promise<Outcome> {
    const id = this.nextId++;
    return new Promise((settle) => {
      this.pending = { id, onOutput, onLimit, settle };
      this.post({ ...request, id });
    });
  }

  interrupt(reason: string): void {
    this.post({ kind: 'interrupt', reason });
  }

  /** Has the GPU tested now, while nothing runs. */
  prove(): void {
    this.post({ kind: 'prove' });
  }

  loseDevice(): void {
    this.post({ kind: 'lose-device' });
  }

  /** Ends the worker at once; a pending run ends as `outcome`. */
  terminate(outcome: Partial<Outcome> = {}): void {
    this.dead = true;
    this.worker.terminate();
    this.end({ ...ENDED, status: 'stopped', exitCode: 130, ...outcome });
  }

  private end(outcome: Outcome): void {
    if (outcome.fatal) {
      this.dead = true;
      this.worker.terminate(); // or its heap would stay
    }
    const pending = this.pending;
    this.pending = undefined;
    pending?.settle(outcome);
  }

  private post(message: PageMessage): void {
    this.worker.postMessage(message);
  }
}

const ENDED: Outcome = { status: 'error', exitCode: 1, milliseconds: 0, kernels: 0 };

function crash(detail: string) {
  const message = `${detail}. A fresh Python has been started`;
  return { type: 'SystemError', message, traceback: `SystemError: ${message}\n` };
}
