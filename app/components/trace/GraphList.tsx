'use client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Gutter, gutterWidth } from './Gutter';
import type { TraceGraph, TraceNode } from './graph';
import { largest, position, short } from './numbers';
import { lanesOf, type Row, rowsOf } from './rows';
import styles from './trace.module.css';

export interface GraphListProps {
  readonly graph: TraceGraph;
  /** The script that ran, for the text of its lines. */
  readonly code: string;
  readonly picked: number | null;
  /** `nth` of the op that was run otherwise, if any. */
  readonly changed?: { readonly nth: number; readonly how: string };
  onPick(node: TraceNode): void;
  /** Absent where there is no editor to go to. */
  onLine?(line: number): void;
}

/** Height of a row's first line, and of the line of code above it: where the dot stands. */
const ROW = 22;
const LINE = 32;

/** The graph as a list: an op a row, in the order in which they ran, with the edges drawn beside them. */
export function GraphList({ graph, code, picked, changed, onPick, onLine }: GraphListProps) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const list = useRef<HTMLOListElement>(null);
  // The list scrolls by itself: what it is about must be in sight, without moving the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another graph is shown
  useEffect(() => {
    const box = list.current;
    const about = box?.querySelector<HTMLElement>('[data-first], [data-look="vanished"]');
    if (box && about) box.scrollTop = about.offsetTop - box.clientHeight / 2;
  }, [graph]);
  const rows = useMemo(() => rowsOf(graph, open, picked), [graph, open, picked]);
  const lanes = useMemo(() => lanesOf(rows), [rows]);
  const lines = useMemo(() => code.split('\n'), [code]);
  const bad = useMemo(() => new Set(graph.nodes.filter((n) => n.bad).map((n) => n.id)), [graph]);
  const isBad = (row: number) =>
    row >= 0
      ? bad.has(row)
      : (rows.find((r) => r.id === row && r.kind === 'fold') as { nodes: TraceNode[] } | undefined)?.nodes.some(
          (n) => n.bad,
        ) === true;
  const width = gutterWidth(lanes);
  const placeOf = (row: Row | undefined) => (row?.kind === 'node' ? `${row.node.phase} ${row.node.line}` : undefined);
  return (
    <ol ref={list} className={styles.list} aria-label="Ops in the order in which they ran">
      {rows.map((row, i) => {
        const headed = row.kind === 'node' && row.node.line !== null && placeOf(row) !== placeOf(rows[i - 1]);
        const y = (headed ? LINE : 0) + ROW;
        if (row.kind === 'fold')
          return (
            <li key={row.id} className={styles.item} data-fold={row.nodes.length}>
              <Gutter lanes={lanes[i]} width={width} y={y} look="fold" isBad={isBad} />
              <button type="button" className={styles.fold} onClick={() => setOpen((all) => new Set(all).add(row.id))}>
                {foldText(row.nodes)}
              </button>
            </li>
          );
        const { node } = row;
        const first = node === graph.firstBad;
        const look = first
          ? 'first'
          : node.bad
            ? 'bad'
            : node.vanished
              ? 'vanished'
              : node.name === 'tensor'
                ? 'input'
                : 'good';
        return (
          <li
            key={row.id}
            className={styles.item}
            data-op={node.name}
            data-line={node.line ?? undefined}
            data-look={look}
            data-first={first || undefined}
          >
            <Gutter lanes={lanes[i]} width={width} y={y} look={look} isBad={isBad} />
            <div className={styles.body} style={{ marginInlineStart: width }}>
              {headed ? (
                <SourceLine
                  line={node.line ?? 0}
                  phase={node.phase}
                  text={lines[(node.line ?? 1) - 1] ?? ''}
                  onLine={onLine}
                />
              ) : null}
              <button
                type="button"
                className={styles.row}
                aria-expanded={node.id === picked}
                onClick={() => onPick(node)}
              >
                <span className={styles.op}>
                  <span className={styles.name}>{node.name}</span>
                  {first ? <span className={styles.flag}>first nonfinite</span> : null}
                  {changed && node.nth === changed.nth ? <span className={styles.changed}>{changed.how}</span> : null}
                </span>
                <span className={styles.spec}>
                  {node.dtype} [{node.shape.join(', ')}]
                </span>
                <Range node={node} />
                <Count node={node} />
              </button>
              {node.id === picked ? <Details node={node} graph={graph} /> : null}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function foldText(nodes: readonly TraceNode[]): string {
  const bad = nodes.filter((n) => n.bad).length;
  const what =
    bad === 0 ? 'all finite' : bad === nodes.length ? 'all with nonfinite values' : `${bad} with nonfinite values`;
  return `${nodes.length} more ops, ${what}`;
}

function SourceLine(props: {
  readonly line: number;
  readonly phase: TraceNode['phase'];
  readonly text: string;
  readonly onLine?: (line: number) => void;
}) {
  const { line, phase, text, onLine } = props;
  const content = (
    <>
      <span className={styles.lineNumber}>
        {phase === 'backward' ? 'backward of ' : ''}line {line}
      </span>
      <code>{text.trim()}</code>
    </>
  );
  return onLine ? (
    <button type="button" className={styles.source} onClick={() => onLine(line)}>
      {content}
    </button>
  ) : (
    <span className={styles.source}>{content}</span>
  );
}

/** The largest magnitude, on an axis of exponents with float16's window. */
function Range({ node: { counts, bad } }: { readonly node: TraceNode }) {
  if (!counts) return <span className={styles.range}>not counted</span>;
  const { min, max } = counts;
  return (
    <span className={styles.range}>
      <span className={styles.bar} aria-hidden="true" data-bad={bad}>
        <span
          className={styles.window}
          style={{
            insetInlineStart: `${100 * position(2 ** -24)}%`,
            inlineSize: `${100 * (position(65504) - position(2 ** -24))}%`,
          }}
        />
        <span className={styles.fill} style={{ inlineSize: `${100 * (bad ? 1 : position(largest(min, max)))}%` }} />
      </span>
      <span className={styles.minmax}>
        {min === undefined ? 'no finite value' : min === max ? short(min) : `${short(min)} … ${short(max)}`}
      </span>
    </span>
  );
}

function Count({ node: { counts, vanished } }: { readonly node: TraceNode }) {
  if (!counts) return null;
  const { nan, inf, subnormal } = counts;
  const parts: readonly (readonly [string, number, string])[] = [
    ['inf', inf, 'bad'],
    ['nan', nan, 'bad'],
    ['subnormal', subnormal, 'careful'],
  ];
  return (
    <span className={styles.counts}>
      {parts
        .filter(([, n]) => n > 0)
        .map(([name, n, tone]) => (
          <span key={name} data-tone={tone}>
            {n} {name}
          </span>
        ))}
      {vanished ? <span data-tone="careful">all zero</span> : null}
    </span>
  );
}

function Details({ node, graph }: { readonly node: TraceNode; readonly graph: TraceGraph }) {
  const { counts, parents, autocast } = node;
  const from = parents.flatMap((id) => graph.nodes.find((n) => n.id === id) ?? []);
  return (
    <dl className={styles.details}>
      {counts ? (
        <>
          <Fact name="values" value={counts.numel} />
          <Fact name="inf" value={counts.inf} />
          <Fact name="NaN" value={counts.nan} />
          <Fact name="zero" value={counts.zero} />
          <Fact name="subnormal" value={counts.subnormal} />
          <Fact name="smallest" value={short(counts.min)} />
          <Fact name="largest" value={short(counts.max)} />
        </>
      ) : null}
      {from.length > 0 ? (
        <Fact
          name="reads"
          value={from.map((n) => `${n.name}${n.line === null ? '' : ` (line ${n.line})`}`).join(', ')}
        />
      ) : null}
      {autocast ? <Fact name="autocast" value={autocast} /> : null}
    </dl>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: number | string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{typeof value === 'number' ? value.toLocaleString('en') : value}</dd>
    </div>
  );
}
