import { BitLattice } from '@/app/components/bits/BitLattice';
import { Predict } from '@/app/components/lesson/Predict';
import { float16, fromBits, toBits } from '@/engine/formats/float-format';
import styles from './home.module.css';

/** A number as Python would print it: inf, 1.023e-5. */
const written = (x: number) => {
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  return x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(3) : String(x);
};

interface Failure {
  readonly name: string;
  readonly code: string;
  readonly text: string;
  /** What is to be stored as float16. */
  readonly value: number;
  readonly valueName: string;
}

const failures: readonly Failure[] = [
  {
    name: 'the product',
    code: '10000 * 10000',
    text: 'The forward pass multiplies two perfectly ordinary activations.',
    value: 10000 * 10000,
    valueName: 'the product',
  },
  {
    name: 'the gradient',
    code: 'grad = 1e-8',
    text: 'On the way back, a gradient is small but not zero.',
    value: 1e-8,
    valueName: 'the gradient',
  },
  {
    name: 'the softmax',
    code: 'exp(20) / (exp(20) + exp(19))',
    text: 'A softmax written by hand exponentiates its logits as they come.',
    value: Math.exp(20),
    valueName: 'exp(20)',
  },
];

/** The founding scenario: three observations, one proposal, and the reader has to choose. */
export function Failures() {
  const scaled = toBits(1e-8 * 1024, float16);
  return (
    <section className={`page ${styles.section}`} aria-labelledby="failures">
      <div className={styles.sectionHead}>
        <h2 id="failures">Three failures, three different repairs</h2>
        <p>
          The run got faster with mixed precision; now the loss is sometimes inf and steps are skipped. A colleague
          wants a larger loss scale. On the table are three observations.
        </p>
      </div>
      <ol className={styles.failures}>
        {failures.map((failure) => {
          const pattern = toBits(failure.value, float16);
          return (
            <li key={failure.name}>
              <code className={styles.failureCode}>{failure.code}</code>
              <p>{failure.text}</p>
              <BitLattice format="float16" pattern={pattern} />
              <p className="label">
                {failure.valueName} in float16: {written(fromBits(pattern, float16))}
              </p>
            </li>
          );
        })}
      </ol>
      <Predict
        question="Which one would a larger loss scale repair?"
        choices="the product | the gradient | the softmax"
        answer="the gradient"
      >
        <p>
          Only the gradient. Scaled by 1024 before it is stored it becomes {written(fromBits(scaled, float16))}, and the
          optimizer divides again in float32. The other two are already inf in the forward pass, and no later factor
          brings back a value that is gone: the product needs a wider range where it happens, the softmax needs its
          maximum subtracted first.
        </p>
      </Predict>
    </section>
  );
}
