/** Making, describing, reading, copying tensors. */
import * as creation from '../../core/creation';
import type { Engine } from '../../core/engine';
import type { Device } from '../../core/tensor';
import { allocateHost, type DType, type HostData, isHalf } from '../../formats/dtype';
import { writeElements } from '../../formats/host-elements';
import { TorchError } from '../../ops/record';
import type { Handles } from './handles';

/** "cpu" or "cuda", from what Python's device says ("cuda:0" too). */
export function deviceOf(name: string): Device {
  if (name === 'cpu') return 'cpu';
  if (name === 'cuda' || name === 'cuda:0') return 'cuda';
  throw new TorchError('RuntimeError', `the device '${name}' is not supported here. Use 'cpu' or 'cuda'.`);
}

export function tensorFunctions(engine: Engine, handles: Handles) {
  const get = (h: number) => handles.get(h);
  return {
    /** meta(h): `dtype|device|shape|strides|offset|requires_grad|is_leaf|gradName`; lists comma-separated, booleans 1 or 0, gradName '' for none. */
    meta(h: number): string {
      const t = get(h);
      const gradFn = t.gradFn;
      return `${t.dtype}|${t.device}|${t.shape.join(',')}|${t.strides.join(',')}|${t.offset}|${t.requiresGrad ? 1 : 0}|${gradFn === null ? 1 : 0}|${gradFn === null ? '' : gradFn.name}`;
    },
    /** values(h): all elements as a Float64Array, row-major; a promise on an asynchronous backend. */
    values: (h: number): Float64Array | Promise<Float64Array> => engine.read(get(h)),
    /** item(h): the only element; a promise on an asynchronous backend. Errors: not one element. */
    item(h: number): number | Promise<number> {
      const t = get(h);
      if (t.elementCount !== 1) {
        throw new TorchError('RuntimeError', `a Tensor with ${t.elementCount} elements cannot be converted to Scalar`);
      }
      const values = engine.read(t);
      return values instanceof Promise ? values.then((v) => v[0]) : values[0];
    },
    /** bits(h): the elements' bit patterns, hex, space-separated, row-major ("3c00 4000"); integers and bool in decimal. A promise on an asynchronous backend. */
    bits(h: number): string | Promise<string> {
      const t = get(h);
      const { dtype } = t;
      const values = engine.read(t);
      return values instanceof Promise ? values.then((v) => bitsText(dtype, v)) : bitsText(dtype, values);
    },
    /** bits_all(h, …): bits() of each, one a line; the reads of an asynchronous backend run side by side. */
    bits_all(...all: number[]): string | Promise<string> {
      const tensors = all.map(get);
      const reads = tensors.map((t) => engine.read(t));
      const text = (values: readonly Float64Array[]) => values.map((v, i) => bitsText(tensors[i].dtype, v)).join('\n');
      return reads.some((r) => r instanceof Promise) ? Promise.all(reads).then(text) : text(reads as Float64Array[]);
    },
    /** from_values(Float64Array, dtype, device, ...shape): a leaf from doubles, rounded as torch.tensor rounds. */
    from_values: (values: ArrayLike<number>, dtype: DType, device: string, ...shape: number[]): number =>
      handles.add(creation.fromValues(engine, values, dtype, deviceOf(device), shape)),
    /** from_bits(hex, dtype, device, ...shape): the inverse of bits(). */
    from_bits(text: string, dtype: DType, device: string, ...shape: number[]): number {
      return handles.add(creation.fromHost(engine, hostFromBits(dtype, text), dtype, deviceOf(device), shape));
    },
    /** forbid_writing(h, why): in-place ops on the tensor and its views raise NotImplementedError with this text. */
    forbid_writing(h: number, why: string): void {
      get(h).storage.writeProtection = why;
    },
    /** full(-kind, value, dtype, device, ...shape): filled with a number, as torch.full. Errors: a value beyond the dtype's range. */
    full(kind: number, value: number, dtype: DType, device: string, ...shape: number[]): number {
      void kind;
      creation.checkFill(
        value,
        dtype,
        shape.reduce((n, size) => n * size, 1),
      );
      return handles.add(engine.full(shape, value, dtype, deviceOf(device)));
    },
    /** empty(dtype, device, ...shape): zeros, because what torch.empty gives isn't defined. */
    empty: (dtype: DType, device: string, ...shape: number[]): number =>
      handles.add(engine.full(shape, 0, dtype, deviceOf(device))),
    /** arange(start, end, step, dtype, device): start, start + step, … before end. */
    arange: (start: number, end: number, step: number, dtype: DType, device: string): number =>
      handles.add(creation.arange(engine, start, end, step, dtype, deviceOf(device))),
    /** linspace(start, end, steps, dtype, device): `steps` numbers from start to end, both included. */
    linspace: (start: number, end: number, steps: number, dtype: DType, device: string): number =>
      handles.add(creation.linspace(engine, start, end, steps, dtype, deviceOf(device))),
    /** clone(h): a contiguous copy with a history. */
    clone: (h: number): number => handles.add(engine.clone(get(h))),
    /** contiguous(h): the same tensor if it is contiguous, else a copy; always a new handle. */
    contiguous: (h: number): number => handles.add(engine.contiguous(get(h))),
    /** is_contiguous(h). */
    is_contiguous: (h: number): boolean => get(h).contiguous,
    /** cast(h, dtype): a differentiable copy in another dtype (also if it has that dtype already: Python checks first). */
    cast: (h: number, dtype: DType): number => handles.add(engine.cast(get(h), dtype)),
    /** to_device(h, device): a differentiable copy; a promise if the source's backend is asynchronous. Same device: a new handle of the same tensor. */
    to_device(h: number, device: string): number | Promise<number> {
      const moved = engine.toDeviceAsync(get(h), deviceOf(device));
      if (!(moved instanceof Promise)) return handles.add(moved);
      return moved.then((t) => {
        const handle = handles.add(t);
        engine.sweep();
        return handle;
      });
    },
    /** copy_(target, source): target.copy_(source): broadcasts, casts, crosses devices; in place, tracked by autograd. A promise if it must wait. */
    copy_(target: number, source: number): number | Promise<number> {
      const to = get(target);
      const from = get(source);
      const moved = engine.toDeviceAsync(from, to.device);
      if (!(moved instanceof Promise)) {
        engine.copyInPlace(to, moved);
        return target;
      }
      return moved.then((m) => {
        engine.copyInPlace(to, m);
        engine.sweep();
        return target;
      });
    },
    /** fill_(h, -kind, value): in place. Errors: a value beyond the dtype's range, as torch. */
    fill_(h: number, kind: number, value: number): number {
      void kind;
      creation.fillInPlace(engine, get(h), value);
      return h;
    },
    /** nonzero(h): int64 indices of the nonzero elements, shape [count, rank]. A promise on an asynchronous backend. */
    nonzero(h: number): number | Promise<number> {
      const t = get(h);
      return engine.whenRead(t, (values) => handles.add(creation.nonzero(engine, t, values)));
    },
    /** free(...handles): drops them. */
    free(...hs: number[]): void {
      for (const h of hs) handles.free(h);
    },
    /** retain(h): another handle of the same tensor. */
    retain: (h: number): number => handles.add(get(h)),
    /** same(a, b): whether two handles are one tensor (Python's `is`). */
    same: (a: number, b: number): boolean => get(a) === get(b),
    /** data_ptr(h): a number standing for the first element's address; 0 for an empty tensor. */
    data_ptr(h: number): number {
      const t = get(h);
      return t.elementCount === 0 ? 0 : t.storage.id * 2 ** 32 + t.offset;
    },
    /** storage_id(h): equal exactly for tensors that share memory. */
    storage_id: (h: number): number => get(h).storage.id,
    /** storage_size(h): elements in the storage. */
    storage_size: (h: number): number => get(h).buffer.length,
    /** version(h): t._version, the number of in-place writes. */
    version: (h: number): number => get(h).version.n,
    /** memory(device): bytes in use by live tensors of "cpu" or "cuda". */
    memory: (device: string): number => engine.backends[deviceOf(device)].bytesInUse,
    /** live_handles(): for leak tests. */
    live_handles: (): number => handles.count,
    /** congested(): true asks Python to run_sync(finish()). */
    congested: (): boolean => engine.congestedNow(),
    /** finish(): waits for everything recorded so far; a promise on an asynchronous backend. */
    finish: (): void | Promise<void> => engine.finishAll(),
    /** set_default_dtype(dtype): what integers become in `promote-float` ops, and Python floats. */
    set_default_dtype(dtype: DType): void {
      engine.defaultDtype = dtype;
    },
  };
}

