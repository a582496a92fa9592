/**
 * The session in Node: Python in this process, both 'cpu' and 'cuda' tensors on the reference backend. `npm run py`, the exercise gate
 * and the unit tests use it.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OUTPUT_LIMIT, TIME_LIMIT } from './limits';
import { type HostLimits, type OutputStream, type Pyodide, PythonHost } from './python-host';
import { type Engine, referenceEngine } from './reference-engine';
import type { BackendInfo, EvaluateResult, Progress, PyValue, RunOptions, RunResult, Session } from './session';

const here = dirname(fileURLToPath(import.meta.url));
const torchSource = join(here, '../python');
const sessionSource = join(here, 'python');

interface NodePyodide extends Pyodide {
  mountNodeFS(mountPoint: string, hostPath: string): void;
}

/** Pyodide with torch's sources on its path, torch imported, no engine yet. */
export async function loadPython(): Promise<NodePyodide> {
  const { loadPyodide } = await import('pyodide');
  const python = (await loadPyodide()) as unknown as NodePyodide;
  const bytecode = join(here, '../../node_modules/.cache/subnormal-pycache');
  mkdirSync(bytecode, { recursive: true });
  python.mountNodeFS('/lib/torch', torchSource);
  python.mountNodeFS('/lib/session', sessionSource);
  python.mountNodeFS('/lib/pycache', bytecode);
  python.runPython(`import sys; sys.path[:0] = ['/lib/torch', '/lib/session']; sys.pycache_prefix = '/lib/pycache'`);
  PythonHost.prepare(python);
  return python;
}

/** Python connected with a fresh engine, writing to `emit`. */
export async function startPython(
  emit: (text: string, stream: OutputStream) => void,
): Promise<{ host: PythonHost; engine: Engine }> {
  const python = await loadPython();
  const engine = referenceEngine('this session runs in Node');
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const host = PythonHost.connect(python, engine.bridge, {
    emit,
    flush: () => undefined,
    block: (milliseconds) => void Atomics.wait(cell, 0, 0, milliseconds),
    canSuspend: false,
  });
  return { host, engine };
}

/** The Session interface in Node. Runs block the thread, so `stop` can't be heard: give a timeLimit. */
export class NodeSession implements Session {
  private starting: Promise<{ host: PythonHost; engine: Engine }> | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private onOutput: RunOptions['onOutput'];
  state: Session['state'] = 'new';

  async start(onProgress?: (progress: Progress) => void): Promise<BackendInfo> {
    if (!this.starting) {
      this.state = 'loading';
      onProgress?.({ label: 'Starting Python' });
      this.starting = startPython((text, stream) => this.onOutput?.(text, stream));
    }
    const { engine } = await this.starting;
    if (this.state === 'loading') this.state = 'ready';
    return engine.info;
  }

  run(code: string, options: RunOptions = {}): Promise<RunResult> {
    return this.serially(options, async (host, limits) => {
      const start = performance.now();
      const { filename = 'main.py', args = [] } = options;
      const result = await host.run(code, { filename, args, ...limits });
      return { ...result, milliseconds: performance.now() - start, kernels: 0 };
    });
  }

  evaluate(
    expression: string,
    bindings: Readonly<Record<string, PyValue>> = {},
    options: RunOptions = {},
  ): Promise<EvaluateResult> {
    let output = '';
    const onOutput: RunOptions['onOutput'] = (text, stream) => {
      output += text;
      options.onOutput?.(text, stream);
    };
    return this.serially({ ...options, onOutput }, async (host, limits) => {
      const result = await host.evaluate(expression, bindings, limits);
      return { ...result, output };
    });
  }

  stop(): void {
    // See the class comment: nothing can run while Python does.
  }

  close(): void {
    this.starting = undefined;
    this.state = 'new';
  }

  private serially<T>(options: RunOptions, task: (host: PythonHost, limits: HostLimits) => Promise<T>): Promise<T> {
    const result = this.queue.then(async () => {
      await this.start();
      const { host } = await this.starting!;
      const { timeLimit = TIME_LIMIT, outputLimit = OUTPUT_LIMIT, trace = false } = options;
      this.onOutput = options.onOutput;
      this.state = 'running';
      try {
        return await task(host, { timeLimit, outputLimit, trace });
      } finally {
        this.onOutput = undefined;
        this.state = 'ready';
      }
    });
    this.queue = result.catch(() => undefined);
    return result;
  }
}
