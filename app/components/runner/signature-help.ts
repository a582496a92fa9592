/**
 * Signature help for torch in the editor: the parameters of the call around the cursor while it is being written, and of the name under the
 * pointer. Ctrl/Cmd+Shift+Space shows and reads it, Escape hides it.
 */
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { type EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import { EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from '@codemirror/view';
import { activeParameter, lookUp, type Named, parametersOf, type TorchSurface } from './torch-surface';

let surface: TorchSurface | undefined;

/** Some 34 KB, after the editor and beside it. */
export const loadSurface = (): Promise<TorchSurface> =>
  import('@/app/generated/torch-signatures').then((module) => (surface = module.torchSurface));

/** Milliseconds that a key press may wait for the parser. */
const PARSE_WITHIN = 50;

interface CallAt {
  readonly callee: string;
  /** Just behind the callee's name: where the tip stands. */
  readonly at: number;
  /** Index of the argument that the cursor is in, and its keyword. */
  readonly place: number;
  readonly keyword?: string;
}

/** The innermost call whose parentheses the cursor is in. */
export function callAt(state: EditorState, position: number): CallAt | undefined {
  const tree = ensureSyntaxTree(state, position, PARSE_WITHIN) ?? syntaxTree(state);
  for (let node = tree.resolveInner(position, -1); ; ) {
    if (node.name === 'ArgList' && position > node.from && (position < node.to || !closed(state, node.to))) {
      const callee = node.prevSibling;
      if (!callee) return undefined;
      const before = state.sliceDoc(node.from + 1, position);
      const commas = topLevelCommas(before);
      const keyword = /^\s*(\w+)\s*=(?!=)/.exec(before.slice(commas.at(-1) ?? 0))?.[1];
      return {
        callee: state.sliceDoc(callee.from, callee.to),
        at: node.from,
        place: commas.length,
        ...(keyword ? { keyword } : {}),
      };
    }
    // Not out of a lambda or a nested function: the cursor isn't among the arguments there.
    if (!node.parent || node.name === 'Body') return undefined;
    node = node.parent;
  }
}

const closed = (state: EditorState, end: number): boolean => state.sliceDoc(end - 1, end) === ')';

/** Positions just after the commas that aren't inside brackets or strings. */
function topLevelCommas(text: string): readonly number[] {
  const commas: number[] = [];
  let depth = 0;
  let quote = '';
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (quote) quote = c === quote && text[i - 1] !== '\\' ? '' : quote;
    else if (c === "'" || c === '"') quote = c;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) commas.push(i + 1);
  }
  return commas;
}

function card(named: Named, active: number): HTMLElement {
  const root = document.createElement('div');
  root.className = 'cm-signature';
  const line = document.createElement('code');
  line.append(`${named.name}(`);
  for (const [index, parameter] of parametersOf(named.parameters).entries()) {
    if (index > 0) line.append(', ');
    const part = document.createElement(index === active ? 'b' : 'span');
    part.textContent = parameter;
    line.append(part);
  }
  line.append(')');
  root.append(line);
  if (named.documentation) {
    const text = document.createElement('p');
    text.textContent = named.documentation;
    root.append(text);
  }
  return root;
}

const spoken = ({ name, parameters, documentation }: Named, active: number): string => {
  const parameter = parametersOf(parameters)[active];
  return `${name}(${parameters}). ${documentation}${parameter ? ` Now: ${parameter}.` : ''}`;
};

interface Help {
  readonly shown: boolean;
  readonly tooltip: Tooltip | null;
  readonly named?: Named;
  readonly active: number;
}

const HIDDEN: Help = { shown: false, tooltip: null, active: -1 };
const show = StateEffect.define<boolean>();

function helpAt(state: EditorState): Help {
  const { main } = state.selection;
  const call = main.empty && surface ? callAt(state, main.head) : undefined;
  const named = call && surface ? lookUp(call.callee, state.doc.toString(), surface) : undefined;
  if (!call || !named) return HIDDEN;
  const active = activeParameter(parametersOf(named.parameters), call.place, call.keyword);
  const tooltip: Tooltip = { pos: call.at, above: true, arrow: false, create: () => ({ dom: card(named, active) }) };
  return { shown: true, tooltip, named, active };
}

const help = StateField.define<Help>({
  create: () => HIDDEN,
  update(before, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(show)) return effect.value ? helpAt(transaction.state) : HIDDEN;
    if (!transaction.docChanged && !transaction.selection) return before;
    if (before.shown) return helpAt(transaction.state);
    let opened = false;
    if (transaction.isUserEvent('input.type')) {
      transaction.changes.iterChanges((_a, _b, _c, _d, inserted) => {
        if (/[(,]/.test(inserted.toString())) opened = true;
      });
    }
    return opened ? helpAt(transaction.state) : before;
  },
  provide: (field) => showTooltip.from(field, (value) => value.tooltip),
});

function open(view: EditorView): boolean {
  void (surface ? Promise.resolve(surface) : loadSurface()).then(() => {
    view.dispatch({ effects: show.of(true) });
    const { named, active } = view.state.field(help);
    view.dispatch({
      effects: EditorView.announce.of(named ? spoken(named, active) : 'No call of torch around the cursor.'),
    });
  });
  return true;
}

function close(view: EditorView): boolean {
  if (!view.state.field(help).shown) return false;
  view.dispatch({ effects: show.of(false) });
  return true;
}

const onHover = hoverTooltip((view, position) => {
  const line = view.state.doc.lineAt(position);
  for (const match of line.text.matchAll(/[A-Za-z_]\w*(?:\.\w+)*/g)) {
    const from = line.from + match.index;
    const to = from + match[0].length;
    if (position < from || position > to || !surface) continue;
    // The name up to and with the part under the pointer.
    const end = view.state.sliceDoc(position, to).search(/\.|$/);
    const named = lookUp(view.state.sliceDoc(from, position + end), view.state.doc.toString(), surface);
    return named ? { pos: from, end: position + end, above: true, create: () => ({ dom: card(named, -1) }) } : null;
  }
  return null;
});

export const signatureHelp = [
  help,
  onHover,
  Prec.high(
    keymap.of([
      { key: 'Mod-Shift-Space', run: open },
      { key: 'Escape', run: close },
    ]),
  ),
];
