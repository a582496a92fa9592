import { Line, type Point, Rule } from '@/app/components/plot/marks';
import { Plot } from '@/app/components/plot/Plot';
import { powersOfTwo, superscript } from '@/app/components/plot/scale';
import type { Measurement } from './measurement';
import { HIGHEST } from './script';
import { percent } from './zones';

/** What a real float16 backward loses at every scale: zeros on the left, infinities on the right, and the usable scales between them. */
export function Window({ measurement, exponent }: { readonly measurement: Measurement; readonly exponent: number }) {
  const { scales, total } = measurement;
  const share = (count: number) => (100 * count) / total;
  const clean = scales.filter((at) => at.backwardZero === 0 && at.backwardNonfinite === 0).map((at) => at.exponent);
  const span =
    clean.length > 0
      ? `from 2${superscript(Math.min(...clean))} to 2${superscript(Math.max(...clean))}`
      : 'at none of them';
  return (
    <Plot
      title="What a float16 backward loses at each scale"
      description={`Share of gradients that are zero, and that are nonfinite, in a real float16 backward at scales from 1 to 2^${HIGHEST}. Nothing is lost ${span}.`}
      x={{ label: 'scale', domain: [0, HIGHEST], ticks: powersOfTwo([0, HIGHEST], 4) }}
      y={{
        label: 'gradients',
        domain: [0, 100],
        ticks: [0, 50, 100].map((at) => ({ at, text: `${at} %` })),
      }}
      height={180}
      legend={[
        { label: 'zero', tone: 'exponent', mark: 'line' },
        { label: 'nonfinite', tone: 'sign', mark: 'dashed' },
      ]}
      table={{
        summary: 'All scales as a table',
        columns: ['scale', 'rounded: 0', 'rounded: subnormal', 'rounded: inf', 'backward: 0', 'backward: nonfinite'],
        rows: scales.map((at) => [
          `2${superscript(at.exponent)}`,
          ...[at.zero, at.subnormal, at.inf, at.backwardZero, at.backwardNonfinite].map(
            (count) => `${count} (${percent(count, total)})`,
          ),
        ]),
      }}
    >
      {(area) => (
        <>
          <Line area={area} points={scales.map((at): Point => [at.exponent, share(at.backwardZero)])} tone="exponent" />
          <Line
            area={area}
            points={scales.map((at): Point => [at.exponent, share(at.backwardNonfinite)])}
            tone="sign"
            dashed
          />
          <Rule area={area} tone="ink" x={exponent} label={`2${superscript(exponent)}`} />
        </>
      )}
    </Plot>
  );
}
