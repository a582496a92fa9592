/** Integer handles for tensors: what Python holds instead of objects. */
import type { Engine } from '../../core/engine';
import { pool } from '../../core/lifetime';
import type { Tensor } from '../../core/tensor';

export class Handles {
  private readonly tensors: (Tensor | null)[] = [null];
  private readonly unused: number[] = [];

  constructor(readonly engine: Engine) {}

  get(handle: number): Tensor {
    const t = this.tensors[handle];
    if (!t) throw new Error(`handle ${handle} is not a live tensor`);
    return t;
  }

  /** null for 0. */
  optional(handle: number): Tensor | null {
    return handle === 0 ? null : this.get(handle);
  }

  /** A new handle that owns `t`. */
  add(t: Tensor): number {
    t.refs++;
    const handle = this.unused.pop();
    if (handle === undefined) return this.tensors.push(t) - 1;
    this.tensors[handle] = t;
    return handle;
  }

  /** Consecutive handles; gives the first. */
  addAll(ts: readonly Tensor[]): number {
    if (ts.length === 1) return this.add(ts[0]);
    const first = this.tensors.length;
    for (const t of ts) {
      t.refs++;
      this.tensors.push(t);
    }
    return first;
  }

  free(handle: number): void {
    const t = this.tensors[handle];
    if (!t) throw new Error(`handle ${handle} is freed twice`);
    this.tensors[handle] = null;
    this.unused.push(handle);
    pool.release(t);
  }

  /** Handles in use. */
  get count(): number {
    return this.tensors.length - 1 - this.unused.length;
  }
}

/** Wraps every function so that the pool is swept when Python's call ends, well or badly. */
export function sweeping<T extends Record<string, (...args: never[]) => unknown>>(engine: Engine, functions: T): T {
  const out: Record<string, unknown> = {};
  for (const [name, f] of Object.entries(functions)) {
    out[name] = (...args: never[]) => {
      try {
        return f(...args);
      } finally {
        engine.sweep();
      }
    };
  }
  return out as T;
}
