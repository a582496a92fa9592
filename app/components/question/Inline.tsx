/** A sentence of a generator: `code` between backticks. */
export function Inline({ text }: { readonly text: string }) {
  return Array.from(text.split('`').entries(), ([i, part]) =>
    i % 2 === 1 ? <code key={i}>{part}</code> : <span key={i}>{part}</span>,
  );
}
