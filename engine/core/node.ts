/**
 * The backward graph. A node stands for one forward op; its edges lead to the nodes that made the op's inputs. Gradients enter a node
 * by output number and leave it by input number.
 */
import type { DType } from '../formats/dtype';
import { TorchError } from '../ops/record';
import { tensorTypeName } from './dtype-names';
import { pool } from './lifetime';
import { type Shape, sizesText } from './shape';
import type { Device, Tensor } from './tensor';

export interface Edge {
  readonly node: Node;
  readonly nr: number;
}

/** What a gradient arriving at an output must look like. */
export interface OutputMeta {
  readonly dtype: DType;
  readonly shape: Shape;
  readonly device: Device;
}

let nextSequence = 0;

export const freedBuffersText =
  'Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). ' +
  'Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you ' +
  'need to backward through the graph a second time or if you need to access saved tensors after calling backward.';

export abstract class Node {
  refs = 0;
  disposed = false;
  /** Later ops have higher numbers and run first in backward, which fixes the order in which gradients are added up. */
  readonly sequence: number;
  readonly edges: (Edge | null)[] = [];
  readonly outputs: OutputMeta[] = [];
  /** Python hooks on the gradient of an output. */
  preHooks: { readonly nr: number; readonly id: number }[] | null = null;
  /** Tensors that asked to keep their gradient, by output number. Not owned: a tensor that is gone needs no gradient. */
  retained: (Tensor | undefined)[] | null = null;
  /** The learner's line that ran the forward op, where it was traced. */
  line: number | null = null;

  constructor(sequence = nextSequence++) {
    this.sequence = sequence;
    pool.addNode(this);
  }

  /** As `grad_fn` prints it: "AddBackward0". */
  abstract readonly name: string;

  /** As messages name it: "Add" for AddBackward0, "Max1" for MaxBackward1. */
  get opName(): string {
    return this.name.replace(/Backward0$/, '').replace(/Backward(\d*)$/, '$1');
  }

  /** next_functions, as Python sees them. */
  get nextEdges(): readonly (Edge | null)[] {
    return this.edges;
  }

  addEdge(edge: Edge | null): void {
    if (edge !== null) edge.node.refs++;
    this.edges.push(edge);
  }

  addOutput(t: Tensor): number {
    this.outputs.push({ dtype: t.dtype, shape: t.shape, device: t.device });
    return this.outputs.length - 1;
  }

  /** Gradients of the inputs from those of the outputs. Raises the "second time" error if the saved tensors are gone. */
  abstract apply(gradOutputs: readonly (Tensor | null)[]): readonly (Tensor | null)[];

  /** Drops the saved tensors after a backward without retain_graph. */
  releaseSaved(): void {}

  dispose(): void {
    this.releaseSaved();
    for (const edge of this.edges) if (edge !== null) pool.releaseNode(edge.node);
    if (this.preHooks !== null) for (const hook of this.preHooks) pool.releaseCallback(hook.id);
  }
}

/** A node whose formula is a closure over shapes and attributes: views and other ops that save no tensors. */
export class FormulaNode extends Node {
  constructor(
    readonly name: string,
    private readonly formula: (gradOutputs: readonly (Tensor | null)[]) => readonly (Tensor | null)[],
  ) {
    super();
  }

  apply(gradOutputs: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    return this.formula(gradOutputs);
  }
}

/** The history of a copy between devices: its gradient moves back, for which the machine may have to wait. */
export class DeviceCopyNode extends Node {
  readonly name = 'ToCopyBackward0';

  constructor(readonly move: (grad: Tensor) => Tensor | Promise<Tensor>) {
    super();
  }

  apply(): never {
    throw new Error('a copy between devices is run by the backward machine');
  }
}

/** Adds the gradient to the leaf's `.grad`. Runs as soon as it is ready, so its sequence is the highest of all. */
export class AccumulateGrad extends Node {
  readonly name = 'AccumulateGrad';

  constructor(readonly variable: Tensor) {
    super(Number.POSITIVE_INFINITY);
    variable.refs++;
    this.addOutput(variable);
  }

  apply(): never {
    throw new Error('AccumulateGrad is run by the backward machine');
  }

  override dispose(): void {
    super.dispose();
    if (this.variable.accumulator === this) this.variable.accumulator = null;
    pool.release(this.variable);
  }
}

/** Where the gradient of `t` goes: to the node that made it, to a leaf's accumulator, or nowhere. */
export function gradientEdge(t: Tensor): Edge | null {
  const gradFn = t.gradFn;
  if (gradFn !== null) return { node: gradFn, nr: t.outputNr };
  if (!t.requiresGradFlag) return null;
  return { node: (t.accumulator ??= new AccumulateGrad(t)), nr: 0 };
}

/** A tensor kept for backward, with the version that it had: an in-place write in between is an error at unpacking. */
export class SavedTensor {
  private readonly version: number;

  /** `outputNr` >= 0: the tensor is this output of the node that saves it, which must not own its own output. */
  constructor(
    private readonly tensor: Tensor,
    private readonly outputNr: number,
  ) {
    if (tensor.inference) {
      throw new TorchError(
        'RuntimeError',
        'Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.',
      );
    }
    tensor.refs++;
    this.version = tensor.version.n;
  }

  unpack(node: Node, anomaly: boolean): Tensor {
    const t = this.tensor;
    if (t.version.n !== this.version) {
      const gradFn = this.outputNr >= 0 ? node : t.gradFn;
      const nr = this.outputNr >= 0 ? this.outputNr : t.outputNr;
      const origin = gradFn === null ? '' : `, which is output ${nr} of ${gradFn.opName},`;
      const hint = anomaly
        ? 'Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed in there or anywhere later. Good luck!'
        : 'Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).';
      throw new TorchError(
        'RuntimeError',
        `one of the variables needed for gradient computation has been modified by an inplace operation: [${tensorTypeName(t)} ${sizesText(t.shape)}]${origin} is at version ${t.version.n}; expected version ${this.version} instead. ${hint}`,
      );
    }
    if (this.outputNr < 0) return t;
    // An output is saved without its history; the graph is reconnected here, for create_graph.
    const again = t.alias();
    again.setGradFn(node, this.outputNr);
    return again;
  }

  release(): void {
    pool.release(this.tensor);
  }
}
