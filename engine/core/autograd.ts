/**
 * Backward as a resumable machine. It runs in TypeScript until Python has to run something (a hook, a custom Function's backward) or
 * the device has to catch up; then it returns, and goes on when Python calls `resume`. (Python may read from the GPU, which suspends
 * the wasm stack, and that is impossible with JavaScript frames below it.)
 *
 * The order is PyTorch's (torch/csrc/autograd/engine.cpp): among the nodes whose gradients are complete, the one made last in
 * the forward runs first, and accumulation into leaves comes before everything. The order decides in which sequence gradients are added up, which is
 * visible in 16-bit dtypes.
 */
import { TorchError } from '../ops/record';
import { deviceText, tensorTypeName } from './dtype-names';
import type { Engine } from './engine';
import { pool } from './lifetime';
import { AccumulateGrad, DeviceCopyNode, type Edge, gradientEdge, type Node, type OutputMeta } from './node';
import { PythonFunctionNode } from './python-function';
import { isExpandableTo, sameShape, sizesText } from './shape';
import type { Tensor } from './tensor';
import type { Tracer } from './trace';
import { retainGrad } from './variable';
import { sumToShape } from './views';

/** What Python has to do before the machine can go on. */
export type Pause =
  /** Call the hook with the gradient; resume with its result, or null to keep the gradient. */
  | { readonly kind: 'hook'; readonly id: number; readonly grad: Tensor }
  /** Call the hook with the parameter; resume with nothing. */
  | { readonly kind: 'post-accumulate'; readonly id: number; readonly tensor: Tensor }
  /** Call the Function's backward; resume with one gradient or null per tensor input. */
  | {
      readonly kind: 'function';
      readonly node: PythonFunctionNode;
      readonly grads: readonly (Tensor | null)[];
      readonly release: boolean;
    }
  /** Wait for the promise. */
  | { readonly kind: 'wait'; readonly promise: Promise<void> };

export interface BackwardOptions {
  readonly outputs: readonly Tensor[];
  /** One for each output; null means ones, allowed for one-element outputs only. */
  readonly grads: readonly (Tensor | null)[];
  /** null: accumulate into every leaf (`backward()`). Else the tensors whose gradients are asked for. */
  readonly inputs: readonly Tensor[] | null;
  readonly retainGraph: boolean;
  readonly createGraph: boolean;
  /** With `inputs`: accumulate into their `.grad` (backward(inputs=…)) instead of returning gradients (autograd.grad). */
  readonly accumulate: boolean;
  readonly allowUnused: boolean;
}

type Machine = Generator<Pause, void, readonly (Tensor | null)[]>;

