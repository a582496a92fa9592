/** The four things that can happen to a gradient in float16: their names, and their share at a scale. */
import type { Tone } from '@/app/components/plot/Plot';
import type { AtScale, Measurement, Zone } from './measurement';

export interface ZoneText {
  readonly zone: Zone;
  readonly name: string;
  readonly tone: Tone;
  /** Lost altogether: hatched. */
  readonly lost: boolean;
  /** From which binary exponent to which. */
  readonly from: number;
  readonly to: number;
}

/** Ends of the picture's axis, as binary exponents: the lowest gradient at S = 1, and the highest at the last scale. */
export const AXIS: readonly [number, number] = [-40, 22];

export const ZONES: readonly ZoneText[] = [
  { zone: 'zero', name: 'rounds to 0', tone: 'sign', lost: true, from: AXIS[0], to: -25 },
  { zone: 'subnormal', name: 'subnormal', tone: 'exponent', lost: false, from: -25, to: -14 },
  { zone: 'normal', name: 'normal', tone: 'significand', lost: false, from: -14, to: 16 },
  { zone: 'inf', name: 'overflows', tone: 'sign', lost: true, from: 16, to: AXIS[1] },
];

export function countsAt({ total }: Measurement, at: AtScale): Readonly<Record<Zone, number>> {
  const { zero, subnormal, inf } = at;
  return { zero, subnormal, inf, normal: total - zero - subnormal - inf };
}

/** "93.9 %"; a share that isn't 0 never reads as 0. */
export function percent(count: number, total: number): string {
  const share = (100 * count) / total;
  if (count > 0 && share < 0.1) return '< 0.1 %';
  if (count < total && share > 99.9) return '> 99.9 %';
  return `${Number(share.toFixed(1))} %`;
}
