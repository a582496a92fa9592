import type { Metadata } from 'next';
import { PageHead } from '@/app/components/site/PageHead';
import { FormatExplorer } from '@/app/components/widgets/format-explorer/FormatExplorer';
import { FormatTable } from './FormatTable';
import styles from './formats.module.css';

export const metadata: Metadata = {
  title: 'Number formats',
  description:
    'float32, tf32, bfloat16, float16 and both float8 formats, bit by bit: type a number or flip a bit, and see what each format keeps of it.',
};

export default function FormatsPage() {
  return (
    <div className="page">
      <PageHead title="Six formats, one number">
        <p>
          Type a number or flip a bit, and see what each format keeps of it, computed exactly. Every state has a link.
        </p>
      </PageHead>
      <FormatExplorer inAddress />
      <section className={styles.reference} aria-labelledby="numbers">
        <h2 id="numbers">The formats in numbers</h2>
        <FormatTable />
      </section>
    </div>
  );
}