export class BackwardRun {
  private readonly machine: Machine;
  private readonly ready: Node[] = [];
  private readonly dependencies = new Map<Node, number>();
  private readonly buffers = new Map<Node, (Tensor | null)[]>();
  /** With `inputs`: the nodes worth running. */
  private needed: Set<Node> | null = null;
  private readonly roots = new Set<Node>();
  private readonly captures = new Map<Node, { readonly nr: number; readonly slot: number }[]>();
  /** Gradients of `inputs`, once done. */
  readonly results: (Tensor | null)[] = [];
  pause: Pause | null = null;
  /** Grad mode and phase to go back to. */
  private outer: { readonly grad: boolean; readonly phase: Tracer['phase'] } | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly options: BackwardOptions,
  ) {
    this.prepare(this.checkRoots());
    this.machine = this.execute();
  }

  /** Runs until the next pause (returned) or the end (null). */
  resume(reply: readonly (Tensor | null)[] = []): Pause | null {
    const { engine } = this;
    this.outer ??= { grad: engine.gradEnabled, phase: engine.tracer.phase };
    // Python's part too runs in this mode: hooks see grad mode off unless create_graph.
    engine.gradEnabled = this.options.createGraph;
    engine.tracer.phase = 'backward';
    try {
      const step = this.machine.next(reply);
      this.pause = step.done ? null : step.value;
      if (step.done) this.leave();
      return this.pause;
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  private leave(): void {
    if (this.outer !== null) {
      this.engine.gradEnabled = this.outer.grad;
      this.engine.tracer.phase = this.outer.phase;
      this.outer = null;
    }
    for (const node of this.roots) pool.releaseNode(node);
    this.roots.clear();
  }

  /** Drops everything in flight, after an error in Python. */
  abandon(): void {
    this.leave();
    for (const buffer of this.buffers.values()) for (const g of buffer) if (g !== null) pool.release(g);
    this.buffers.clear();
    for (const g of this.results) if (g !== null) pool.release(g);
    this.results.length = 0;
  }

  private checkRoots(): { edge: Edge; grad: Tensor }[] {
    const { outputs, grads } = this.options;
    return outputs.map((y, i) => {
      let grad = grads[i] ?? null;
      if (grad === null) {
        if (y.requiresGrad && y.elementCount !== 1) {
          throw new TorchError('RuntimeError', 'grad can be implicitly created only for scalar outputs');
        }
      } else if (!sameShape(grad.shape, y.shape)) {
        throw new TorchError(
          'RuntimeError',
          `Mismatch in shape: grad_output[${i}] has a shape of torch.Size(${sizesText(grad.shape)}) and output[${i}] has a shape of torch.Size(${sizesText(y.shape)}).`,
        );
      }
      const edge = gradientEdge(y);
      if (edge === null) {
        throw new TorchError(
          'RuntimeError',
          `element ${i} of tensors does not require grad and does not have a grad_fn`,
        );
      }
      grad ??= this.engine.full(y.shape, 1, y.dtype, y.device);
      return { edge, grad };
    });
  }

  /** Notes which gradients are wanted, counts dependencies and puts the first gradients in place. */
  private prepare(roots: readonly { edge: Edge; grad: Tensor }[]): void {
    const { options } = this;
    options.inputs?.forEach((x, slot) => {
      const edge = gradientEdge(x);
      if (edge === null)
        throw new TorchError('RuntimeError', 'One of the differentiated Tensors does not require grad');
      this.results.push(null);
      const list = this.captures.get(edge.node) ?? [];
      this.captures.set(edge.node, list);
      if (options.accumulate) retainGrad(x);
      else list.push({ nr: edge.nr, slot });
    });
    this.countDependencies(roots.map((r) => r.edge.node));
    for (const { edge, grad } of roots) {
      this.accumulate(edge, this.validate(grad, edge.node.outputs[edge.nr], 'GraphRoot', 0));
    }
    for (const {
      edge: { node },
    } of roots) {
      if (this.roots.has(node)) continue;
      node.refs++; // the learner may drop the loss while a hook runs
      this.roots.add(node);
      if ((this.dependencies.get(node) ?? 0) === 0) this.push(node);
    }
  }

  private *execute(): Machine {
    const { engine, options } = this;
    for (;;) {
      const node = this.ready.pop();
      if (node === undefined) break;
      node.refs++;
      yield* this.evaluate(node);
      pool.releaseNode(node);
      engine.sweep();
      if (engine.congestedNow()) yield { kind: 'wait', promise: Promise.resolve(engine.finishAll()) };
    }

    if (options.inputs !== null && !options.accumulate && !options.allowUnused) {
      const unused = this.results.indexOf(null);
      if (unused >= 0) {
        throw new TorchError(
          'RuntimeError',
          `The differentiated Tensor at index ${unused} appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.`,
        );
      }
    }
  }

  /** How many gradients each reachable node waits for; with `inputs`, also which nodes lead to one of them. */
  private countDependencies(roots: readonly Node[]): void {
    const order: Node[] = [];
    const seen = new Set<Node>();
    const stack: { node: Node; next: number }[] = [];
    for (const root of roots) {
      if (seen.has(root)) continue;
      seen.add(root);
      stack.push({ node: root, next: 0 });
      while (stack.length > 0) {
        const top = stack[stack.length - 1];
        if (top.next === top.node.edges.length) {
          order.push(top.node);
          stack.pop();
          continue;
        }
        const edge = top.node.edges[top.next++];
        if (edge === null) continue;
        this.dependencies.set(edge.node, (this.dependencies.get(edge.node) ?? 0) + 1);
        if (!seen.has(edge.node)) {
          seen.add(edge.node);
          stack.push({ node: edge.node, next: 0 });
        }
      }
    }
    if (this.options.inputs === null) return;
    // Children come before parents in `order`.
    this.needed = new Set();
    for (const node of order) {
      if (this.captures.has(node) && node instanceof AccumulateGrad && this.options.accumulate) this.needed.add(node);
      else if (node.edges.some((e) => e !== null && (this.needed?.has(e.node) || this.captures.has(e.node))))
        this.needed.add(node);
    }
  }

  private push(node: Node): void {
    // Sorted by sequence; the last one runs next. Graphs are narrow, so insertion from the end is quick.
    const { ready } = this;
    let i = ready.length;
    while (i > 0 && ready[i - 1].sequence > node.sequence) i--;
    ready.splice(i, 0, node);
  }

  private accumulate(edge: Edge, grad: Tensor): void {
    let buffer = this.buffers.get(edge.node);
    if (buffer === undefined)
      this.buffers.set(edge.node, (buffer = new Array<Tensor | null>(edge.node.outputs.length).fill(null)));
    const old = buffer[edge.nr];
    const sum = old === null ? grad : (this.engine.builder.add(old, grad) as Tensor);
    sum.refs++;
    if (old !== null) pool.release(old);
    buffer[edge.nr] = sum;
  }

  private *evaluate(node: Node): Machine {
    const { engine, options } = this;
    const buffer = this.buffers.get(node);
    if (buffer === undefined) return;
    try {
      const needed = this.needed === null || this.needed.has(node);
      // PyTorch captures after the hooks at the ends of a grad() call, before them on the way to other inputs.
      if (needed) this.capture(node, buffer);
      yield* this.runTensorHooks(node, buffer);
      if (!needed) this.capture(node, buffer);
      this.keepRetained(node, buffer);
      if (!needed) return;
      if (node instanceof AccumulateGrad) {
        const grad = buffer[0];
        if (grad !== null) yield* this.accumulateLeaf(node.variable, grad);
        return;
      }
      let results: readonly (Tensor | null)[];
      if (buffer.every((g) => g === null)) results = node.edges.map(() => null);
      else if (node instanceof PythonFunctionNode) {
        results = yield { kind: 'function', node, grads: buffer, release: !options.retainGraph };
      } else if (node instanceof DeviceCopyNode) {
        const [grad] = buffer;
        results = grad === null ? [null] : [yield* this.arrived(node.move(grad))];
      } else {
        engine.tracer.forwardLine = node.line;
        results = node.apply(buffer);
      }
      for (const r of results) if (r !== null) r.refs++;
      try {
        if (!options.retainGraph) node.releaseSaved();
        for (let i = 0; i < node.edges.length; i++) {
          const edge = node.edges[i];
          if (edge === null) continue;
          const g = results[i] ?? null;
          if (g !== null) {
            const meta = edge.node.outputs[edge.nr];
            let valid = this.validate(g, meta, node.name, i);
            if (valid.device !== meta.device) valid = yield* this.arrived(engine.toDeviceAsync(valid, meta.device));
            if (engine.anomalyCheckNan && (yield* this.hasNan(valid))) {
              throw new TorchError('RuntimeError', `Function '${node.name}' returned nan values in its ${i}th output.`);
            }
            if (this.needed === null || this.needed.has(edge.node) || this.captures.has(edge.node))
              this.accumulate(edge, valid);
          }
          const left = (this.dependencies.get(edge.node) ?? 0) - 1;
          this.dependencies.set(edge.node, left);
          if (left === 0) {
            if (this.buffers.has(edge.node)) this.push(edge.node);
            else this.skip(edge.node);
          }
        }
      } finally {
        for (const r of results) if (r !== null) pool.release(r);
      }
    } finally {
      engine.tracer.forwardLine = null;
      this.buffers.delete(node);
      for (const g of buffer) if (g !== null) pool.release(g);
    }
  }

  /** A node that no gradient reached still releases those behind it. */
  private skip(node: Node): void {
    const stack = [node];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      for (const edge of next.edges) {
        if (edge === null) continue;
        const left = (this.dependencies.get(edge.node) ?? 0) - 1;
        this.dependencies.set(edge.node, left);
        if (left !== 0) continue;
        if (this.buffers.has(edge.node)) this.push(edge.node);
        else stack.push(edge.node);
      }
    }
  }

  private *runTensorHooks(node: Node, buffer: (Tensor | null)[]): Machine {
    if (node instanceof AccumulateGrad) {
      const { hooks } = node.variable;
      if (hooks !== null) for (const id of [...hooks]) yield* this.callHook(id, buffer, 0);
    } else if (node.preHooks !== null)
      for (const { nr, id } of [...node.preHooks]) yield* this.callHook(id, buffer, nr);
  }

  private *callHook(id: number, buffer: (Tensor | null)[], nr: number): Machine {
    const grad = buffer[nr];
    if (grad === null) return;
    const [replacement] = yield { kind: 'hook', id, grad };
    if (!replacement) return;
    const name = this.engine.hookNames.get(id) ?? '<unknown>';
    if (replacement.dtype !== grad.dtype || replacement.device !== grad.device) {
      throw new TorchError(
        'RuntimeError',
        `hook '${name}' has changed the type of value (was ${tensorTypeName(grad)} got ${tensorTypeName(replacement)})`,
      );
    }
    if (!sameShape(replacement.shape, grad.shape)) {
      throw new TorchError('RuntimeError', `hook '${name}' has changed the size of value`);
    }
    replacement.refs++;
    pool.release(grad);
    buffer[nr] = replacement;
  }

  private capture(node: Node, buffer: readonly (Tensor | null)[]): void {
    for (const { nr, slot } of this.captures.get(node) ?? []) {
      const g = buffer[nr];
      if (g === null) continue;
      g.refs++;
      this.results[slot] = g;
    }
  }

  private keepRetained(node: Node, buffer: readonly (Tensor | null)[]): void {
    node.retained?.forEach((t, nr) => {
      const g = buffer[nr];
      if (t === undefined || t.disposed || g === null || g === undefined) return;
      if (t.grad === null) t.setGrad(this.engine.clone(g));
      else t.setGrad(this.engine.builder.add(t.grad, g) as Tensor);
    });
  }

  private *accumulateLeaf(variable: Tensor, grad: Tensor): Machine {
    const { engine, options } = this;
    const { grad: old } = variable;
    if (old === null) {
      // Steal the gradient if nobody else can see it, else copy: `.grad` must not share memory with anything.
      const stealable = !options.createGraph && grad.refs === 1 && grad.storage.refs === 1 && grad.coversStorage;
      if (stealable) variable.setGrad(grad.requiresGrad ? grad.alias() : grad);
      else variable.setGrad(options.createGraph ? engine.clone(grad) : engine.withoutGrad(() => engine.clone(grad)));
    } else if (options.createGraph) variable.setGrad(engine.builder.add(old, grad) as Tensor);
    else engine.addInPlace(old, grad);
    if (variable.postAccumulateHooks !== null) {
      for (const id of [...variable.postAccumulateHooks]) yield { kind: 'post-accumulate', id, tensor: variable };
    }
  }

  /** A gradient brought to the shape and dtype of the forward's output, or PyTorch's error (validate_outputs in engine.cpp). */
  private validate(grad: Tensor, meta: OutputMeta, name: string, index: number): Tensor {
    const { engine } = this;
    if (!sameShape(grad.shape, meta.shape)) {
      if (!isExpandableTo(meta.shape, grad.shape)) {
        throw new TorchError(
          'RuntimeError',
          `Function ${name} returned an invalid gradient at index ${index} - got ${sizesText(grad.shape)} but expected shape compatible with ${sizesText(meta.shape)}`,
        );
      }
      grad = sumToShape(engine, grad, meta.shape);
    }
    if (grad.dtype !== meta.dtype) grad = engine.cast(grad, meta.dtype);
    if (grad.device !== meta.device && grad.shape.length > 0) {
      throw new TorchError(
        'RuntimeError',
        `Function ${name} returned an invalid gradient at index ${index} - expected device ${deviceText(meta.device)} but got ${deviceText(grad.device)}`,
      );
    }
    return grad;
  }

  /** Waits for a tensor that may be on its way from a device, and owns it meanwhile. */
  private *arrived(moving: Tensor | Promise<Tensor>): Generator<Pause, Tensor, readonly (Tensor | null)[]> {
    if (!(moving instanceof Promise)) return moving;
    const landed: Tensor[] = [];
    yield {
      kind: 'wait',
      promise: moving.then((t) => {
        t.refs++;
        landed.push(t);
      }),
    };
    if (landed.length === 0) throw new Error('resumed before the copy was done');
    landed[0].refs--; // still in the pool's list or about to be owned by a buffer
    pool.add(landed[0]);
    return landed[0];
  }

  private *hasNan(grad: Tensor): Generator<Pause, boolean, readonly (Tensor | null)[]> {
    const read = this.engine.read(grad);
    let values: Float64Array;
    if (read instanceof Promise) {
      let arrived: Float64Array | null = null;
      yield { kind: 'wait', promise: read.then((v) => void (arrived = v)) };
      if (arrived === null) throw new Error('resumed before the read was done');
      values = arrived;
    } else values = read;
    return values.some((x) => Number.isNaN(x));
  }
}
