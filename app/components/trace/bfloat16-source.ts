/** The counterfactual "all in bfloat16": the same script with every float16 that it names replaced. Lines stay where they are. */

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\btorch\.float16\b/g, 'torch.bfloat16'],
  [/\btorch\.half\b/g, 'torch.bfloat16'],
  [/\.half\(\)/g, '.bfloat16()'],
  // CUDA's default is float16.
  [/\bautocast\(\s*(device_type\s*=\s*)?(["'])cuda\2\s*\)/g, 'autocast($1$2cuda$2, dtype=torch.bfloat16)'],
];

export interface Replaced {
  readonly code: string;
  /** Places that were changed. */
  readonly count: number;
}

export function inBfloat16(code: string): Replaced {
  let count = 0;
  for (const [pattern, by] of REPLACEMENTS) {
    count += code.match(pattern)?.length ?? 0;
    code = code.replace(pattern, by);
  }
  return { code, count };
}
