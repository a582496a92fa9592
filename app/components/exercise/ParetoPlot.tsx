import type { ParetoFigure } from '@/exercises/kit/schema';
import styles from './ParetoPlot.module.css';

/** The picture's own units; it scales with its box. */
const WIDTH = 560;
const HEIGHT = 260;
const LEFT = 64;
const RIGHT = 16;
const TOP = 16;
const BOTTOM = 44;

const number = (x: number): string => (Number.isFinite(x) ? x.toPrecision(2) : 'inf or NaN');

/** What an attempt paid and what is left, among the best that is possible: less is better on both axes. */
export function ParetoPlot({ figure }: { readonly figure: ParetoFigure }) {
  const { title, cost, error, target, frontier, attempt } = figure;
  const finite = [...frontier, attempt].map((p) => p.error).filter((e) => Number.isFinite(e) && e > 0);
  const low = Math.floor(Math.log10(Math.min(target, ...finite)));
  const high = Math.ceil(Math.log10(Math.max(target, ...finite)));
  const most = Math.max(attempt.cost, ...frontier.map((p) => p.cost), 1);
  const x = (c: number) => LEFT + (c / most) * (WIDTH - LEFT - RIGHT);
  // An infinite error stands above the top line.
  const y = (e: number) =>
    Number.isFinite(e) ? TOP + ((high - Math.log10(e)) / Math.max(high - low, 1)) * (HEIGHT - TOP - BOTTOM) : TOP / 2;
  const decades = Array.from({ length: high - low + 1 }, (_, i) => low + i).filter(
    (d, i, all) => all.length <= 7 || i % 2 === 0 || d === high,
  );
  const reached = attempt.error <= target;
  const drawn = frontier.filter((p) => Number.isFinite(p.error));
  const said = `Yours, ${cost}: ${attempt.cost}; ${error}: ${number(attempt.error)}. The target is ${number(target)}, ${reached ? 'reached' : 'not reached'}.`;

  return (
    <figure className={styles.figure} data-figure="pareto">
      <figcaption>
        {title}. {said}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${said}`}>
        {decades.map((d) => (
          <g key={d}>
            <line className={styles.grid} x1={LEFT} x2={WIDTH - RIGHT} y1={y(10 ** d)} y2={y(10 ** d)} />
            <text x={LEFT - 8} y={y(10 ** d) + 4} textAnchor="end">
              1e{d}
            </text>
          </g>
        ))}
        {Array.from({ length: most + 1 }, (_, c) => c)
          .filter((c) => most <= 12 || c % Math.ceil(most / 12) === 0)
          .map((c) => (
            <text key={c} x={x(c)} y={HEIGHT - BOTTOM + 18} textAnchor="middle">
              {c}
            </text>
          ))}
        <text x={(LEFT + WIDTH - RIGHT) / 2} y={HEIGHT - 6} textAnchor="middle">
          {cost}
        </text>
        <line className={styles.target} x1={LEFT} x2={WIDTH - RIGHT} y1={y(target)} y2={y(target)} />
        <text className={styles.targetText} x={WIDTH - RIGHT} y={y(target) - 6} textAnchor="end">
          target
        </text>
        <polyline className={styles.frontier} points={drawn.map((p) => `${x(p.cost)},${y(p.error)}`).join(' ')} />
        {drawn.map((p) => (
          <circle key={p.cost} className={styles.best} cx={x(p.cost)} cy={y(p.error)} r={4} />
        ))}
        <rect
          className={styles.attempt}
          data-reached={reached}
          x={x(attempt.cost) - 7}
          y={y(attempt.error) - 7}
          width={14}
          height={14}
        />
        <text
          className={styles.mine}
          x={x(attempt.cost) + (attempt.cost > most / 2 ? -12 : 12)}
          y={y(attempt.error) + 4}
          textAnchor={attempt.cost > most / 2 ? 'end' : 'start'}
        >
          yours
        </text>
      </svg>
      <details>
        <summary>The same as numbers</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{cost}</th>
              <th scope="col">{error}, at best</th>
            </tr>
          </thead>
          <tbody>
            {frontier.map((p) => (
              <tr key={p.cost}>
                <td>{p.cost}</td>
                <td>{number(p.error)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
