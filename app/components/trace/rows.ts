/** Which nodes of a graph are shown, and the lanes of the edges beside them. A long run is folded around its first nonfinite value. */
import type { TraceGraph, TraceNode } from './graph';

export type Row =
  | { readonly kind: 'node'; readonly id: number; readonly node: TraceNode; readonly parents: readonly number[] }
  | {
      readonly kind: 'fold';
      /** Of its first node; negative, so that it is none of theirs. */
      readonly id: number;
      readonly nodes: readonly TraceNode[];
      readonly parents: readonly number[];
    };

/** Rows shown before anything is folded. */
const LIMIT = 40;
/** Nodes kept on either side of the first bad one, and at both ends. */
const AROUND = 6;
const ENDS = 3;

const foldId = (node: TraceNode): number => -1 - node.id;

/** `open`: ids of folds that were opened; `keep`: a node that must be seen. */
export function rowsOf(graph: TraceGraph, open: ReadonlySet<number>, keep: number | null): readonly Row[] {
  const { nodes } = graph;
  const shown = nodes.length <= LIMIT ? undefined : visible(graph, keep);
  const rows: Row[] = [];
  /** From a node's id to the row that stands for it. */
  const rowOf = new Map<number, number>();
  const parentsOf = (members: readonly TraceNode[], self: number) =>
    [...new Set(members.flatMap((n) => n.parents.flatMap((p) => rowOf.get(p) ?? [])))].filter((row) => row !== self);
  for (let i = 0; i < nodes.length; ) {
    const node = nodes[i];
    let end = i;
    while (shown && end < nodes.length && !shown.has(nodes[end].id)) end++;
    // A fold of one or two would take as much room as they do.
    if (end - i > 2 && !open.has(foldId(node))) {
      const members = nodes.slice(i, end);
      const id = foldId(node);
      for (const member of members) rowOf.set(member.id, id);
      rows.push({ kind: 'fold', id, nodes: members, parents: parentsOf(members, id) });
      i = end;
      continue;
    }
    for (const member of nodes.slice(i, Math.max(end, i + 1))) {
      rowOf.set(member.id, member.id);
      rows.push({ kind: 'node', id: member.id, node: member, parents: parentsOf([member], member.id) });
      i++;
    }
  }
  return rows;
}

function visible({ nodes, firstBad, firstVanished }: TraceGraph, keep: number | null): Set<number> {
  const shown = new Set<number>();
  const add = (from: number, to: number) => {
    for (const node of nodes.slice(Math.max(0, from), to)) shown.add(node.id);
  };
  add(0, ENDS);
  add(nodes.length - ENDS, nodes.length);
  for (const center of [firstBad ?? firstVanished, nodes.find((n) => n.id === keep)]) {
    if (!center) continue;
    const place = nodes.indexOf(center);
    add(place - AROUND, place + AROUND + 1);
    for (const parent of center.parents) shown.add(parent);
  }
  return shown;
}

export interface Lanes {
  /** The row's own lane. */
  readonly own: number;
  /** Lanes that pass by, top to bottom, with the row whose value they carry. */
  readonly through: readonly { readonly lane: number; readonly from: number }[];
  /** Lanes whose value is used here. */
  readonly joins: readonly { readonly lane: number; readonly from: number }[];
  /** The value goes on to later rows. */
  readonly goesOn: boolean;
  /** Lanes in use at this row: the width that the drawing needs. */
  readonly width: number;
}

/** Lane by lane as a version control log draws its branches: a value keeps its lane from where it is made to where it is last used. */
export function lanesOf(rows: readonly Row[]): readonly Lanes[] {
  const lastUse = new Map<number, number>();
  for (const [i, row] of rows.entries()) for (const parent of row.parents) lastUse.set(parent, i);
  const lanes: (number | null)[] = [];
  return rows.map((row, i): Lanes => {
    const before = lanes.flatMap((from, lane) => (from === null ? [] : [{ lane, from }]));
    const joins = before.filter(({ from }) => row.parents.includes(from));
    for (const { lane, from } of joins) if (lastUse.get(from) === i) lanes[lane] = null;
    const through = before.filter(({ lane }) => lanes[lane] !== null);
    let own = joins.find(({ lane }) => lanes[lane] === null)?.lane ?? lanes.indexOf(null);
    if (own < 0) own = lanes.length;
    const goesOn = (lastUse.get(row.id) ?? -1) > i;
    const width = Math.max(own, ...before.map(({ lane }) => lane)) + 1;
    lanes[own] = goesOn ? row.id : null;
    return { own, through, joins, goesOn, width };
  });
}
