/**
 * Random numbers, bit for bit PyTorch's CPU generator: `torch.manual_seed(0); torch.randn(3)` gives the same bits here.
 *
 * The source of bits is mt19937 (Matsumoto and Nishimura, 1998). What turns bits into numbers follows
 * aten/src/ATen/core/TransformationHelper.h, DistributionsHelper.h and native/cpu/DistributionTemplates.h:
 *  - a float32 uniform has 24 bits of one draw, a float64 uniform 53 bits of two draws (high word first);
 *  - fewer than 16 normals (or a strided target) are drawn one by one with a Box-Muller transform in double precision, whose sine is
 *    kept for the next normal, across calls;
 *  - 16 or more contiguous normals are made 16 at a time from 16 uniforms, in float32, with the logarithm, sine and cosine of the
 *    Cephes library, as the AVX2 kernel does.
 * float16 and bfloat16 draw the same numbers and round them once.
 */
import { type DType, type HostData, isHalf } from '../formats/dtype';
import { fma32 } from '../formats/float32-arithmetic';
import { writeElements } from '../formats/host-elements';
import { TorchError } from '../ops/record';

const STATE_WORDS = 624; // n of mt19937
const SHIFT_WORDS = 397; // m of mt19937
const f = Math.fround;

/** PyTorch's `c10::detail::getNonDeterministicRandom` stands behind a fresh default generator; its fixed default is this seed. */
export const DEFAULT_SEED = 67280421310721n;

export class Generator {
  private readonly words = new Uint32Array(STATE_WORDS);
  private next = STATE_WORDS;
  private seed64 = DEFAULT_SEED;
  /** The sine half of the last Box-Muller pair, which the next single normal returns. */
  private cachedNormal: number | null = null;

  constructor(seed: bigint | number = DEFAULT_SEED) {
    this.manualSeed(seed);
  }

  /** Starts over from `seed`; negative seeds wrap to 64 bits. mt19937 itself uses the low 32 bits only. Errors: outside [-2^63, 2^64). */
  manualSeed(seed: bigint | number): this {
    const wide = BigInt(seed);
    if (wide < -(1n << 63n) || wide >= 1n << 64n)
      throw new TorchError('ValueError', 'Overflow when unpacking long long');
    this.seed64 = BigInt.asUintN(64, wide);
    this.words[0] = Number(this.seed64 & 0xffffffffn);
    for (let j = 1; j < STATE_WORDS; j++) {
      const previous = this.words[j - 1] ^ (this.words[j - 1] >>> 30);
      this.words[j] = Math.imul(1812433253, previous) + j; // multiplier of Knuth, TAOCP vol. 2, as in mt19937ar.c
    }
    this.next = STATE_WORDS;
    this.cachedNormal = null;
    return this;
  }

  /** The seed that the generator was last started from, 0 to 2^64 - 1. */
  initialSeed(): bigint {
    return this.seed64;
  }

