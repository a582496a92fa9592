/**
 * The exact order in which ATen's CPU kernels add numbers up (native/cpu/SumKernel.cpp, one thread, AVX2; the AVX512 build agrees).
 *
 * Floating-point addition isn't associative, so "the sum" is only defined together with an order. ATen adds in a *cascade*: blocks of
 * at least 16 rows go into a first accumulator, full blocks are moved up to a second one, and so on through four levels. The error
 * then grows with the logarithm of the length rather than with the length. Around that come vector lanes:
 *
 *  - reducing contiguous numbers ("inner"): 8 lanes, four vectors at a time; the tail is added first, then the lanes in turn;
 *  - reducing rows of a matrix ("outer"): every column is a lane;
 *  - 16-bit inputs are read 16 at a time, the two halves of a vector are added first, in float32.
 *
 * Everything here accumulates in the element type of the array passed in: float32 for float32 and 16-bit inputs, double for float64.
 */
import { fma32 } from '../formats/float32-arithmetic';

export type Floats = Float32Array | Float64Array;

const LEVELS = 4;
/** Independent accumulators that ATen keeps for instruction-level parallelism. */
const PARALLEL = 4;

/** Floats in one AVX2 vector: 8 of float32, 4 of float64. */
export const vectorLanes = (x: Floats): number => 32 / x.BYTES_PER_ELEMENT;

/** utils::CeilLog2: 1 for x <= 2. */
export function ceilLog2(x: number): number {
  return x <= 2 ? 1 : 32 - Math.clz32(x - 1);
}

const scratch32: Float32Array[] = [];
const scratch64: Float64Array[] = [];
/** A zeroed accumulator array, reused between calls of the same size. */
function accumulators(x: Floats, length: number): Floats {
  const pool: Floats[] = x instanceof Float32Array ? scratch32 : scratch64;
  const kept = pool[length];
  if (kept) return kept.fill(0);
  const fresh = x instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
  if (length <= 128) pool[length] = fresh;
  return fresh;
}

/**
 * multi_row_sum: the cascade over `rows` rows. A row is `groups` groups of `lanes` numbers, all lanes added independently.
 * Leaves the sums in the first groups * lanes entries of the array it returns.
 */
function cascade(
  x: Floats,
  start: number,
  rowStride: number,
  rows: number,
  groups: number,
  groupStride: number,
  lanes: number,
  laneStride: number,
): Floats {
  const width = groups * lanes;
  const acc = accumulators(x, LEVELS * width);
  const levelPower = Math.max(4, Math.floor(ceilLog2(rows) / 4));
  const step = 1 << levelPower;
  const mask = step - 1;
  let row = 0;
  let base = start;
  while (row < rows) {
    const blockEnd = Math.min(row + step, rows);
    const full = blockEnd === row + step;
    for (; row < blockEnd; row++, base += rowStride) {
      let p = 0;
      for (let g = 0; g < groups; g++) {
        let q = base + g * groupStride;
        for (let l = 0; l < lanes; l++, p++, q += laneStride) acc[p] = acc[p] + x[q];
      }
    }
    if (!full) break;
    for (let level = 1; level < LEVELS; level++) {
      const above = level * width;
      for (let l = 0; l < width; l++) {
        acc[above + l] = acc[above + l] + acc[above - width + l];
        acc[above - width + l] = 0;
      }
      if ((row & (mask << (level * levelPower))) !== 0) break;
    }
  }
  for (let level = 1; level < LEVELS; level++) {
    for (let l = 0; l < width; l++) acc[l] = acc[l] + acc[level * width + l];
  }
  return acc;
}

/**
 * row_sum: four cascades side by side over rows 0, 4, 8 …, 1, 5, 9 … and so on; left-over rows go to the first; then the four are
 * added. `lanes` sums end up in the first entries of the returned array.
 */
function rowSum(x: Floats, start: number, rowStride: number, rows: number, lanes: number): Floats {
  const quads = Math.floor(rows / PARALLEL);
  const acc = cascade(x, start, PARALLEL * rowStride, quads, PARALLEL, rowStride, lanes, 1);
  for (let row = quads * PARALLEL; row < rows; row++) {
    const base = start + row * rowStride;
    for (let l = 0; l < lanes; l++) acc[l] = acc[l] + x[base + l];
  }
  for (let k = 1; k < PARALLEL; k++) {
    for (let l = 0; l < lanes; l++) acc[l] = acc[l] + acc[k * lanes + l];
  }
  return acc;
}

/** scalar_inner_sum: numbers `stride` apart. */
export function sumStrided(x: Floats, start: number, stride: number, count: number): number {
  return rowSum(x, start, stride, count, 1)[0];
}

let foldedHalves = new Float32Array(0);

