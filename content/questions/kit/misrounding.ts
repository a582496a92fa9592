/** Rounding as people with a misconception do it: by hand, not by the engine, which rounds correctly. */
import type { DType } from '@/engine/formats/dtype';
import { exponentOf, formats } from '@/engine/formats/float-format';

export type HalfDType = 'float16' | 'bfloat16';

export const otherHalf = (dtype: HalfDType): HalfDType => (dtype === 'float16' ? 'bfloat16' : 'float16');

/** How far apart values of `dtype` are around x; `lost` bits fewer are counted in the significand. */
export function spacing(x: number, dtype: DType & HalfDType, lost = 0): number {
  const { significandBits, minExponent } = formats[dtype];
  return 2 ** (Math.max(exponentOf(Math.abs(x)), minExponent) - (significandBits - lost));
}

/** Cuts off: to the multiple of `step` nearer to zero. */
export const truncated = (x: number, step: number): number => Math.trunc(x / step) * step;

/** To the nearest multiple of `step`, halves away from zero, as at school. */
export const tiesAway = (x: number, step: number): number => Math.sign(x) * Math.floor(Math.abs(x) / step + 0.5) * step;

/** To the nearest multiple of `step`, halves to the even one. */
export function tiesToEven(x: number, step: number): number {
  const scaled = x / step;
  const below = Math.floor(scaled);
  const fraction = scaled - below;
  return (fraction > 0.5 || (fraction === 0.5 && below % 2 !== 0) ? below + 1 : below) * step;
}
