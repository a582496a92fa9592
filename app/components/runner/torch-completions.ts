/** Completion of `torch.…` and of a tensor's methods from the names that our torch has (app/generated/torch-names.ts). */
import { type CompletionContext, type CompletionResult, completeAnyWord } from '@codemirror/autocomplete';
import { torchNames } from '@/app/generated/torch-names';

export function torchCompletions(
  context: CompletionContext,
): CompletionResult | null | Promise<CompletionResult | null> {
  const path = context.matchBefore(/[A-Za-z_][\w.]*\.\w*/);
  if (path) {
    const dot = path.text.lastIndexOf('.');
    const owner = path.text.slice(0, dot).replace(/^F$/, 'torch.nn.functional').replace(/^nn\b/, 'torch.nn');
    const names = torchNames[owner] ?? torchNames.Tensor ?? [];
    return {
      from: path.from + dot + 1,
      options: names.map((label) => ({ label, type: /^[A-Z]/.test(label) ? 'class' : 'function' })),
      validFor: /^\w*$/,
    };
  }
  return completeAnyWord(context);
}
