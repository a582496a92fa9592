'use client';
import { useEffect, useState } from 'react';

interface Piece {
  readonly text: string;
  readonly color?: string;
}

/** Still Python in the site's colours, for code that the build didn't know. Plain until the highlighter is there. */
export function PythonCode({ code }: { readonly code: string }) {
  const [pieces, setPieces] = useState<readonly Piece[]>();
  useEffect(() => {
    let gone = false;
    colored(code).then(
      (result) => gone || setPieces(result),
      () => undefined, // Then it stays plain.
    );
    return () => {
      gone = true;
    };
  }, [code]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where a line is wider than the screen
    <pre className="shiki" tabIndex={0}>
      <code>
        {pieces
          ? Array.from(pieces.entries(), ([i, { text, color }]) => (
              <span key={i} style={color ? { color } : undefined}>
                {text}
              </span>
            ))
          : code.trimEnd()}
      </code>
    </pre>
  );
}

async function colored(code: string): Promise<Piece[]> {
  const [{ pythonLanguage }, { highlightCode, tagHighlighter, tags }] = await Promise.all([
    import('@codemirror/lang-python'),
    import('@lezer/highlight'),
  ]);
  // As the editor colours it (editor-theme.ts).
  const highlighter = tagHighlighter([
    { tag: tags.comment, class: 'var(--code-comment)' },
    { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], class: 'var(--code-keyword)' },
    { tag: tags.string, class: 'var(--code-string)' },
    { tag: [tags.number, tags.bool, tags.null], class: 'var(--code-number)' },
    { tag: tags.function(tags.variableName), class: 'var(--code-function)' },
    { tag: [tags.punctuation, tags.operator], class: 'var(--code-punctuation)' },
  ]);
  const text = code.trimEnd();
  const pieces: Piece[] = [];
  highlightCode(
    text,
    pythonLanguage.parser.parse(text),
    highlighter,
    (part, color) => pieces.push({ text: part, color: color.split(' ')[0] || undefined }),
    () => pieces.push({ text: '\n' }),
  );
  return pieces;
}
