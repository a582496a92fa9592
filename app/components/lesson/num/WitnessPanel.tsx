'use client';
import { useEffect, useId, useLayoutEffect, useRef } from 'react';
import { BitLattice } from '@/app/components/bits/BitLattice';
import { BackendNotice } from '@/app/components/runner/BackendNotice';
import { hashOf } from '@/app/components/widgets/format-explorer/address';
import { type Element, elementsWithBits } from '@/app/content/witness/value';
import type { Witness } from '@/app/content/witness/witness';
import { formats, ulpDistance } from '@/engine/formats/float-format';
import styles from './Num.module.css';
import { type LiveWitness, useWitness } from './useWitness';

export interface WitnessPanelProps {
  readonly anchor: React.RefObject<HTMLElement | null>;
  readonly expr: string;
  readonly script: string;
  readonly witness: Witness;
  onClose(): void;
}

/** More than this many elements are shown without their bits. */
const MANY = 4;

/** Three witnesses of one number: this browser's GPU, now; the reference, when the page was built; PyTorch, as recorded. */
export default function WitnessPanel({ anchor, expr, script, witness, onClose }: WitnessPanelProps) {
  const panel = useRef<HTMLDivElement>(null);
  const title = useId();
  useAnchoredPopover(panel, anchor, onClose);
  const here = useWitness(expr, script);
  const reference = elementsWithBits(witness.reference, expr);
  const torch = witness.torch ? elementsWithBits(witness.torch.value, expr) : undefined;
  const live = here.live ? elementsWithBits(here.live.value, expr) : undefined;
  return (
    <div
      ref={panel}
      popover="auto"
      className={styles.panel}
      role="dialog"
      aria-labelledby={title}
      tabIndex={-1}
      data-witness-panel
    >
      <div className={styles.head}>
        <code id={title} className={styles.expr}>
          {expr}
        </code>
        <button type="button" className={styles.close} aria-label="Close" onClick={() => panel.current?.hidePopover()}>
          <span aria-hidden="true">×</span>
        </button>
      </div>
      <dl className={styles.witnesses}>
        <Row name={liveName(here)} id="webgpu" elements={live} compared={reference}>
          <LiveState here={here} />
        </Row>
        <Row name="Reference, when this page was built" id="reference" elements={reference} />
        <Row
          name={witness.torch ? `PyTorch ${witness.torch.version}, recorded` : 'PyTorch'}
          id="torch"
          elements={torch}
          compared={reference}
        >
          Nobody has recorded PyTorch’s value yet.
        </Row>
      </dl>
      <Bits elements={live ?? reference} />
      {here.run.backend?.name === 'cpu' && here.live ? <BackendNotice backend={here.run.backend} /> : null}
    </div>
  );
}

const liveName = ({ run }: LiveWitness) =>
  run.backend === undefined || run.backend.name === 'webgpu'
    ? 'WebGPU, in your browser'
    : 'Your browser, without WebGPU';

/** One witness: its value, its bits, and how far it is from the reference where it is not equal. */
function Row({
  name,
  id,
  elements,
  compared,
  children,
}: {
  readonly name: string;
  readonly id: string;
  readonly elements: readonly Element[] | undefined;
  readonly compared?: readonly Element[];
  readonly children?: React.ReactNode;
}) {
  return (
    <div className={styles.row} data-row={id}>
      <dt>{name}</dt>
      <dd>
        {elements ? (
          <>
            <span className={styles.value}>{listed(elements.map((element) => element.text))}</span>
            {elements.length <= MANY && elements.every((element) => element.bits !== undefined) ? (
              <span className={styles.hex}>{elements.map(hex).join(' ')}</span>
            ) : null}
            {compared ? <Verdict elements={elements} reference={compared} /> : null}
          </>
        ) : null}
        {elements && id !== 'webgpu' ? null : children ? <span className={styles.note}>{children}</span> : null}
      </dd>
    </div>
  );
}

