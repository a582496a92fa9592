import type { BackendInfo } from '@/engine/session/session';
import styles from './Runner.module.css';

/** What a learner can do about it, by the reason that the session gives. */
function remedy(reason: string): string {
  if (/JSPI|Promise Integration/.test(reason))
    return 'Chrome or Edge from version 137 on, and Firefox from 153 on, have it.';
  if (/no WebGPU/.test(reason))
    return 'A current Chrome, Edge, Firefox or Safari has it; some ask for it to be switched on.';
  if (/no GPU adapter/.test(reason))
    return 'Switch hardware acceleration on in the browser’s settings, or update the graphics driver.';
  return 'Reload the page to try the GPU again.';
}

/** Says plainly that `device="cuda"` isn't a GPU here, why, and what to do. */
export function BackendNotice({ backend }: { readonly backend: BackendInfo }) {
  const reason = backend.reason ?? 'no reason was given';
  return (
    <p className={styles.notice} data-notice="reference">
      <strong>device="cuda" runs on the reference engine here</strong>, with the same bits but slower, because {reason}.{' '}
      {remedy(reason)}
    </p>
  );
}
