'use client';
import { type FloatFormat, nextDown, nextUp } from '@/engine/formats/float-format';
import { brief, shortest, ulps } from './decimal';
import styles from './Neighbourhood.module.css';
import type { Rounded } from './rounding';

/** Values on each side. */
const REACH = 3;

interface Tick {
  readonly value: number;
  /** Where it stands: infinity stands where the next value would be if the exponent went on. */
  readonly position: number;
  /** Steps from the stored value. */
  readonly distance: number;
}

/** The values of the format around the stored one, to scale, and the band of numbers that round to it. */
export function Neighbourhood({ rounded, onShow }: { readonly rounded: Rounded; onShow(value: number): void }) {
  const { value, given, format, below, above } = rounded;
  if (Number.isNaN(value)) {
    return (
      <p className={styles.none}>
        NaN has no neighbours: no number is smaller or larger than it, and it does not equal itself.
      </p>
    );
  }
  const ticks = ticksAround(value, format);
  const low = ticks[0].position;
  const high = ticks[ticks.length - 1].position;
  const percent = (x: number) => 4 + (92 * (x - low)) / (high - low);
  const at = ticks.find((tick) => tick.distance === 0)?.position ?? 0;
  const [from, to] = band(ticks);
  // Past the last value everything is stored as it: the band goes on to the edge.
  const start = from === undefined ? 0 : percent(from);
  const end = to === undefined ? 100 : percent(to);
  // Python prints a double in full; here as many digits as tell neighbours apart.
  const digits = Math.ceil((format.significandBits + 1) * Math.log10(2)) + 1;
  const outside = given > high ? 'right' : given < low ? 'left' : undefined;
  const mark = outside === 'right' ? 100 : outside === 'left' ? 0 : percent(given);
  return (
    <div>
      <div className={styles.neighbourhood}>
        <button
          type="button"
          className={styles.step}
          onClick={() => onShow(below)}
          aria-label={`Next smaller: ${shortest(below)}`}
        >
          <span aria-hidden="true">◂</span>
        </button>
        <div className={styles.scale}>
          <div className={styles.line} aria-hidden="true">
            <span className={styles.band} style={{ left: `${start}%`, width: `${end - start}%` }} />
            {ticks.map((tick) => (
              <span
                key={tick.distance}
                className={styles.tick}
                data-stored={tick.distance === 0}
                style={{ left: `${percent(tick.position)}%` }}
              />
            ))}
            <span className={styles.given} data-outside={outside} style={{ left: `${mark}%` }} />
            {given !== value && !outside ? (
              <span
                className={styles.shift}
                style={{ left: `${Math.min(mark, percent(at))}%`, width: `${Math.abs(mark - percent(at))}%` }}
              />
            ) : null}
          </div>
          <div className={styles.labels}>
            {ticks.map((tick) => (
              <button
                key={tick.distance}
                type="button"
                className={styles.label}
                data-distance={Math.abs(tick.distance)}
                style={{ left: `${percent(tick.position)}%` }}
                title={shortest(tick.value)}
                onClick={() => onShow(tick.value)}
              >
                {brief(tick.value, digits)}
              </button>
            ))}
          </div>
        </div>
        <button
          type="button"
          className={styles.step}
          onClick={() => onShow(above)}
          aria-label={`Next larger: ${shortest(above)}`}
        >
          <span aria-hidden="true">▸</span>
        </button>
      </div>
      <p className={styles.caption}>{sentence(rounded)}</p>
    </div>
  );
}

/** What the picture shows. */
function sentence({ given, value, event, errorUlp, format }: Rounded): string {
  const stored = shortest(value);
  switch (event) {
    case 'exact':
      if (!Number.isFinite(given))
        return `${format.name} has a pattern for ${stored}: every number past its last value, and past what you can type as a number, is stored as it.`;
      return `${format.name} has this number. Everything in the band is stored as it.`;
    case 'overflow':
      return `${shortest(given)} is past the last value of ${format.name}; the band of ${stored} begins halfway to the value that would be next.`;
    case 'saturated':
      return `${shortest(given)} is past the last value of ${format.name}, which has no infinity and stays at ${stored}.`;
    default:
      if (errorUlp === 0.5)
        return `${shortest(given)} lies halfway between two values: a tie, which goes to the even significand.`;
      return `Everything in the band is stored as ${stored}. ${shortest(given)} lies ${ulps(errorUlp)} ulp ${given > value ? 'above' : 'below'} it.`;
  }
}

function ticksAround(value: number, format: FloatFormat): readonly Tick[] {
  const beyond = format.max + 2 ** (format.maxExponent - format.significandBits);
  const place = (x: number) => (Number.isFinite(x) ? x : Math.sign(x) * beyond);
  const ticks: Tick[] = [{ value, position: place(value), distance: 0 }];
  for (let distance = 1, x = value; distance <= REACH; distance++) {
    const next = nextUp(x, format);
    if (next === x) break;
    ticks.push({ value: next, position: place(next), distance });
    x = next;
  }
  for (let distance = 1, x = value; distance <= REACH; distance++) {
    const next = nextDown(x, format);
    if (next === x) break;
    ticks.unshift({ value: next, position: place(next), distance: -distance });
    x = next;
  }
  return ticks;
}

/** From the middle of one gap to the middle of the other; undefined where there is no next value. */
function band(ticks: readonly Tick[]): readonly [number | undefined, number | undefined] {
  const at = ticks.findIndex((tick) => tick.distance === 0);
  const here = ticks[at].position;
  const left = ticks[at - 1]?.position;
  const right = ticks[at + 1]?.position;
  return [left === undefined ? undefined : (left + here) / 2, right === undefined ? undefined : (right + here) / 2];
}
