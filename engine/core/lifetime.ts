/**
 * The pool of tensors and graph nodes without owners. They are disposed of when the running call ends (`sweep`), not at once, so that
 * code in the middle of an op may drop its last reference and go on using the value. Disposal is a loop, not a recursion: a graph may be
 * tens of thousands of nodes deep.
 */
import type { Node } from './node';
import type { Tensor } from './tensor';

class Pool {
  private tensors: Tensor[] = [];
  private nodes: Node[] = [];
  /** Ids of Python objects (hooks, custom functions) that the engine no longer refers to. */
  private callbackIds: number[] = [];

  add(t: Tensor): void {
    this.tensors.push(t);
  }

  release(t: Tensor): void {
    if (--t.refs === 0) this.tensors.push(t);
  }

  releaseNode(node: Node): void {
    if (--node.refs === 0) this.nodes.push(node);
  }

  addNode(node: Node): void {
    this.nodes.push(node);
  }

  releaseCallback(id: number): void {
    this.callbackIds.push(id);
  }

  takeReleasedCallbacks(): number[] {
    const ids = this.callbackIds;
    this.callbackIds = [];
    return ids;
  }

  /** Disposes of everything that still has no owner. Only at the outermost level of a call. */
  sweep(): void {
    for (;;) {
      const t = this.tensors.pop();
      if (t !== undefined) {
        if (t.refs === 0 && !t.disposed) this.disposeTensor(t);
        continue;
      }
      const node = this.nodes.pop();
      if (node === undefined) return;
      if (node.refs === 0 && !node.disposed) {
        node.disposed = true;
        node.dispose();
      }
    }
  }

  private disposeTensor(t: Tensor): void {
    t.disposed = true;
    t.dropStorage();
    if (t.rawGradFn !== null) this.releaseNode(t.rawGradFn);
    if (t.grad !== null) this.release(t.grad);
    if (t.viewInfo !== null) this.release(t.viewInfo.base);
    if (t.hooks !== null) for (const id of t.hooks) this.releaseCallback(id);
    if (t.postAccumulateHooks !== null) for (const id of t.postAccumulateHooks) this.releaseCallback(id);
  }
}

export const pool = new Pool();
