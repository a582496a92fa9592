/**
 * Tensor = storage + dtype + shape + strides + offset + device + autograd state.
 *
 * Lifetime is counted, not collected: device memory must come back the moment Python drops a tensor. A tensor's `refs` are its owners
 * (a Python handle, a graph node that saved it, a view of it, a `.grad`). A tensor that nobody owns waits in the pool (lifetime.ts)
 * until the current call ends, so values in flight need no bookkeeping.
 */
import type { Backend, DeviceBuffer } from '../backends/backend';
import type { DType } from '../formats/dtype';
import type { Scalar, Value } from '../ops/record';
import { pool } from './lifetime';
import type { Node } from './node';
import { elementCount, isContiguous, type Shape } from './shape';

export type Device = 'cpu' | 'cuda';

let nextStorageId = 1;

/** A device buffer with its owners. In-place ops on the whole tensor swap a fresh buffer in. */
export class Storage {
  refs = 0;
  /** Stands for the address: equal exactly for tensors that share memory. */
  readonly id = nextStorageId++;
  constructor(
    readonly backend: Backend,
    public buffer: DeviceBuffer,
  ) {}

  /** Why nothing may be written here, where that is so. */
  writeProtection: string | null = null;

  private kept = false;

  /** Hands the buffer to a new owner; the next swap doesn't release it. Only when a swap is certain to follow. */
  keepBuffer(): DeviceBuffer {
    this.kept = true;
    return this.buffer;
  }

  swap(buffer: DeviceBuffer): void {
    if (!this.kept) this.backend.release(this.buffer);
    this.kept = false;
    this.buffer = buffer;
  }
}

/** Counts in-place writes. Shared by a base and its views and by detach(), not by `.data`. */
export interface VersionCounter {
  n: number;
}

/**
 * How a view came about, which decides whether autograd can follow an in-place write to it. Views that one function gives
 * together ('multi_output') may not be written to.
 */
export type ViewCreation = 'default' | 'no_grad' | 'multi_output';

/** What a differentiable view knows of its base, which is never itself a view. */
export interface ViewInfo {
  readonly base: Tensor;
  creation: ViewCreation;
  /** Which of the views that one function gave this is. */
  outputNr: number;
  /** The version at which this view's gradFn was last derived from its base's. */
  attrVersion: number;
  /** Derives the view's gradFn from its base's after an in-place write to either. */
  readonly refresh: (view: Tensor) => void;
}

/** A number operand: 0-dim, never in device memory, "wrapped" for type promotion. */
export class NumberOperand implements Value {
  readonly shape: Shape = [];
  constructor(
    readonly value: number,
    readonly kind: Scalar['kind'],
  ) {}
  get dtype(): DType {
    return this.kind === 'float' ? 'float32' : this.kind === 'int' ? 'int64' : 'bool';
  }
}

export type Input = Tensor | NumberOperand;

export class Tensor implements Value {
  refs = 0;
  disposed = false;
  /** Set by the user on a leaf; a non-leaf requires grad because it has a gradFn. */
  requiresGradFlag = false;
  /** The node that made this tensor, before views are brought up to date; read `gradFn`. */
  rawGradFn: Node | null = null;
  outputNr = 0;
  /** The leaf's AccumulateGrad node while some graph holds it. */
  accumulator: Node | null = null;
  grad: Tensor | null = null;
  viewInfo: ViewInfo | null = null;
  /** Ids of Python hooks of a leaf, in order (a non-leaf's live on its gradFn). */
  hooks: number[] | null = null;
  postAccumulateHooks: number[] | null = null;
  retainsGrad = false;
  /** Made under inference_mode. */
  inference = false;
  private contiguousCache: boolean | null = null;

  constructor(
    public storage: Storage,
    public dtype: DType,
    public shape: Shape,
    public strides: Shape,
    public offset: number,
    public device: Device,
    public version: VersionCounter,
  ) {
    storage.refs++;
    pool.add(this);
  }

  get elementCount(): number {
    return elementCount(this.shape);
  }

  get contiguous(): boolean {
    return (this.contiguousCache ??= isContiguous(this.shape, this.strides));
  }

  /** True if the tensor is all of its storage, in order: then its buffer can be used and replaced as it is. */
  get coversStorage(): boolean {
    return this.offset === 0 && this.contiguous && this.storage.buffer.length === this.elementCount;
  }

  get gradFn(): Node | null {
    const view = this.viewInfo;
    if (view !== null && view.attrVersion !== this.version.n) view.refresh(this);
    return this.rawGradFn;
  }

  get requiresGrad(): boolean {
    return this.requiresGradFlag || this.gradFn !== null;
  }

  get isLeaf(): boolean {
    return this.gradFn === null;
  }

  /** Makes `node` the history of this tensor. */
  setGradFn(node: Node | null, outputNr: number): void {
    if (node !== null) node.refs++;
    if (this.rawGradFn !== null) pool.releaseNode(this.rawGradFn);
    this.rawGradFn = node;
    this.outputNr = outputNr;
  }

  setGrad(grad: Tensor | null): void {
    if (grad === this.grad) return;
    if (grad !== null) grad.refs++;
    if (this.grad !== null) pool.release(this.grad);
    this.grad = grad;
  }

  /** Points the tensor at another storage and layout (`.data = …`). */
  setLayout(from: Tensor): void {
    from.storage.refs++;
    this.dropStorage();
    this.storage = from.storage;
    this.dtype = from.dtype;
    this.shape = from.shape;
    this.strides = from.strides;
    this.offset = from.offset;
    this.device = from.device;
    this.contiguousCache = null;
  }

  /** Another tensor on the same memory, sharing the version but no history: what detach() gives. */
  alias(): Tensor {
    return new Tensor(this.storage, this.dtype, this.shape, this.strides, this.offset, this.device, this.version);
  }

  dropStorage(): void {
    if (--this.storage.refs === 0) this.storage.backend.release(this.storage.buffer);
  }

  // The backend's View interface: a tensor is its own window on the buffer.
  get buffer(): DeviceBuffer {
    return this.storage.buffer;
  }
}
