/** The graph node of a Python `torch.autograd.Function`: its backward is Python code, run by the machine's caller. */
import { TorchError } from '../ops/record';
import { pool } from './lifetime';
import { freedBuffersText, Node, SavedTensor } from './node';
import type { Tensor } from './tensor';

export class PythonFunctionNode extends Node {
  private saved: (SavedTensor | null)[] | null = [];
  private hadSaved = false;

  /** `id` is Python's key of the context; it is handed back by `takeReleasedCallbacks` when the node goes. */
  constructor(
    readonly name: string,
    readonly id: number,
  ) {
    super();
  }

  /** save_for_backward. An output of this node is named by its number, so that the node doesn't own itself. */
  save(tensors: readonly (Tensor | null)[]): void {
    this.hadSaved = tensors.length > 0;
    this.saved = tensors.map((t) => {
      if (t === null) return null;
      const own = t.rawGradFn === this;
      return own ? new SavedTensor(t.alias(), t.outputNr) : new SavedTensor(t, -1);
    });
  }

  /** ctx.saved_tensors. */
  unpack(anomaly: boolean): (Tensor | null)[] {
    if (this.saved === null) throw new TorchError('RuntimeError', freedBuffersText);
    return this.saved.map((s) => (s === null ? null : s.unpack(this, anomaly)));
  }

  apply(): never {
    throw new Error('a Python function is run by the backward machine');
  }

  override releaseSaved(): void {
    if (this.saved === null || !this.hadSaved) return;
    for (const s of this.saved) s?.release();
    this.saved = null;
  }

  override dispose(): void {
    super.dispose();
    pool.releaseCallback(this.id);
  }
}
