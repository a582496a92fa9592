'use client';
import { useId, useState } from 'react';
import {
  type Evidence,
  type EvidenceRequest,
  type Interview,
  PROBE,
  requestKey,
} from '@/content/interviews/kit/schema';
import styles from './interview.module.css';

interface MenuProps {
  readonly interview: Interview;
  /** Keys of what has been asked. */
  readonly asked: ReadonlySet<string>;
  /** The probe as it was left. */
  readonly probe: string;
  onProbe(code: string): void;
  onAsk(request: EvidenceRequest, cost: number): void;
}

const minutes = (n: number) => `${n} min`;

/** The catalogue: everything can be asked for, everything costs. */
export function EvidenceMenu({ interview, asked, probe, onProbe, onAsk }: MenuProps) {
  const ask = (request: EvidenceRequest, cost: number) => onAsk(request, cost);
  return (
    <div className={styles.menu}>
      {interview.evidence.map((e) => (
        <details key={e.id} name="evidence" className={styles.entry} data-evidence={e.id}>
          <summary>
            <span>{e.title}</span>
            <span className={styles.cost}>{minutes(e.cost)}</span>
          </summary>
          <RequestForm evidence={e} steps={interview.steps} asked={asked} onAsk={ask} />
        </details>
      ))}
      <details name="evidence" className={styles.entry} data-evidence={PROBE}>
        <summary>
          <span>A probe of your own</span>
          <span className={styles.cost}>{minutes(interview.probeCost)}</span>
        </summary>
        <ProbeForm cost={interview.probeCost} asked={asked} code={probe} onCode={onProbe} onAsk={ask} />
      </details>
    </div>
  );
}

interface FormProps {
  readonly evidence: Evidence;
  readonly steps: number;
  readonly asked: ReadonlySet<string>;
  onAsk(request: EvidenceRequest, cost: number): void;
}

function RequestForm({ evidence, steps, asked, onAsk }: FormProps) {
  const id = useId();
  const [chosen, choose] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(evidence.parameters.map((p) => [p.name, p.kind === 'choice' ? (p.options[0]?.id ?? '') : '0'])),
  );
  const request = { evidence: evidence.id, parameters: chosen };
  const again = asked.has(requestKey(request));
  return (
    <form
      className={styles.request}
      onSubmit={(event) => {
        event.preventDefault();
        onAsk(request, evidence.cost);
      }}
    >
      <p>{evidence.detail}</p>
      {evidence.parameters.map((p) => (
        <div key={p.name} className={styles.parameter}>
          <label htmlFor={`${id}-${p.name}`}>{p.title}</label>
          {p.kind === 'choice' ? (
            <select
              id={`${id}-${p.name}`}
              value={chosen[p.name]}
              onChange={(event) => choose({ ...chosen, [p.name]: event.target.value })}
            >
              {p.options.map((o) => (
                <option key={o.id} value={o.id}>
                  {o.title}
                </option>
              ))}
            </select>
          ) : (
            <input
              id={`${id}-${p.name}`}
              type="number"
              inputMode="numeric"
              min={0}
              max={steps - 1}
              required
              value={chosen[p.name]}
              onChange={(event) => choose({ ...chosen, [p.name]: event.target.value })}
            />
          )}
        </div>
      ))}
      <button type="submit" className="button">
        {again ? 'Show it again' : `Ask, ${minutes(evidence.cost)}`}
      </button>
    </form>
  );
}

interface ProbeProps {
  readonly cost: number;
  readonly asked: ReadonlySet<string>;
  readonly code: string;
  onCode(code: string): void;
  onAsk(request: EvidenceRequest, cost: number): void;
}

export const FIRST_PROBE = `import torch, run
model, optimizer, scaler = run.build()
batch = run.batch_at(0)
print([t.dtype for t in batch])
`;

function ProbeForm({ cost, asked, code, onCode, onAsk }: ProbeProps) {
  const id = useId();
  const request = { evidence: PROBE, parameters: { code } };
  const again = asked.has(requestKey(request));
  return (
    <form
      className={styles.request}
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() !== '') onAsk(request, cost);
      }}
    >
      <p>
        Python of your own beside the run: <code>run</code> has <code>build</code>, <code>batch_at</code>,{' '}
        <code>compute_loss</code>, <code>train_step</code>; <code>instruments.replay(step)</code> gives model,
        optimizer, scaler and batch as they are before a step. What it prints comes onto the desk.
      </p>
      <div className={styles.parameter}>
        <label htmlFor={id}>Probe</label>
        <textarea
          id={id}
          className={styles.code}
          rows={Math.min(14, Math.max(5, code.split('\n').length + 1))}
          spellCheck={false}
          autoCapitalize="off"
          value={code}
          onChange={(event) => onCode(event.target.value)}
        />
      </div>
      <button type="submit" className="button">
        {again ? 'Show it again' : `Run, ${minutes(cost)}`}
      </button>
    </form>
  );
}