const listed = (texts: readonly string[]) => (texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`);

function hex({ bits = 0, format = 'float32' }: Element): string {
  return `0x${bits.toString(16).padStart(Math.ceil(formats[format].bits / 4), '0')}`;
}

function Verdict({
  elements,
  reference,
}: {
  readonly elements: readonly Element[];
  readonly reference: readonly Element[];
}) {
  if (elements.length !== reference.length)
    return (
      <span className={styles.differs} data-verdict>
        another shape
      </span>
    );
  const at = elements.findIndex((element, i) => element.text !== reference[i].text);
  if (at < 0)
    return (
      <span className={styles.equal} data-verdict>
        equal to the bit
      </span>
    );
  const { number, format } = elements[at];
  const other = reference[at].number;
  if (number === undefined || other === undefined || format === undefined)
    return (
      <span className={styles.differs} data-verdict>
        differs
      </span>
    );
  return (
    <span className={styles.differs} data-verdict>
      {ulpDistance(number, other, formats[format])} ulp from the reference
    </span>
  );
}

/** What the live row says beside, or instead of, its value. */
function LiveState({ here }: { readonly here: LiveWitness }) {
  const { run, live, again } = here;
  if (run.state === 'loading') {
    const { label = 'Waiting for the other run', fraction } = run.progress ?? {};
    return (
      <span className={styles.progress} role="status">
        {label}
        <progress aria-label={label} value={fraction} max={fraction === undefined ? undefined : 1} />
      </span>
    );
  }
  if (run.state === 'running') return <span role="status">Running</span>;
  if (live) {
    if (run.backend?.name !== 'webgpu') return <span role="status">the reference engine, in your browser</span>;
    const kernels =
      live.gpuOps > 0 ? `${live.gpuOps} op${live.gpuOps === 1 ? '' : 's'} on the GPU` : 'no op needed the GPU';
    return (
      <span role="status">
        {kernels}
        {run.backend.adapter ? `, ${run.backend.adapter}` : ''}
      </span>
    );
  }
  if (run.state === 'error' || run.state === 'stopped') {
    return (
      <span role="alert">
        {run.error ? `${run.error.type}: ${run.error.message}` : (run.reason ?? 'It could not be run.')}{' '}
        <button type="button" className={styles.retry} onClick={again}>
          Try again
        </button>
      </span>
    );
  }
  return null;
}

function Bits({ elements }: { readonly elements: readonly Element[] }) {
  if (elements.length > MANY) return null;
  const shown = elements.flatMap(({ bits, format }, position) =>
    bits === undefined || format === undefined ? [] : [{ bits, format, position }],
  );
  if (shown.length === 0) return null;
  return (
    <div className={styles.lattices}>
      {shown.map(({ bits, format, position }) => (
        <div key={position}>
          <BitLattice format={format} pattern={bits} legend />
        </div>
      ))}
      <p className={styles.note}>
        as {[...new Set(shown.map(({ format }) => format))].join(', ')},{' '}
        <a
          href={`/formats/${hashOf({ text: `0x${shown[0].bits.toString(16)}`, format: shown[0].format })}`}
          target="_blank"
          rel="noreferrer"
        >
          beside the other formats
        </a>
      </p>
    </div>
  );
}

/** Opens beside the number, inside the page's width; on a phone it is a sheet at the bottom. Escape and a tap beside it close it. */
function useAnchoredPopover(
  panel: React.RefObject<HTMLDivElement | null>,
  anchor: React.RefObject<HTMLElement | null>,
  onClose: () => void,
) {
  useLayoutEffect(() => {
    const element = panel.current;
    const from = anchor.current;
    if (!element || !from) return;
    element.showPopover();
    const place = () => {
      const box = from.getBoundingClientRect();
      const page = document.documentElement.clientWidth;
      const left = Math.max(8, Math.min(box.left - 16, page - element.offsetWidth - 8));
      // Above the number where there is no room below it.
      const below = innerHeight - box.bottom;
      const above = below < element.offsetHeight + 16 && box.top > below;
      element.style.setProperty('--left', `${left + scrollX}px`);
      element.style.setProperty(
        '--top',
        `${(above ? box.top - element.offsetHeight - 8 : box.bottom + 8) + scrollY}px`,
      );
    };
    place();
    element.focus({ preventScroll: true });
    // The sheet of a phone must not lie on the number.
    const covered = from.getBoundingClientRect().bottom + 24 - element.getBoundingClientRect().top;
    if (getComputedStyle(element).position === 'fixed' && covered > 0) scrollBy({ top: covered });
    const resized = new ResizeObserver(place);
    resized.observe(element);
    addEventListener('resize', place);
    return () => {
      resized.disconnect();
      removeEventListener('resize', place);
    };
  }, [panel, anchor]);
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    const closed = (event: Event) => {
      if ((event as ToggleEvent).newState !== 'closed') return;
      // A click elsewhere has its own focus; Escape and Close give it back to the number.
      if (element.contains(document.activeElement) || document.activeElement === document.body) anchor.current?.focus();
      onClose();
    };
    element.addEventListener('beforetoggle', closed);
    return () => element.removeEventListener('beforetoggle', closed);
  }, [panel, anchor, onClose]);
}
