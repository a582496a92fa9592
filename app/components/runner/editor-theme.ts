/** The editor in the site's colours (app/styles/tokens.css), at the size of the still code that it replaces. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': { backgroundColor: 'var(--code-background)', color: 'var(--code-text)', fontSize: '0.9rem' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflowX: 'auto' },
  '.cm-content': { padding: 'var(--space-4) 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 var(--space-4) 0 var(--space-2)' },
  '.cm-gutters': {
    backgroundColor: 'var(--code-background)',
    color: 'var(--ink-soft)',
    border: 'none',
    minWidth: '2.75rem',
    userSelect: 'none',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 var(--space-2) 0 var(--space-3)', minWidth: '2.75rem' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--significand-tint)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--significand-tint)', outline: '1px solid var(--line-strong)' },
  '.cm-error-line': { backgroundColor: 'var(--fail-tint)', boxShadow: 'inset 3px 0 0 var(--fail)' },
  '.cm-error-message': {
    // As wide as the code, not as its own longest line.
    width: '0',
    minWidth: '100%',
    boxSizing: 'border-box',
    padding: '0 var(--space-4) var(--space-1) calc(var(--space-2) + 1ch)',
    backgroundColor: 'var(--fail-tint)',
    boxShadow: 'inset 3px 0 0 var(--fail)',
    color: 'var(--fail)',
    fontFamily: 'var(--sans)',
    fontSize: 'var(--text-xs)',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
  },
  '.cm-signature': {
    maxWidth: 'min(36rem, calc(100vw - 3rem))',
    padding: 'var(--space-2) var(--space-3)',
    fontFamily: 'var(--sans)',
    fontSize: 'var(--text-xs)',
    lineHeight: '1.45',
  },
  '.cm-signature code': { fontSize: '0.8125rem', color: 'var(--ink-soft)', overflowWrap: 'anywhere' },
  '.cm-signature b': { color: 'var(--ink)', fontWeight: '700', textDecoration: 'underline' },
  '.cm-signature p': { marginTop: 'var(--space-1)' },
  '.cm-tooltip.cm-completionInfo': { padding: 'var(--space-2) var(--space-3)', fontSize: 'var(--text-xs)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--line-strong)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--action)', color: 'var(--on-action)' },
});

const highlight = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--code-comment)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))],
    color: 'var(--code-function)',
  },
  { tag: [tags.className, tags.definition(tags.className)], color: 'var(--code-function)' },
  { tag: [tags.punctuation, tags.operator], color: 'var(--code-punctuation)' },
]);

export const editorTheme = [theme, syntaxHighlighting(highlight)];
