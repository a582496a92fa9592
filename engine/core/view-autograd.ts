/**
 * In-place writes and views, as PyTorch tracks them (torch/csrc/autograd/functions/tensor.h: CopySlices, AsStridedBackward). After a write
 * to a view the base's history becomes a CopySlices node: outside the window gradients pass on to the base's old history,
 * inside they go through the op that wrote. Other views of the base derive their history anew when they are next used.
 */
import { TorchError } from '../ops/record';
import type { Engine } from './engine';
import { pool } from './lifetime';
import { FormulaNode, gradientEdge, Node } from './node';
import { contiguousStrides, hasInternalOverlap, type Shape } from './shape';
import { Storage, Tensor, type ViewCreation } from './tensor';

/** A window on a contiguous tensor of `baseShape`; strides and offset in elements. */
export interface Geometry {
  readonly baseShape: Shape;
  readonly shape: Shape;
  readonly strides: Shape;
  readonly offset: number;
}

/** The window of a contiguous copy of `base` that corresponds to `view` (PyTorch's TensorGeometry of a base that is contiguous). */
function geometryOf(view: Tensor, base: Tensor): Geometry {
  if (!base.contiguous) {
    throw new TorchError(
      'NotImplementedError',
      'in-place writes to a view of a non-contiguous tensor that autograd tracks are not supported here. Call .contiguous() on the base first.',
    );
  }
  return { baseShape: base.shape, shape: view.shape, strides: view.strides, offset: view.offset - base.offset };
}

/** Makes `node` the history of `target` after an in-place write (rebase_history in torch/csrc/autograd/variable.cpp). */
export function rebaseHistory(engine: Engine, target: Tensor, node: Node): void {
  const view = target.viewInfo;
  if (view === null) {
    target.setGradFn(node, 0);
    return;
  }
  const { base } = view;
  const copySlices = new CopySlices(engine, base, geometryOf(target, base), node);
  base.setGradFn(copySlices, 0);
  // The write moved the version on, so this view too takes its history from the base.
  view.attrVersion = -1;
  target.gradFn;
}

class CopySlices extends Node {
  readonly name = 'CopySlices';

  constructor(
    private readonly engine: Engine,
    base: Tensor,
    private readonly geometry: Geometry,
    private readonly inner: Node,
  ) {
    super();
    this.addOutput(base);
    this.addEdge(gradientEdge(base));
    // The written view's own gradient arrives through the base.
    for (let i = 1; i < inner.edges.length; i++) this.addEdge(inner.edges[i]);
    inner.refs++;
  }

  apply(gradOutputs: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    const { engine, geometry } = this;
    const grad = gradOutputs[0];
    if (grad === null) return this.edges.map(() => null);
    const results = this.inner.apply([window(engine, grad, geometry)]);
    const first = engine.reduceGradient(results[0] ?? null, geometry.shape, grad.dtype);
    return [replaceWindow(engine, grad, first, geometry), ...results.slice(1)];
  }

  override releaseSaved(): void {
    this.inner.releaseSaved();
  }

  override dispose(): void {
    super.dispose();
    pool.releaseNode(this.inner);
  }
}

/** Links a fresh view to its base: same version counter, and gradients that follow in-place writes. */
export function linkView(engine: Engine, view: Tensor, source: Tensor, creation: ViewCreation): void {
  const base = source.viewInfo?.base ?? source;
  base.refs++;
  view.viewInfo = {
    base,
    // A view of a view is as restricted as that is.
    creation: creation === 'default' ? (source.viewInfo?.creation ?? creation) : creation,
    outputNr: 0,
    attrVersion: view.version.n,
    refresh: (v) => refreshGradFn(engine, v),
  };
}

function refreshGradFn(engine: Engine, view: Tensor): void {
  const info = view.viewInfo;
  if (info === null) return;
  const { base } = info;
  if (view.rawGradFn === null && !base.requiresGrad) return;
  info.attrVersion = view.version.n;
  const geometry = geometryOf(view, base);
  const node = new FormulaNode('AsStridedBackward0', ([g]) => [g === null ? null : embed(engine, g, geometry)]);
  node.addEdge(gradientEdge(base));
  node.addOutput(view);
  view.setGradFn(node, 0);
}

/** grad (of the whole) -> its window: a view, whose own gradient is `embed`. */
export function window(engine: Engine, grad: Tensor, geometry: Geometry): Tensor {
  const whole = engine.contiguous(grad);
  const { shape, strides, offset } = geometry;
  const view = new Tensor(
    whole.storage,
    whole.dtype,
    shape,
    strides,
    whole.offset + offset,
    whole.device,
    whole.version,
  );
  attach(engine, view, 'AsStridedBackward0', [whole], ([g]) => [g === null ? null : embed(engine, g, geometry)]);
  return view;
}

/** Zeros of the whole with `grad` in the window; the adjoint of `window`. Elements that the window repeats are summed. */
export function embed(engine: Engine, grad: Tensor, geometry: Geometry): Tensor {
  const { shape, strides } = geometry;
  const repeated: number[] = [];
  for (let d = 0; d < shape.length; d++) if (strides[d] === 0 && shape[d] > 1) repeated.push(d);
  if (repeated.length > 0) {
    const summed = engine.builder.sum(grad, repeated, true) as Tensor;
    return embed(engine, summed, { ...geometry, shape: summed.shape });
  }
  if (hasInternalOverlap(shape, strides)) {
    throw new TorchError(
      'NotImplementedError',
      'gradients of as_strided with overlapping memory are not supported here',
    );
  }
  return replaceWindow(engine, engine.full(geometry.baseShape, 0, grad.dtype, grad.device), grad, geometry);
}

/** A copy of `whole` with the window replaced by `part` (zeros for null). */
function replaceWindow(engine: Engine, whole: Tensor, part: Tensor | null, geometry: Geometry): Tensor {
  const backend = whole.storage.backend;
  const buffer = backend.contiguous(whole);
  const { baseShape, shape, strides, offset } = geometry;
  const destination = { buffer, dtype: whole.dtype, shape, strides, offset };
  backend.copyInto(destination, part ?? { constant: 0, dtype: whole.dtype });
  const result = new Tensor(
    new Storage(backend, buffer),
    whole.dtype,
    baseShape,
    contiguousStrides(baseShape),
    0,
    whole.device,
    { n: 0 },
  );
  attach(engine, result, 'CopySlices', [whole, part], ([g]) => {
    if (g === null) return [null, null];
    return [replaceWindow(engine, g, null, geometry), part === null ? null : window(engine, g, geometry)];
  });
  return result;
}

/** Gives `output` a history whose formula is a closure, if grad mode and an input ask for it. */
export function attach(
  engine: Engine,
  output: Tensor,
  name: string,
  inputs: readonly (Tensor | null)[],
  formula: (gradOutputs: readonly (Tensor | null)[]) => readonly (Tensor | null)[],
): void {
  if (!engine.gradEnabled || !inputs.some((x) => x?.requiresGrad)) return;
  const node = new FormulaNode(name, formula);
  for (const x of inputs) node.addEdge(x === null ? null : gradientEdge(x));
  node.addOutput(output);
  output.setGradFn(node, 0);
}
