'use client';
import { useId, useMemo, useState } from 'react';
import { formats } from '@/engine/formats/float-format';
import styles from './SoftmaxStages.module.css';
import { type Stage, type StageDtype, type StageValue, softmaxStages } from './stages';

const DTYPES: readonly StageDtype[] = ['float16', 'bfloat16', 'float32'];
const PRESETS: readonly { readonly name: string; readonly logits: readonly number[] }[] = [
  { name: 'Ordinary', logits: [1, 2, 3] },
  { name: 'The interview', logits: [20, 19, 0] },
  { name: 'Past bfloat16', logits: [100, 99, 0] },
  { name: 'Very negative', logits: [-20, -21, -22] },
  { name: 'All equal', logits: [12, 12, 12] },
];
const START = PRESETS[1]?.logits ?? [20, 19, 0];
const LABEL: Readonly<Record<Stage['name'], string>> = {
  logits: 'x',
  shifted: 'x − max',
  exp: 'exp',
  sum: 'sum',
  probabilities: 'exp / sum',
};

/** Softmax stage by stage: logits on sliders, each dtype, with and without the shift, with the bits of every value. */
export default function SoftmaxStages() {
  const [logits, setLogits] = useState<readonly number[]>(START);
  const [dtype, setDtype] = useState<StageDtype>('float16');
  const id = useId();
  const naive = useMemo(() => softmaxStages(logits, dtype, false), [logits, dtype]);
  const shifted = useMemo(() => softmaxStages(logits, dtype, true), [logits, dtype]);
  const set = (i: number, v: number) => setLogits((all) => all.map((x, k) => (k === i ? v : x)));
  return (
    <div className={styles.widget} data-widget="softmax-stages">
      <div className={styles.controls}>
        <fieldset className={styles.group}>
          <legend>dtype</legend>
          <div className={styles.segments}>
            {DTYPES.map((d) => (
              <label key={d} className={styles.segment}>
                <input type="radio" name={`${id}-dtype`} value={d} checked={d === dtype} onChange={() => setDtype(d)} />
                <span>{d}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <div className={styles.sliders}>
          {Array.from(logits.entries(), ([i, v]) => (
            <div key={i} className={styles.slider}>
              <label htmlFor={`${id}-${i}`}>logit {i}</label>
              <input
                id={`${id}-${i}`}
                type="range"
                min={-120}
                max={120}
                step={0.5}
                value={v}
                onChange={(e) => set(i, Number(e.target.value))}
              />
              <output htmlFor={`${id}-${i}`}>{v}</output>
            </div>
          ))}
        </div>
        <div className={styles.presets}>
          {PRESETS.map((p) => (
            <button key={p.name} type="button" className="button" onClick={() => setLogits(p.logits)}>
              {p.name}
            </button>
          ))}
        </div>
      </div>
      <div className={styles.panes}>
        <Pane title="As written" stages={naive} dtype={dtype} />
        <Pane title="Maximum subtracted" stages={shifted} dtype={dtype} />
      </div>
      <p className={styles.verdict} role="status">
        {verdict(naive, shifted, dtype)}
      </p>
    </div>
  );
}

function verdict(naive: readonly Stage[], shifted: readonly Stage[], dtype: StageDtype): string {
  const bad = naive.find((s) => s.values.some((v) => !Number.isFinite(v.value)));
  const sum = naive.find((s) => s.name === 'sum')?.values[0]?.value;
  if (bad?.name === 'exp' || bad?.name === 'sum')
    return `As written, ${LABEL[bad.name]} leaves the range of ${dtype}, and inf / inf is NaN. With the maximum subtracted every stage is finite.`;
  if (sum === 0)
    return `As written, every exponential rounds to 0 in ${dtype}, and 0 / 0 is NaN. With the maximum subtracted the sum is at least 1.`;
  const same = naive.at(-1)?.values.every((v, i) => v.bits === shifted.at(-1)?.values[i]?.bits);
  return same
    ? `Both survive in ${dtype}, and agree to the last bit.`
    : `Both survive in ${dtype}; the roundings on the way differ in the last digits.`;
}

function Pane({ title, stages, dtype }: { title: string; stages: readonly Stage[]; dtype: StageDtype }) {
  const probabilities = stages.at(-1)?.values ?? [];
  return (
    <section className={styles.pane} aria-label={title}>
      <h4>{title}</h4>
      <div className={styles.scroll}>
        <table>
          <thead>
            <tr>
              <th scope="col">stage</th>
              {probabilities.map(({ position }) => (
                <th key={position} scope="col">
                  {position}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {stages.map((s) => (
              <tr key={s.name} data-stage={s.name}>
                <th scope="row">{LABEL[s.name]}</th>
                {s.values.map((v) => (
                  <td
                    key={v.position}
                    colSpan={s.name === 'sum' ? probabilities.length : 1}
                    data-finite={Number.isFinite(v.value)}
                  >
                    <span className={styles.number}>{text(v.value)}</span>
                    <Lanes value={v} dtype={dtype} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className={styles.bars} aria-hidden="true">
        {probabilities.map((p) => (
          <div key={p.position} className={styles.bar} data-finite={Number.isFinite(p.value)}>
            <span style={{ inlineSize: `${Number.isFinite(p.value) ? p.value * 100 : 100}%` }} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** Sign, exponent and significand of one value; hex for assistive technology. */
function Lanes({ value, dtype }: { value: StageValue; dtype: StageDtype }) {
  const { exponentBits, bits } = formats[dtype];
  const pattern = value.bits.toString(2).padStart(bits, '0');
  return (
    <span className={styles.lanes} title={`0x${value.bits.toString(16).padStart(bits / 4, '0')}`}>
      <span className={styles.hex}>0x{value.bits.toString(16).padStart(bits / 4, '0')}</span>
      <span aria-hidden="true" className={styles.bits}>
        <b data-field="sign">{pattern.slice(0, 1)}</b>
        <b data-field="exponent">{pattern.slice(1, 1 + exponentBits)}</b>
        <b data-field="significand">{pattern.slice(1 + exponentBits)}</b>
      </span>
    </span>
  );
}

function text(x: number): string {
  if (Number.isNaN(x)) return 'nan';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  if (x !== 0 && (Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3)) return x.toExponential(3);
  return String(Number(x.toPrecision(5)));
}