  /** One draw: 32 random bits as an unsigned integer. */
  random32(): number {
    if (this.next >= STATE_WORDS) this.twist();
    let y = this.words[this.next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    y ^= y >>> 18;
    return y >>> 0;
  }

  /** Two draws: 64 random bits, the first draw on top. */
  random64(): bigint {
    const high = this.random32();
    return (BigInt(high) << 32n) | BigInt(this.random32());
  }

  private twist(): void {
    const mt = this.words;
    for (let k = 0; k < STATE_WORDS; k++) {
      const y = (mt[k] & 0x80000000) | (mt[k + 1 === STATE_WORDS ? 0 : k + 1] & 0x7fffffff);
      const far = k + SHIFT_WORDS < STATE_WORDS ? k + SHIFT_WORDS : k + SHIFT_WORDS - STATE_WORDS;
      mt[k] = mt[far] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.next = 0;
  }

  /** A multiple of 2^-24 in [0, 1): what float32, float16 and bfloat16 uniforms start from. */
  uniform24(): number {
    return (this.random32() & 0xffffff) * 2 ** -24;
  }

  /** A multiple of 2^-53 in [0, 1), from 53 bits of two draws. */
  uniform53(): number {
    const high = this.random32() & 0x1fffff; // 53 - 32 = 21 bits of the first draw
    return (high * 2 ** 32 + this.random32()) * 2 ** -53;
  }

  /** `tensor.uniform_(from, to)`, or rand with 0 and 1: `count` numbers in [from, to). Errors: from > to. */
  uniform(dtype: DType, count: number, from = 0, to = 1): HostData {
    if (!(from <= to)) {
      throw new TorchError(
        'RuntimeError',
        `uniform_ expects to return a [from, to) range, but found from=${cppDouble(from)} > to=${cppDouble(to)}`,
      );
    }
    const values = new Float64Array(count);
    if (dtype === 'float64') {
      for (let i = 0; i < count; i++) values[i] = this.uniform53() * (to - from) + from;
    } else {
      const low = f(from);
      const high = f(to);
      const width = f(high - low);
      for (let i = 0; i < count; i++) {
        const value = fma32(this.uniform24(), width, low);
        values[i] = value === high ? low : value; // rounding can reach the open end
      }
    }
    return writeElements(dtype, values);
  }

  /** One standard normal by the double-precision Box-Muller transform; every second call returns the kept sine. */
  private normal53(): number {
    if (this.cachedNormal !== null) {
      const kept = this.cachedNormal;
      this.cachedNormal = null;
      return kept;
    }
    const u1 = this.uniform53();
    const u2 = this.uniform53();
    const radius = Math.sqrt(-2 * Math.log1p(-u2));
    const angle = 2 * Math.PI * u1;
    this.cachedNormal = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  /**
   * `tensor.normal_(mean, std)`, or randn with 0 and 1. `contiguous` false (a strided target) draws one by one whatever the count.
   * Errors: std < 0.
   */
  normal(dtype: DType, count: number, mean = 0, std = 1, contiguous = true): HostData {
    if (!(std >= 0)) throw new TorchError('RuntimeError', `normal expects std >= 0.0, but found std ${cppDouble(std)}`);
    if (count < 16 || !contiguous) {
      const values = new Float64Array(count);
      for (let i = 0; i < count; i++) values[i] = this.normal53() * std + mean;
      return writeElements(dtype, values);
    }
    if (dtype === 'float64') return this.normalBlocks64(count, mean, std);
    const values = new Float32Array(count);
    // The 16-bit kernel draws block by block and so never draws for the incomplete last one; the float32 kernel fills everything first.
    const drawn = isHalf(dtype) ? count - (count % 16) : count;
    for (let i = 0; i < drawn; i++) values[i] = this.uniform24();
    for (let i = 0; i + 16 <= count; i += 16) boxMuller16(values, i, f(mean), f(std));
    if (count % 16 !== 0) {
      // The last 16 are drawn again, over numbers that are already there.
      const start = count - 16;
      for (let i = 0; i < 16; i++) values[start + i] = this.uniform24();
      boxMuller16(values, start, f(mean), f(std));
    }
    return writeElements(dtype, values);
  }

  private normalBlocks64(count: number, mean: number, std: number): Float64Array {
    const values = new Float64Array(count);
    const transform = (start: number): void => {
      for (let j = start; j < start + 8; j++) {
        const radius = Math.sqrt(-2 * Math.log(1 - values[j]));
        const angle = 2 * Math.PI * values[j + 8];
        values[j] = radius * Math.cos(angle) * std + mean;
        values[j + 8] = radius * Math.sin(angle) * std + mean;
      }
    };
    for (let i = 0; i < count; i++) values[i] = this.uniform53();
    for (let i = 0; i + 16 <= count; i += 16) transform(i);
    if (count % 16 !== 0) {
      for (let i = count - 16; i < count; i++) values[i] = this.uniform53();
      transform(count - 16);
    }
    return values;
  }

  /** `torch.randint(low, high, …)`: integers in [low, high). One draw each, two from a range of 2^28 on. Errors: low >= high. */
  randint(dtype: DType, count: number, low: number, high: number): HostData {
    if (low >= high)
      throw new TorchError(
        'RuntimeError',
        `random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`,
      );
    const values = new Float64Array(count);
    const range = high - low;
    if (range >= 2 ** 28) {
      const wide = BigInt(range);
      for (let i = 0; i < count; i++) values[i] = Number(this.random64() % wide) + low;
    } else {
      for (let i = 0; i < count; i++) values[i] = (this.random32() % range) + low;
    }
    return writeElements(dtype, values);
  }

  /** `torch.randperm(count)`: a Fisher-Yates shuffle of 0 … count - 1, front to back. */
  randperm(dtype: DType, count: number): HostData {
    const order = new Float64Array(count);
    for (let i = 0; i < count; i++) order[i] = i;
    for (let i = 0; i < count - 1; i++) {
      const j = i + (this.random32() % (count - i));
      const kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
    return writeElements(dtype, order);
  }

  /** `tensor.bernoulli_(p)`: 1 where a 53-bit uniform is below p. Dropout's mask is `bernoulli_(1 - p)` of its input's dtype. */
  bernoulli(dtype: DType, count: number, p: number): HostData {
    if (!(p >= 0 && p <= 1))
      throw new TorchError('RuntimeError', `bernoulli_ expects p to be in [0, 1], but got p=${cppDouble(p)}`);
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++) values[i] = this.uniform53() < p ? 1 : 0;
    return writeElements(dtype, values);
  }

  /** `torch.bernoulli(probabilities)`: 1 where a uniform of the tensor's precision is below its element. */
  bernoulliFrom(dtype: DType, probabilities: Float32Array | Float64Array): HostData {
    const values = new Float64Array(probabilities.length);
    for (let i = 0; i < values.length; i++) {
      const p = probabilities[i];
      if (!(p >= 0 && p <= 1)) {
        throw new TorchError(
          'RuntimeError',
          'Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)',
        );
      }
      values[i] = (dtype === 'float64' ? this.uniform53() : this.uniform24()) < p ? 1 : 0;
    }
    return writeElements(dtype, values);
  }

  /** `tensor.exponential_(lambd)`: -log(u) / lambd of a 53-bit uniform. Errors: lambd <= 0. */
  exponential(dtype: DType, count: number, lambd = 1): HostData {
    if (!(lambd > 0))
      throw new TorchError('RuntimeError', `exponential_ expects lambda > 0.0, but found lambda=${cppDouble(lambd)}`);
    return writeElements(dtype, this.exponential53(count, lambd));
  }

  private exponential53(count: number, lambd: number): Float64Array {
    const values = new Float64Array(count);
    const smallest = 2 ** -53; // numeric_limits<double>::epsilon() / 2: keeps -log away from log(1) = 0
    for (let i = 0; i < count; i++) {
      const u = this.uniform53();
      values[i] = (u >= 1 - smallest ? smallest : -Math.log1p(-u)) / lambd;
    }
    return values;
  }

  /**
   * `torch.multinomial(probabilities, samples, replacement)` for `rows` rows of `columns` weights. Gives rows * samples column indices.
   * Without replacement (or for one sample) it takes the largest weight / exponential, as ATen does.
   * Errors: a weight that is negative or not finite; a row that sums to 0 or less; more samples than columns without replacement.
   */
  multinomial(
    dtype: DType,
    weights: Float32Array | Float64Array,
    rows: number,
    columns: number,
    samples: number,
    replacement: boolean,
  ): Float64Array {
    const single = dtype !== 'float64';
    const round = (x: number): number => (single ? f(x) : x);
    for (let i = 0; i < weights.length; i++) {
      if (!(weights[i] >= 0 && weights[i] < Infinity)) {
        throw new TorchError('RuntimeError', 'probability tensor contains either `inf`, `nan` or element < 0');
      }
    }
    for (let r = 0; r < rows; r++) {
      let total = 0;
      for (let c = 0; c < columns; c++) total += weights[r * columns + c];
      if (!(total > 0))
        throw new TorchError('RuntimeError', 'invalid multinomial distribution (sum of probabilities <= 0)');
    }
    const chosen = new Float64Array(rows * samples);
    if (!replacement || samples === 1) {
      const noise = this.exponential53(rows * columns, 1);
      for (let r = 0; r < rows; r++) {
        const scores: { readonly column: number; readonly score: number }[] = [];
        for (let c = 0; c < columns; c++) {
          scores.push({ column: c, score: round(weights[r * columns + c] / round(noise[r * columns + c])) });
        }
        scores.sort((a, b) => b.score - a.score || a.column - b.column);
        for (let s = 0; s < samples; s++) chosen[r * samples + s] = scores[s].column;
      }
      return chosen;
    }
    const cumulative = new Float64Array(columns);
    for (let r = 0; r < rows; r++) {
      let total = 0;
      for (let c = 0; c < columns; c++) {
        total = round(total + weights[r * columns + c]);
        cumulative[c] = total;
      }
      for (let c = 0; c < columns; c++) cumulative[c] = round(cumulative[c] / total);
      cumulative[columns - 1] = 1;
      for (let s = 0; s < samples; s++) {
        const u = this.uniform53();
        let left = 0;
        let right = columns;
        while (right - left > 0) {
          const middle = left + Math.floor((right - left) / 2);
          if (cumulative[middle] < u) left = middle + 1;
          else right = middle;
        }
        chosen[r * samples + s] = left;
      }
    }
    return chosen;
  }

  /** The generator as `get_state()` gives it: 5,056 bytes, CPUGeneratorImplState of aten/src/ATen/CPUGeneratorImpl.cpp. */
  getState(): Uint8Array {
    const bytes = new Uint8Array(STATE_BYTES);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(0, this.seed64, true);
    view.setInt32(8, this.next === STATE_WORDS ? 1 : STATE_WORDS - this.next + 1, true); // draws left before the next twist, plus 1
    view.setInt32(12, 1, true); // seeded
    view.setBigUint64(16, BigInt(this.next === STATE_WORDS ? 0 : this.next), true);
    for (let j = 0; j < STATE_WORDS; j++) view.setBigUint64(24 + 8 * j, BigInt(this.words[j]), true);
    view.setFloat64(NORMAL_OFFSET + 8, this.cachedNormal ?? 0, true);
    view.setInt32(NORMAL_OFFSET + 24, this.cachedNormal === null ? 0 : 1, true);
    return bytes;
  }

  /** Restores what getState() gave. Errors: another size. */
  setState(state: Uint8Array): this {
    if (state.length !== STATE_BYTES) {
      throw new TorchError(
        'RuntimeError',
        `Expected either a CPUGeneratorImplStateLegacy of size 5048 or a CPUGeneratorImplState of size 5056 but found the input RNG state size to be ${state.length}`,
      );
    }
    const view = new DataView(state.buffer, state.byteOffset, state.byteLength);
    this.seed64 = view.getBigUint64(0, true);
    const left = view.getInt32(8, true);
    this.next = left === 1 ? STATE_WORDS : Number(view.getBigUint64(16, true));
    for (let j = 0; j < STATE_WORDS; j++) this.words[j] = Number(view.getBigUint64(24 + 8 * j, true));
    this.cachedNormal = view.getInt32(NORMAL_OFFSET + 24, true) ? view.getFloat64(NORMAL_OFFSET + 8, true) : null;
    return this;
  }
}

const STATE_BYTES = 5056;
const NORMAL_OFFSET = 24 + 8 * STATE_WORDS; // normal_x, normal_y (the kept value), normal_rho, normal_is_valid

/** A double as C++ streams print it with the default precision of 6 significant digits. */
function cppDouble(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  return String(Number(x.toPrecision(6)));
}

// --- sixteen normals from sixteen uniforms, in float32 (native/cpu/avx_mathfun.h, after Cephes) ---

/** Minimax coefficients of log(1 + m) / m^3 on [sqrt(1/2) - 1, sqrt(2) - 1], cephes_log_p0 to p8. */
const LOG_COEFFICIENTS = Float32Array.from([
  7.0376836292e-2, -1.151461031e-1, 1.167699874e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
  2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
]);
const SQRT_HALF = f(Math.SQRT1_2);
const LN2_LOW = f(-2.1219444e-4); // ln 2 = LN2_HIGH + LN2_LOW, LN2_HIGH with few enough bits that e * LN2_HIGH is exact
const LN2_HIGH = f(0.693359375);
const FOUR_OVER_PI = f(1.27323954473516);
/** -pi/4 in three parts, so that x - j * pi/4 keeps its bits (Cody and Waite). */
const MINUS_QUARTER_PI = [f(-0.78515625), f(-2.418756484985e-4), f(-3.774894977446e-8)] as const;
const COS_COEFFICIENTS = [f(2.443315711809948e-5), f(-1.388731625493765e-3), f(4.166664568298827e-2)] as const;
const SIN_COEFFICIENTS = [f(-1.9515295891e-4), f(8.3321608736e-3), f(-1.6666654611e-1)] as const;
const TWO_PI = f(2 * Math.PI);

const bitsOf = new Uint32Array(1);
const floatOf = new Float32Array(bitsOf.buffer);

/** Natural logarithm of a positive normal float32, as the AVX2 kernel computes it (within 1 ulp or so). */
function cephesLog(x: number): number {
  floatOf[0] = x;
  let exponent = (bitsOf[0] >>> 23) - 0x7f + 1;
  bitsOf[0] = (bitsOf[0] & ~0x7f800000) | 0x3f000000; // significand in [0.5, 1)
  let m = floatOf[0];
  const low = m < SQRT_HALF;
  const kept = low ? m : 0;
  m = f(m - 1);
  if (low) exponent -= 1;
  m = f(m + kept);
  const z = f(m * m);
  let y = LOG_COEFFICIENTS[0];
  for (let i = 1; i < 9; i++) y = fma32(y, m, LOG_COEFFICIENTS[i]);
  y = f(y * m);
  y = fma32(y, z, f(exponent * LN2_LOW));
  y = fma32(-z, 0.5, y);
  return fma32(exponent, LN2_HIGH, f(m + y));
}

/** Replaces values[start … start + 15], uniforms in [0, 1), by normals: radius from the first eight, angle from the last eight. */
function boxMuller16(values: Float32Array, start: number, mean: number, std: number): void {
  for (let j = start; j < start + 8; j++) {
    const radius = f(Math.sqrt(f(-2 * cephesLog(f(1 - values[j])))));
    const angle = f(TWO_PI * values[j + 8]);
    // Octant of the angle, made even; the remainder lies in [-pi/4, pi/4].
    const octant = (Math.trunc(f(angle * FOUR_OVER_PI)) + 1) & ~1;
    let x = fma32(octant, MINUS_QUARTER_PI[0], angle);
    x = fma32(octant, MINUS_QUARTER_PI[1], x);
    x = fma32(octant, MINUS_QUARTER_PI[2], x);
    const z = f(x * x);
    let c = fma32(COS_COEFFICIENTS[0], z, COS_COEFFICIENTS[1]);
    c = f(fma32(c, z, COS_COEFFICIENTS[2]) * z);
    c = f(fma32(c, z, -f(z * 0.5)) + 1);
    let s = fma32(SIN_COEFFICIENTS[0], z, SIN_COEFFICIENTS[1]);
    s = f(fma32(s, z, SIN_COEFFICIENTS[2]) * z);
    s = fma32(s, x, x);
    const swap = (octant & 2) !== 0;
    const sine = (octant & 4) !== 0 ? -(swap ? c : s) : swap ? c : s;
    const cosine = (~(octant - 2) & 4) !== 0 ? -(swap ? s : c) : swap ? s : c;
    values[j] = fma32(f(radius * cosine), std, mean);
    values[j + 8] = fma32(f(radius * sine), std, mean);
  }
}
