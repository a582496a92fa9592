/**
 * Short programs against PyTorch: each snippet's printed result, or its error, is what PyTorch 2.13 gives (tests/golden/generate/snippets.py
 * made the file). Differences are listed here with what is given instead and why.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeSession } from '@/engine/session/node';
import { goldenJson } from '../golden/load';
import { type GoldenResult, recordGolden } from '../golden/results';
import { recordPython, startSession } from './golden-python';

/** snippet: [what it gives here, why]. */
const differences: Readonly<Record<string, readonly [string, string]>> = {
  'torch.ones(2).unsqueeze()': [
    "TypeError: unsqueeze() missing 1 required positional argument: 'dim'",
    "a missing argument is reported in Python's own words",
  ],
  'x=torch.ones(3,requires_grad=True); w=x*2; w[w>1]=0; w.sum().backward(); r=(w,x.grad)': [
    '(tensor([0., 0., 0.], grad_fn=<MaskedFillBackward0>), tensor([0., 0., 0.]))',
    'assignment of one number through a mask is recorded as masked_fill; values and gradients are the same',
  ],
  'x=torch.tensor([1.,2.]); x.resize_(3)': [
    'AttributeError: Tensor.resize_ is not supported here. Near it: size.',
    'not supported',
  ],
};

describe('short torch programs give what PyTorch gives', () => {
  let session: NodeSession;
  const results: GoldenResult[] = [];
  beforeAll(async () => {
    session = await startSession();
  });
  afterAll(() => recordGolden('python-snippets', results));

  it('all of snippets.json', async () => {
    const snippets = goldenJson<[string, string][]>('snippets.json');
    const { trace, error } = await recordPython(
      session,
      `
warnings.simplefilter("ignore")
for code in json.loads(${JSON.stringify(JSON.stringify(snippets.map(([code]) => code)))}):
    scope = {"torch": torch, "nn": nn, "F": F}
    try:
        try:
            compiled = compile(code, "snippet", "eval")
        except SyntaxError:
            exec(code.replace("\\\\n", "\\n"), scope)
            trace.append(repr(scope.get("r")))
        else:
            trace.append(repr(eval(compiled, scope)))
    except Exception as e:
        trace.append(f"{type(e).__name__}: {e}")
    del scope
`,
    );
    expect(error).toBeUndefined();
    const wrong = snippets.flatMap(([code, result], i) => {
      const expected = differences[code]?.[0] ?? result;
      return trace[i] === expected ? [] : [`${code}\n  gives    ${String(trace[i])}\n  expected ${expected}`];
    });
    const exceptions = Object.entries(differences).map(([code, [, why]]) => `${code}: ${why}`);
    const passed = snippets.length - wrong.length - exceptions.length;
    results.push({ file: 'snippets.json', entries: snippets.length, passed, compared: 'exact text', exceptions });
    expect(wrong).toEqual([]);
  });
});
