/** Completion of `torch.…` and of a tensor's methods from the names that our torch has, with what the build knows of each. */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completeAnyWord,
} from '@codemirror/autocomplete';
import { torchNames } from '@/app/generated/torch-names';
import { loadSurface } from './signature-help';
import { expanded, importsOf, lookUp } from './torch-surface';

export function torchCompletions(
  context: CompletionContext,
): CompletionResult | null | Promise<CompletionResult | null> {
  const path = context.matchBefore(/[A-Za-z_][\w.]*\.\w*/);
  return path ? membersOf(path, context) : completeAnyWord(context);
}

async function membersOf(path: { from: number; text: string }, context: CompletionContext): Promise<CompletionResult> {
  const dot = path.text.lastIndexOf('.');
  const written = path.text.slice(0, dot);
  const code = context.state.doc.toString();
  const names = torchNames[expanded(written, importsOf(code))] ?? torchNames.Tensor ?? [];
  const surface = await loadSurface().catch(() => undefined);
  return {
    from: path.from + dot + 1,
    options: names.map((label): Completion => {
      const named = surface && lookUp(`${written}.${label}`, code, surface);
      if (!named) return { label, type: /^[A-Z]/.test(label) ? 'class' : 'constant' };
      return {
        label,
        type: /^[A-Z]/.test(label) ? 'class' : 'function',
        info: `(${named.parameters})${named.documentation ? ` ${named.documentation}` : ''}`,
      };
    }),
    validFor: /^\w*$/,
  };
}