const hexWidth: Partial<Record<DType, number>> = { float16: 4, bfloat16: 4, float32: 8, float64: 16 };

function bitsText(dtype: DType, values: Float64Array): string {
  const width = hexWidth[dtype];
  if (width === undefined) return Array.from(values).join(' ');
  const data = writeElements(dtype, values);
  if (dtype === 'float64') {
    const view = new DataView(data.buffer, data.byteOffset);
    return Array.from(values, (_, i) =>
      view
        .getBigUint64(i * 8, true)
        .toString(16)
        .padStart(16, '0'),
    ).join(' ');
  }
  const patterns = isHalf(dtype) ? data : new Uint32Array(data.buffer, data.byteOffset, data.length);
  return Array.from(patterns, (p) => p.toString(16).padStart(width, '0')).join(' ');
}

function hostFromBits(dtype: DType, text: string): HostData {
  const parts = text.trim() === '' ? [] : text.trim().split(/\s+/);
  const width = hexWidth[dtype];
  if (width === undefined) return writeElements(dtype, parts.map(Number));
  const data = allocateHost(dtype, parts.length);
  const view = new DataView(data.buffer);
  parts.forEach((p, i) => {
    if (width === 4) view.setUint16(i * 2, Number.parseInt(p, 16), true);
    else if (width === 8) view.setUint32(i * 4, Number.parseInt(p, 16), true);
    else view.setBigUint64(i * 8, BigInt(`0x${p}`), true);
  });
  return data;
}
