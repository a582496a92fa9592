'use client';
import { useId, useState } from 'react';
import type { AskedEvidence, Standing } from '@/content/interviews/kit/machine';
import type { DiagnoseQuestion, Interview } from '@/content/interviews/kit/schema';
import { describeRequest } from './describe-request';
import styles from './interview.module.css';
import { shuffled } from './shuffled';

export interface DiagnoseDraft {
  readonly diagnosis: string;
  readonly repair: string;
  readonly cites: readonly string[];
  readonly repairCites: readonly string[];
}

const EMPTY: DiagnoseDraft = { diagnosis: '', repair: '', cites: [], repairCites: [] };

interface Props {
  readonly interview: Interview;
  readonly question: DiagnoseQuestion;
  /** Decides the order of the options. */
  readonly seed: number;
  readonly evidence: readonly AskedEvidence[];
  readonly draft: DiagnoseDraft | undefined;
  readonly standing: Standing;
  onDraft(draft: DiagnoseDraft): void;
  onAnswer(answer: DiagnoseDraft): void;
  onKeep(): void;
}

/** A diagnosis and a repair, each with the evidence that it rests on. */
export function DiagnoseForm({
  interview,
  question,
  seed,
  evidence,
  draft,
  standing,
  onDraft,
  onAnswer,
  onKeep,
}: Props) {
  const [form, setForm] = useState<DiagnoseDraft>(draft ?? EMPTY);
  const [missing, setMissing] = useState<string>();
  const id = useId();
  const change = (by: Partial<DiagnoseDraft>) => {
    const next = { ...form, ...by };
    setForm(next);
    setMissing(undefined);
    onDraft(next);
  };
  const again = standing.kind === 'again';
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (form.diagnosis === '') return setMissing('Choose a diagnosis first.');
    if (form.repair === '') return setMissing('Choose a repair as well.');
    onAnswer(form);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Choice
        legend="What is wrong"
        name={`${id}-diagnosis`}
        value={form.diagnosis}
        options={shuffled(question.diagnoses, `${question.id} diagnosis`, seed).map(({ item }) => item)}
        onChange={(diagnosis) => change({ diagnosis })}
      />
      <Cites
        legend="It rests on"
        interview={interview}
        evidence={evidence}
        cites={form.cites}
        onChange={(cites) => change({ cites })}
      />
      <Choice
        legend="The repair"
        name={`${id}-repair`}
        value={form.repair}
        options={shuffled(question.repairs, `${question.id} repair`, seed).map(({ item }) => item)}
        onChange={(repair) => change({ repair })}
      />
      <Cites
        legend="The repair rests on"
        interview={interview}
        evidence={evidence}
        cites={form.repairCites}
        onChange={(repairCites) => change({ repairCites })}
      />
      {missing ? (
        <p className={styles.missing} role="alert">
          {missing}
        </p>
      ) : null}
      <div className={styles.actions}>
        <button type="submit" className="button button-primary">
          {again ? 'Answer again' : 'Answer'}
        </button>
        {again ? (
          <button type="button" className="button" onClick={onKeep}>
            Stand by the first answer
          </button>
        ) : null}
      </div>
      {form.cites.length === 0 && !again ? (
        <p className={styles.note}>An answer without evidence counts as a guess.</p>
      ) : null}
    </form>
  );
}

interface ChoiceProps {
  readonly legend: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly text: string }[];
  onChange(id: string): void;
}

function Choice({ legend, name, value, options, onChange }: ChoiceProps) {
  return (
    <fieldset className={styles.choices}>
      <legend>{legend}</legend>
      {options.map((o) => (
        <label key={o.id} className={styles.choice} data-option={o.id}>
          <input type="radio" name={name} value={o.id} checked={value === o.id} onChange={() => onChange(o.id)} />
          <span>{o.text}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface CitesProps {
  readonly legend: string;
  readonly interview: Interview;
  readonly evidence: readonly AskedEvidence[];
  readonly cites: readonly string[];
  onChange(cites: readonly string[]): void;
}

function Cites({ legend, interview, evidence, cites, onChange }: CitesProps) {
  return (
    <fieldset className={styles.cites}>
      <legend>{legend}</legend>
      {evidence.length === 0 ? <p className={styles.note}>Nothing is on the desk yet.</p> : null}
      {evidence.map((e, i) => (
        <label key={e.key} className={styles.cite} data-cite={e.key}>
          <input
            type="checkbox"
            checked={cites.includes(e.key)}
            onChange={(event) => onChange(event.target.checked ? [...cites, e.key] : cites.filter((k) => k !== e.key))}
          />
          <span>
            <b>E{i + 1}</b> {describeRequest(interview, e.request)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
