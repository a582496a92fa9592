import Link from 'next/link';
import { BitLattice } from '@/app/components/bits/BitLattice';
import { Runner } from '@/app/components/runner/Runner';
import { highlightPython } from '@/app/content/highlighter';
import type { Lesson } from '@/app/content/lessons';
import { float16, toBits } from '@/engine/formats/float-format';
import styles from './home.module.css';

const CODE = `import torch

x = torch.tensor(1e4, dtype=torch.float16).to("cuda")
print(x * x)`;

/** What tests/e2e compares with what Python prints. */
const EXPECTED = "tensor(inf, device='cuda:0', dtype=torch.float16)\n";

/** The promise, and a cell that keeps it. */
export async function Hero({ first }: { readonly first?: Lesson }) {
  const highlighted = await highlightPython(CODE);
  return (
    <div className={styles.heroBand}>
      <div className={`page ${styles.hero}`}>
        <div className={styles.pitch}>
          <h1 className={styles.display}>Mixed precision, to the bit.</h1>
          <p className={styles.lead}>
            An interview course that you can run. You write real Python against <code>torch</code>; every float16 and
            bfloat16 result is computed exactly, on your own GPU, in this tab.
          </p>
          <p className={styles.calls}>
            {first ? (
              <Link href={`/lessons/${first.slug}/`} className="button">
                Start: {first.frontmatter.title}
              </Link>
            ) : null}
            <Link href="/lab/" className="button">
              Open the lab
            </Link>
          </p>
        </div>
        <div className={styles.demo}>
          <Runner id="home/overflow" title="Ten thousand squared" code={CODE} expected={EXPECTED}>
            {/* biome-ignore lint/security/noDangerouslySetInnerHtml: Shiki's output for a constant */}
            <div dangerouslySetInnerHTML={{ __html: highlighted }} />
          </Runner>
          <figure className={styles.heroBits}>
            <BitLattice format="float16" pattern={toBits(1e8, float16)} legend />
            <figcaption>
              1e8 stored as float16: the exponent is all ones and the significand is empty, which is how the format
              spells inf.
            </figcaption>
          </figure>
        </div>
      </div>
    </div>
  );
}
