import { BackendNotice } from '@/app/components/runner/BackendNotice';
import styles from './GradScalerOrder.module.css';
import type { Orders } from './useOrders';

/** What the engine is doing: a bar while it does it, a notice where cuda isn't a GPU, the reason where a run failed. */
export function RunNotes({ orders }: { readonly orders: Orders }) {
  const { run, busy, progress } = orders;
  const loading = run.state === 'loading';
  const fraction = loading ? run.progress?.fraction : progress && progress.done / progress.total;
  const label = loading
    ? (run.progress?.label ?? 'Waiting for the other run')
    : progress && progress.total > 1
      ? `Running order ${progress.done + 1} of ${progress.total}`
      : 'Running';
  return (
    <>
      {busy ? (
        <label className={styles.progress}>
          <span>{label}</span>
          <progress value={fraction} max={fraction === undefined ? undefined : 1} />
        </label>
      ) : null}
      {run.backend?.name === 'cpu' ? <BackendNotice backend={run.backend} /> : null}
      {run.reason || run.state === 'error' ? (
        <p className={styles.failed} role="alert">
          {run.reason ?? 'The run failed. Try again; if it fails again, reload the page.'}
        </p>
      ) : null}
    </>
  );
}
