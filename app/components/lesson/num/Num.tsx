import { PRELUDE, type Witness } from '@/app/content/witness/witness';
import styles from './Num.module.css';
import { WitnessedNumber } from './WitnessedNumber';

export interface NumProps {
  /** Plain PyTorch that gives the number; no device in it, so that it runs on each. */
  readonly expr: string;
  /** Statements before it. */
  readonly setup?: string;
  /** From app/content/witness: the reference's value and PyTorch's, as JSON. */
  readonly witness?: string;
  /** The number as the sentence has it. */
  readonly children: React.ReactNode;
}

/** A number that witnesses itself: checked by the build, and on a click computed again in front of the reader. */
export function Num({ expr, setup = '', witness, children }: NumProps) {
  if (!witness) {
    if (process.env.NODE_ENV === 'production') {
      throw new Error(`<Num expr="${expr}"> has no value; \`npm run build\` computes it (scripts/witness.ts)`);
    }
    return (
      <span className={styles.pending} title="Not computed yet: restart npm run dev">
        {children}
      </span>
    );
  }
  return (
    <WitnessedNumber expr={expr} script={`${PRELUDE}${setup}`} witness={JSON.parse(witness) as Witness}>
      {children}
    </WitnessedNumber>
  );
}
