/** Tensors from numbers. */
import { type DType, type HostData, isFloating } from '../formats/dtype';
import { toInteger, writeElements } from '../formats/host-elements';
import { checkScalar } from '../ops/elementwise';
import { TorchError } from '../ops/record';
import { checkInPlace, fresh } from './dispatch';
import type { Engine } from './engine';
import { FormulaNode, gradientEdge } from './node';
import { contiguousStrides, elementCount, type Shape, sizesText } from './shape';
import type { Device, Tensor } from './tensor';
import { rebaseHistory } from './view-autograd';

function checkSizes(shape: Shape): void {
  for (const size of shape) {
    if (size < 0)
      throw new TorchError(
        'RuntimeError',
        `Trying to create tensor with negative dimension ${size}: ${sizesText(shape)}`,
      );
  }
}

/** A leaf from host storage, which the caller may reuse. */
export function fromHost(engine: Engine, data: HostData, dtype: DType, device: Device, shape: Shape): Tensor {
  checkSizes(shape);
  if (data.length !== elementCount(shape))
    throw new Error(`fromHost: ${data.length} elements for shape ${sizesText(shape)}`);
  const backend = engine.backends[device];
  const t = fresh(engine, backend, backend.upload(dtype, data), shape, device);
  if (engine.tracer.on) engine.tracer.born(t.storage);
  return t;
}

/** A leaf from numbers, each rounded to `dtype` as torch.tensor does. */
export function fromValues(
  engine: Engine,
  values: ArrayLike<number>,
  dtype: DType,
  device: Device,
  shape: Shape,
): Tensor {
  return fromHost(engine, writeElements(dtype, values), dtype, device, shape);
}

/** Filled with one number. Errors as torch.full: a finite value out of range, unless there is just one element. */
export function full(engine: Engine, shape: Shape, value: number, dtype: DType, device: Device): Tensor {
  checkSizes(shape);
  const backend = engine.backends[device];
  const t = fresh(engine, backend, backend.allocate(dtype, elementCount(shape)), shape, device);
  backend.copyInto(t, { constant: constantOf(value, dtype), dtype });
  if (engine.tracer.on) engine.tracer.born(t.storage);
  return t;
}

const constantOf = (value: number, dtype: DType): number => (isFloating(dtype) ? value : toInteger(value, dtype));

/** The range check of fill_ and full: one floating element may overflow to inf, more raise. */
export function checkFill(value: number, dtype: DType, count: number): void {
  if (dtype === 'bool' || (count === 1 && isFloating(dtype))) return;
  checkScalar(value, dtype);
}

/** Replaces the contents of `t` by what `write` stores in it. The gradient of what was there before is zero. */
export function overwriteInPlace(engine: Engine, t: Tensor, gradName: string, write: () => void): void {
  const requires = engine.gradEnabled && t.requiresGrad;
  checkInPlace(engine, t, requires);
  let node: FormulaNode | null = null;
  if (requires) {
    node = new FormulaNode(gradName, ([g]) => [g === null ? null : full(engine, g.shape, 0, g.dtype, g.device)]);
    node.addEdge(gradientEdge(t));
    node.addOutput(t);
  }
  write();
  t.version.n++;
  if (node !== null) rebaseHistory(engine, t, node);
}

/** t.fill_(value). */
export function fillInPlace(engine: Engine, t: Tensor, value: number): void {
  checkFill(value, t.dtype, t.elementCount);
  overwriteInPlace(engine, t, 'FillBackward2', () =>
    t.storage.backend.copyInto(t, { constant: constantOf(value, t.dtype), dtype: t.dtype }),
  );
}

/** start, start + step, … before `end`: ceil((end - start) / step) elements, each computed in double (float32 and below: rounded once). */
export function arange(engine: Engine, start: number, end: number, step: number, dtype: DType, device: Device): Tensor {
  if (step === 0) throw new TorchError('RuntimeError', 'step must be nonzero');
  if (!Number.isFinite(start) || !Number.isFinite(end))
    throw new TorchError('RuntimeError', `unsupported range: ${start} -> ${end}`);
  if ((step > 0 && end < start) || (step < 0 && end > start)) {
    throw new TorchError('RuntimeError', 'upper bound and lower bound inconsistent with step sign');
  }
  const n = Math.ceil((end - start) / step);
  const values = new Float64Array(n);
  for (let i = 0; i < n; i++) values[i] = start + i * step;
  return fromValues(engine, values, dtype, device, [n]);
}

/** `steps` numbers from start to end. The second half counts back from the end, as PyTorch does. */
export function linspace(
  engine: Engine,
  start: number,
  end: number,
  steps: number,
  dtype: DType,
  device: Device,
): Tensor {
  if (steps < 0) throw new TorchError('RuntimeError', 'number of steps must be non-negative');
  const narrow = dtype === 'float64' || !isFloating(dtype) ? (x: number) => x : Math.fround;
  const a = narrow(start);
  const b = narrow(end);
  const step = narrow(narrow(b - a) / (steps - 1));
  const values = new Float64Array(steps);
  for (let i = 0; i < steps; i++)
    values[i] = i < steps / 2 ? narrow(a + narrow(step * i)) : narrow(b - narrow(step * (steps - 1 - i)));
  if (steps === 1) values[0] = a;
  return fromValues(engine, values, dtype, device, [steps]);
}

/** The index of each nonzero element (NaN counts), row-major: int64 of shape [count, rank]. */
export function nonzero(engine: Engine, t: Tensor, values: Float64Array): Tensor {
  const rank = t.shape.length;
  const steps = contiguousStrides(t.shape);
  const found: number[] = [];
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 0) continue;
    count++;
    for (let d = 0; d < rank; d++) found.push(Math.floor(i / steps[d]) % t.shape[d]);
  }
  return fromValues(engine, found, 'int64', t.device, [count, rank]);
}
