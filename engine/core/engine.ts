/** The engine: what a session holds. Tensors are made, read, moved and operated on here; the bridge gives it to Python. */
import type { Backend } from '../backends/backend';
import { type DType, isFloating } from '../formats/dtype';
import { readElements } from '../formats/host-elements';
import { type Attrs, TorchError } from '../ops/record';
import { Autocast } from './autocast';
import { GradientBuilder } from './builder';
import { full } from './creation';
import { call, callInPlace, checkInPlace, fresh, planOf, store } from './dispatch';
import { pool } from './lifetime';
import { DeviceCopyNode, FormulaNode, gradientEdge } from './node';
import { broadcastShapes, type Shape, sameShape, sizesText } from './shape';
import type { Device, Input, Tensor } from './tensor';
import { Tracer } from './trace';
import { attach, rebaseHistory } from './view-autograd';
import { expandView, sumToShape } from './views';

export class Engine {
  readonly backends: Readonly<Record<Device, Backend>>;
  gradEnabled = true;
  inferenceMode = false;
  /** set_detect_anomaly; `anomalyCheckNan` also reads every gradient. */
  anomalyMode = false;
  anomalyCheckNan = false;
  defaultDtype: DType = 'float32';
  /** True while a gradient formula runs: its ops are outside autocast. */
  autocastPaused = false;
  /** Names of Python's hooks, for messages. */
  readonly hookNames = new Map<number, string>();
  readonly autocast: Autocast;
  readonly tracer: Tracer;
  readonly builder: GradientBuilder;

  constructor(backends: { readonly cpu: Backend; readonly cuda: Backend }) {
    this.backends = backends;
    this.builder = new GradientBuilder(this);
    this.tracer = new Tracer((t) => this.read(t));
    this.autocast = new Autocast((t, dtype, forceGrad) => {
      const before = this.gradEnabled;
      if (forceGrad) this.gradEnabled = true;
      try {
        return this.cast(t, dtype);
      } finally {
        this.gradEnabled = before;
      }
    });
  }

  /** Any registered op. */
  op(name: string, inputs: readonly Input[], attrs: Attrs = {}): Tensor[] {
    return call(this, planOf(name), inputs, attrs);
  }

  /** Any registered op, stored in its first input. */
  opInPlace(name: string, inputs: readonly Input[], attrs: Attrs = {}): Tensor {
    return callInPlace(this, planOf(name), inputs, attrs);
  }

  /** Filled with one number; for range checks see creation.ts. */
  full(shape: Shape, value: number, dtype: DType, device: Device): Tensor {
    return full(this, shape, value, dtype, device);
  }

  // ---- copies ----

  /** A contiguous copy with a history. */
  clone(t: Tensor): Tensor {
    const { backend } = t.storage;
    const copy = fresh(this, backend, backend.contiguous(t), t.shape, t.device);
    if (this.tracer.on) this.tracer.copied(t.storage, copy.storage);
    attach(this, copy, 'CloneBackward0', [t], ([g]) => [g]);
    return copy;
  }

  /** `t` itself if it is contiguous. */
  contiguous(t: Tensor): Tensor {
    return t.contiguous ? t : this.clone(t);
  }

  /** A tensor on the same memory without a history. */
  detach(t: Tensor): Tensor {
    const view = t.alias();
    view.inference = t.inference;
    return view;
  }

  /** `t` in another dtype; a copy even if it has that dtype already. */
  cast(t: Tensor, dtype: DType): Tensor {
    const paused = this.autocastPaused;
    this.autocastPaused = true;
    try {
      return this.op('_to_copy', [t], { dtype })[0];
    } finally {
      this.autocastPaused = paused;
    }
  }

  /** `t` on another device: from cpu at once, from cuda a promise if the backend is asynchronous. */
  toDeviceAsync(t: Tensor, device: Device): Tensor | Promise<Tensor> {
    if (t.device === device) return t;
    const from = t.storage.backend;
    const to = this.backends[device];
    const source = from.contiguous(t);
    const data = from.read(source);
    from.release(source);
    const finish = (host: Awaited<typeof data>): Tensor => {
      const copy = fresh(this, to, to.upload(t.dtype, host), t.shape, device);
      if (this.tracer.on) this.tracer.copied(t.storage, copy.storage);
      if (this.gradEnabled && t.requiresGrad) {
        const back = t.device;
        const node = new DeviceCopyNode((g) => this.toDeviceAsync(g, back));
        node.addEdge(gradientEdge(t));
        node.addOutput(copy);
        copy.setGradFn(node, 0);
      }
      return copy;
    };
    if (!(data instanceof Promise)) return finish(data);
    t.refs++;
    return data.then((host) => {
      const copy = finish(host);
      pool.release(t);
      return copy;
    });
  }

