/**
 * The session in Node: Python in this process, both 'cpu' and 'cuda' tensors on the reference backend. `npm run py`, the exercise gate
 * and the unit tests use it.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputStream } from './python-host';
import { type HostRun, type Pyodide, PythonHost } from './python-host';

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

/** The engine's bridge on the reference backend. */
async function makeBridge(): Promise<unknown> {
  if (!existsSync(join(here, 'bridge.ts'))) return {};
  const path = './bridge';
  const { createBridge } = (await import(path)) as { createBridge: () => unknown };
  return createBridge();
}

/** Python connected with a fresh engine, writing to `emit`. */
export async function startPython(emit: (text: string, stream: OutputStream) => void): Promise<PythonHost> {
  const [python, bridge] = await Promise.all([loadPython(), makeBridge()]);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  return PythonHost.connect(python, bridge, {
    emit,
    flush: () => undefined,
    block: (milliseconds) => void Atomics.wait(cell, 0, 0, milliseconds),
    canSuspend: false,
  });
}

export type { HostRun };
