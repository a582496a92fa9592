import { Band, Bars } from '@/app/components/plot/marks';
import { Plot } from '@/app/components/plot/Plot';
import { powersOfTwo, superscript } from '@/app/components/plot/scale';
import { type AtScale, type Measurement, zoneOf } from './measurement';
import { AXIS, countsAt, percent, ZONES } from './zones';

interface HistogramProps {
  readonly measurement: Measurement;
  readonly at: AtScale;
}

/** Gradients times the scale by binary exponent; float16's window stands still, and they move through it. */
export function Histogram({ measurement, at }: HistogramProps) {
  const { histogram, total } = measurement;
  const counts = countsAt(measurement, at);
  const top = Math.max(...histogram.map(([, count]) => count));
  const moved = histogram.map(([e, count]) => [e + at.exponent, count] as const);
  const said = ZONES.map(({ zone, name }) => `${percent(counts[zone], total)} ${name}`).join(', ');
  return (
    <Plot
      title={`Gradients × 2${superscript(at.exponent)} by size`}
      description={`A histogram of ${total} gradients by power of two, over float16’s window, which goes from 2⁻²⁵ to 2¹⁶. At this scale: ${said}.`}
      x={{ label: 'size of the scaled gradient', domain: AXIS, ticks: powersOfTwo(AXIS, 8) }}
      y={{ label: 'gradients', domain: [0, top * 1.18] }}
      height={280}
      legend={ZONES.filter(({ zone }) => zone !== 'inf').map(({ name, tone, lost, zone }) => ({
        label: zone === 'zero' ? 'lost: rounds to 0, or overflows' : name,
        tone,
        mark: lost ? 'hatched' : 'bar',
      }))}
      table={{
        summary: 'The counts by exponent',
        columns: ['gradient × S', 'gradients', 'in float16'],
        rows: moved.map(([e, count]) => [
          `2${superscript(e)} … 2${superscript(e + 1)}`,
          String(count),
          ZONES.find(({ zone }) => zone === zoneOf(e))?.name ?? '',
        ]),
      }}
    >
      {(area) => (
        <>
          {ZONES.map(({ zone, name, tone, from, to }) => (
            <Band
              key={zone}
              area={area}
              from={from}
              to={to}
              tone={tone}
              label={area.width > 460 || zone === 'normal' || zone === 'zero' ? name : undefined}
            />
          ))}
          <Bars
            area={area}
            bars={moved.map(([e, value]) => {
              const zone = ZONES.find((z) => z.zone === zoneOf(e));
              return { from: e, to: e + 1, value, tone: zone?.tone ?? 'ink', hatched: zone?.lost };
            })}
          />
        </>
      )}
    </Plot>
  );
}