/** vectorized_inner_sum: `count` contiguous numbers from `start`. `half`: they are 16-bit values (held in float32). */
export function sumContiguous(x: Floats, start: number, count: number, half: boolean): number {
  const lanes = vectorLanes(x);
  const perVector = half ? 2 * lanes : lanes;
  if (count < perVector) return sumStrided(x, start, 1, count);
  const vectors = Math.floor(count / perVector);
  let sums: Floats;
  if (half) {
    // A 16-bit vector holds two float32 vectors, which are added on loading.
    if (foldedHalves.length < vectors * lanes) foldedHalves = new Float32Array(vectors * lanes);
    for (let v = 0; v < vectors; v++) {
      const from = start + v * perVector;
      for (let l = 0; l < lanes; l++) foldedHalves[v * lanes + l] = x[from + l] + x[from + lanes + l];
    }
    sums = rowSum(foldedHalves, 0, lanes, vectors, lanes);
  } else {
    sums = rowSum(x, start, lanes, vectors, lanes);
  }
  const round = x instanceof Float32Array ? Math.fround : (v: number): number => v;
  let total = 0;
  for (let i = start + vectors * perVector; i < start + count; i++) total = round(total + x[i]);
  for (let l = 0; l < lanes; l++) total = round(total + sums[l]);
  return total;
}

/**
 * vectorized_outer_sum and scalar_outer_sum: the sums of `columns` contiguous columns over `rows` rows, written to out[outStart …].
 */
export function sumColumns(
  x: Floats,
  start: number,
  rowStride: number,
  rows: number,
  columns: number,
  out: Floats,
  outStart: number,
  half: boolean,
): void {
  const lanes = vectorLanes(x);
  const write = (acc: Floats, j: number, count: number): void => {
    for (let l = 0; l < count; l++) out[outStart + j + l] = acc[l];
  };
  let j = 0;
  if (columns >= (half ? 2 * lanes : lanes)) {
    for (; j + PARALLEL * lanes <= columns; j += PARALLEL * lanes) {
      write(cascade(x, start + j, rowStride, rows, 1, 0, PARALLEL * lanes, 1), j, PARALLEL * lanes);
    }
    for (; j + lanes <= columns; j += lanes) write(rowSum(x, start + j, rowStride, rows, lanes), j, lanes);
  } else {
    for (; j + PARALLEL <= columns; j += PARALLEL)
      write(cascade(x, start + j, rowStride, rows, 1, 0, PARALLEL, 1), j, PARALLEL);
  }
  if (j < columns) write(rowSum(x, start + j, rowStride, rows, columns - j), j, columns - j);
}

/** Adds lanes up in halves: lane l and lane l + width / 2, until one is left. */
function foldLanes(acc: Floats, width: number): number {
  for (let half = width >> 1; half >= 1; half >>= 1) {
    for (let l = 0; l < half; l++) acc[l] = acc[l] + acc[l + half];
  }
  return acc[0];
}

/**
 * Sum of x[0 … size - 1] in 8 float32 lanes (4 of float64) as the softmax kernels add: a tail goes to the first lanes, then the lanes
 * are folded. Fewer numbers than lanes are added one by one. `tailLast`: the 16-bit kernels add the tail after folding.
 */
export function sumLanes(x: Floats, size: number, tailLast: boolean): number {
  const lanes = vectorLanes(x);
  const round = x instanceof Float32Array ? Math.fround : (v: number): number => v;
  const full = size - (size % lanes);
  let total = 0;
  if (full === 0) {
    for (let i = 0; i < size; i++) total = round(total + x[i]);
    return total;
  }
  const acc = accumulators(x, lanes);
  for (let i = 0; i < full; i += lanes) for (let l = 0; l < lanes; l++) acc[l] = acc[l] + x[i + l];
  if (!tailLast) for (let i = full; i < size; i++) acc[i - full] = acc[i - full] + x[i];
  total = foldLanes(acc, lanes);
  if (tailLast) for (let i = full; i < size; i++) total = round(total + x[i]);
  return total;
}

/**
 * Sum of a[i] * b[i] in vector lanes (vec::map2_reduce_all and map3_reduce_all). 16-bit inputs fill 16 lanes, of which the upper 8 are
 * added to the lower 8 before folding. Less than one vector is added one by one. The compiler fuses multiply and add in the tail only.
 */