  // ---- reading ----

  /** All elements as doubles, row-major. A promise where the backend is asynchronous. */
  read(t: Tensor): Float64Array | Promise<Float64Array> {
    const { backend } = t.storage;
    const whole = t.coversStorage;
    const buffer = whole ? t.buffer : backend.contiguous(t);
    const { dtype, shape } = t;
    const data = backend.read(buffer);
    if (!(data instanceof Promise)) {
      if (!whole) backend.release(buffer);
      return Float64Array.from(readElements({ dtype, shape, data }));
    }
    t.refs++;
    return data.then(
      (host) => {
        if (!whole) backend.release(buffer);
        pool.release(t);
        return Float64Array.from(readElements({ dtype, shape, data: host }));
      },
      (error: unknown) => {
        pool.release(t);
        throw error;
      },
    );
  }

  /** Goes on with the elements: at once, or in a promise where the backend is asynchronous (then it sweeps the pool itself). */
  whenRead<R>(t: Tensor, then: (values: Float64Array) => R): R | Promise<R> {
    const values = this.read(t);
    if (!(values instanceof Promise)) return then(values);
    t.refs++;
    return values.then(then).finally(() => {
      pool.release(t);
      this.sweep();
    });
  }

  /** As `read`, where the backend is known to be synchronous. */
  readNow(t: Tensor): Float64Array {
    const values = this.read(t);
    if (values instanceof Promise) throw new Error('readNow: the backend is asynchronous');
    return values;
  }

  // ---- autograd state ----

  withoutGrad<T>(body: () => T): T {
    const before = this.gradEnabled;
    this.gradEnabled = false;
    try {
      return body();
    } finally {
      this.gradEnabled = before;
    }
  }

  /** old += grad without a history, keeping the `.grad` object. */
  addInPlace(old: Tensor, grad: Tensor): void {
    this.withoutGrad(() => this.builderInPlace('add', old, grad));
  }

  private builderInPlace(name: string, target: Tensor, other: Tensor): void {
    const paused = this.autocastPaused;
    this.autocastPaused = true;
    try {
      callInPlace(this, planOf(name), [target, other], {});
    } finally {
      this.autocastPaused = paused;
    }
  }

  /** A formula's result summed down to `shape` and cast to `dtype`. */
  reduceGradient(grad: Tensor | null, shape: Shape, dtype: DType): Tensor | null {
    if (grad === null) return null;
    const summed = sameShape(grad.shape, shape) ? grad : sumToShape(this, grad, shape);
    return summed.dtype === dtype ? summed : this.cast(summed, dtype);
  }

  /** target.copy_(source): casts and broadcasts. */
  copyInPlace(target: Tensor, source: Tensor): void {
    const requires = this.gradEnabled && (target.requiresGrad || source.requiresGrad);
    checkInPlace(this, target, requires);
    const { dtype: fromDtype, shape: fromShape } = source;
    if (source.device !== target.device) throw new Error("copyInPlace: the source must be on the target's device");
    const common = broadcastShapes(target.shape, fromShape);
    if (!sameShape(common, target.shape)) {
      throw new TorchError(
        'RuntimeError',
        `output with shape ${sizesText(target.shape)} doesn't match the broadcast shape ${sizesText(common)}`,
      );
    }
    const backend = target.storage.backend;
    const value = this.withoutGrad(() => {
      const casted = source.dtype === target.dtype ? source : this.cast(source, target.dtype);
      return sameShape(casted.shape, target.shape) ? casted : expandView(this, casted, target.shape);
    });
    const node =
      requires && isFloating(target.dtype)
        ? new FormulaNode('CopyBackwards', ([g]) => [
            g === null ? null : this.full(g.shape, 0, g.dtype, g.device),
            g === null || !isFloating(fromDtype) ? null : this.reduceGradient(g, fromShape, fromDtype),
          ])
        : null;
    if (node !== null) {
      node.addEdge(gradientEdge(target));
      node.addEdge(gradientEdge(source));
      node.addOutput(target);
    }
    store(target, backend.contiguous(value));
    if (node !== null) rebaseHistory(this, target, node);
  }

  // ---- lifetime and back-pressure ----

  /** Disposes of what nobody owns: at the end of each call from outside, and between two nodes of a backward run, which owns its values in flight. */
  sweep(): void {
    pool.sweep();
  }

  congestedNow(): boolean {
    return this.backends.cuda.congested;
  }

  /** Waits for everything recorded so far; a synchronous backend has nothing to wait for and gives no promise. */
  finishAll(): void | Promise<void> {
    return this.backends.cuda.finish();
  }
}