export function dotLanes(a: Floats, b: Floats, size: number, half: boolean): number {
  const single = a instanceof Float32Array;
  const round = single ? Math.fround : (v: number): number => v;
  const fma = single ? fma32 : (x: number, y: number, z: number): number => x * y + z;
  const lanes = vectorLanes(a);
  const width = half ? 2 * lanes : lanes;
  if (half ? size <= lanes : size < lanes) {
    let total = 0;
    for (let i = 0; i < size; i++) total = round(total + round(a[i] * b[i]));
    return total;
  }
  const acc = accumulators(a, width);
  if (size < width) {
    for (let l = 0; l < lanes; l++) acc[l] = a[l] * b[l];
    for (let i = lanes; i < size; i++) acc[i - lanes] = fma(a[i], b[i], acc[i - lanes]);
    return foldLanes(acc, lanes);
  }
  for (let l = 0; l < width; l++) acc[l] = a[l] * b[l];
  const full = size - (size % width);
  for (let i = width; i < full; i += width) {
    for (let l = 0; l < width; l++) acc[l] = acc[l] + round(a[i + l] * b[i + l]);
  }
  for (let i = full; i < size; i++) acc[i - full] = fma(a[i], b[i], acc[i - full]);
  return foldLanes(acc, width);
}

/** Running mean and sum of squared deviations of several lanes, all over the same count. */
interface Moments {
  count: number;
  readonly mean: Floats;
  readonly squares: Floats;
}

/**
 * Mean and biased variance of `size` contiguous numbers as RowwiseMoments computes them (native/cpu/moments_utils.h): Welford's
 * update in vector lanes over chunks of 16 vectors, chunks merged in a binary tree, the tail one by one, then the lanes merged into it.
 */
export function momentsOf(
  x: Floats,
  start: number,
  size: number,
  half: boolean,
): { readonly mean: number; readonly variance: number } {
  const lanes = vectorLanes(x);
  const single = x instanceof Float32Array;
  const round = single ? Math.fround : (v: number): number => v;
  const fma = single ? fma32 : (a: number, b: number, c: number): number => a * b + c;
  const perVector = half ? 2 * lanes : lanes;
  const make = (): Floats => (single ? new Float32Array(lanes) : new Float64Array(lanes));
  const chunkSize = 16;
  const vectors = Math.floor(size / perVector);
  const chunks = Math.ceil(vectors / chunkSize);
  const depth = ceilLog2(chunks);
  const stack: Moments[] = Array.from({ length: depth }, () => ({ count: 0, mean: make(), squares: make() }));

  /** Merges `count` more numbers with the given moments into `into`, lane by lane (Chan et al., 1979). */
  const merge = (count: number, mean: Floats, squares: Floats, into: Moments): void => {
    const total = into.count + count;
    const c = total === 0 ? 0 : round(count / total);
    for (let l = 0; l < lanes; l++) {
      const delta = round(mean[l] - into.mean[l]);
      into.mean[l] = into.mean[l] + round(c * delta);
      into.squares[l] = fma(round(delta * delta), round(c * into.count), round(into.squares[l] + squares[l]));
    }
    into.count = total;
  };

  for (let chunk = 0; chunk < chunks; chunk++) {
    const count = Math.min(chunkSize, vectors - chunk * chunkSize);
    const first = start + chunk * chunkSize * perVector;
    // A 16-bit vector holds two float32 vectors: two independent sets of lanes, merged one after the other.
    for (let part = 0; part < perVector; part += lanes) {
      const mean = make();
      const squares = make();
      for (let j = 0; j < count; j++) {
        const reciprocal = round(1 / (j + 1));
        for (let l = 0; l < lanes; l++) {
          const v = x[first + j * perVector + part + l];
          const delta = round(v - mean[l]);
          mean[l] = fma(delta, reciprocal, mean[l]);
          squares[l] = fma(delta, round(v - mean[l]), squares[l]);
        }
      }
      merge(count, mean, squares, stack[0]);
    }
    let mask = chunk + 1;
    for (let level = 1; level < depth && (mask & 1) === 0; level++) {
      const below = stack[level - 1];
      merge(below.count, below.mean, below.squares, stack[level]);
      below.count = 0;
      below.mean.fill(0);
      below.squares.fill(0);
      mask >>= 1;
    }
  }
  for (let level = 1; level < depth; level++)
    merge(stack[level].count, stack[level].mean, stack[level].squares, stack[0]);

  let count = 0;
  let mean = 0;
  let squares = 0;
  for (let i = start + vectors * perVector; i < start + size; i++) {
    const delta = round(x[i] - mean);
    count++;
    mean = round(mean + round(delta / count));
    squares = round(squares + round(delta * round(x[i] - mean)));
  }
  const perLane = (vectors * perVector) / lanes;
  for (let l = 0; l < lanes; l++) {
    const total = count + perLane;
    const c = total === 0 ? 0 : round(perLane / total);
    const delta = round(stack[0].mean[l] - mean);
    mean = fma(c, delta, mean);
    squares = round(squares + fma(round(round(delta * delta) * c), count, stack[0].squares[l]));
    count = total;
  }
  return { mean, variance: round(squares / size) };
}
