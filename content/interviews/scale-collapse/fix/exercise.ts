import fc from 'fast-check';
import { compareTensor, expectTensor } from '@/exercises/kit/compare';
import { type Call, defineExercise, type Finding, type Outcome } from '@/exercises/kit/schema';
import { smallestSubnormal, tensor, tensorNumbers, unitRoundoff } from '@/exercises/kit/values';

type Rows = readonly (readonly number[])[];

interface Case {
  readonly x: Rows;
  readonly gain: readonly number[];
  /** Gradient of the result. */
  readonly gradOutput: Rows;
}

/** As in the run. */
const EPS = 1e-8;
const eps = { kind: 'number', type: 'float', value: EPS } as const;

const matrix = (rows: Rows) => tensor('float16', [rows.length, (rows[0] as readonly number[]).length], rows.flat());
const vector = (gain: readonly number[]) => tensor('float32', [gain.length], gain);

const forwardCall = ({ x, gain }: Case): Call => ({ function: 'rms_norm', arguments: [matrix(x), vector(gain), eps] });
const backwardCall = ({ x, gain, gradOutput }: Case): Call => ({
  function: 'rms_norm',
  mode: 'backward',
  arguments: [matrix(x), vector(gain), eps, matrix(gradOutput)],
});

/** What was passed in, as it was rounded on the way. */
const rounded = (rows: Rows): number[][] => {
  const flat = tensorNumbers(matrix(rows));
  const width = (rows[0] as readonly number[]).length;
  return rows.map((_, i) => flat.slice(i * width, (i + 1) * width));
};
const root = (row: readonly number[]): number =>
  1 / Math.sqrt(row.reduce((sum, v) => sum + v * v, 0) / row.length + EPS);

/**
 * y = x r g with r in float32, whose roundings are a thousandth of float16's. What comes after r may be rounded to float16 three times: x r, the
 * gain, their product.
 */
function judgeForward(c: Case, outcome: Outcome): Finding | null {
  const u = unitRoundoff('float16');
  const eta = smallestSubnormal('float16');
  const gains = tensorNumbers(vector(c.gain));
  const exact = rounded(c.x).flatMap((row) => row.map((v, k) => v * root(row) * (gains[k] as number)));
  const slack = exact.map((y, i) => Math.abs(y) * 3.2 * u + eta * (1 + Math.abs(gains[i % gains.length] as number)));
  return compareTensor(forwardCall(c), outcome, expectTensor('float16', [c.x.length, gains.length], exact, slack));
}

/**
 * dx_i = r (a_i - x_i r² mean(a x)) with a = grad_output · gain. The same three roundings may hit a and the result; errors in a enter both terms, and
 * those below the normal range enter times r, and times r² |x_i| |x_k| <= width in the mean.
 */
function judgeBackward(c: Case, outcome: Outcome): Finding | null {
  const u = unitRoundoff('float16');
  const eta = smallestSubnormal('float16');
  const gains = tensorNumbers(vector(c.gain));
  const gradients = rounded(c.gradOutput);
  const exact: number[] = [];
  const slack: number[] = [];
  for (const [n, row] of rounded(c.x).entries()) {
    const r = root(row);
    const a = row.map((_, k) => (gradients[n]?.[k] as number) * (gains[k] as number));
    const mean = row.reduce((sum, v, k) => sum + v * (a[k] as number), 0) / row.length;
    const size = row.reduce((sum, v, k) => sum + Math.abs(v * (a[k] as number)), 0) / row.length;
    row.forEach((v, k) => {
      exact.push(r * ((a[k] as number) - v * r * r * mean));
      slack.push(
        3.5 * u * r * (Math.abs(a[k] as number) + Math.abs(v) * r * r * size) + eta * (1 + r * (1 + row.length)),
      );
    });
  }
  return compareTensor(backwardCall(c), outcome, expectTensor('float16', [c.x.length, gains.length], exact, slack));
}

const double = (min: number, max: number) => fc.double({ min, max, noNaN: true });

/** At most 3 rows of 2 to 6 values; the rows in `empty` (by index) are zeros, with a zero gradient, as padding has. */
const cases = (value: fc.Arbitrary<number>, empty = false): fc.Arbitrary<Case> =>
  fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 2, max: 6 })).chain(([n, width]) => {
    const row = (v: fc.Arbitrary<number>) => fc.array(v, { minLength: width, maxLength: width });
    const rows = (v: fc.Arbitrary<number>) => fc.array(row(v), { minLength: n, maxLength: n });
    return fc
      .record({ x: rows(value), gain: row(double(0.25, 3)), gradOutput: rows(double(-1, 1)) })
      .map(({ x, gain, gradOutput }) => {
        if (!empty) return { x, gain, gradOutput };
        const zeros = new Array<number>(width).fill(0);
        return { x: [...x, zeros], gain, gradOutput: [...gradOutput, zeros] };
      });
  });

const ordinary: Case = {
  x: [
    [1, -2, 0.5],
    [3, 3, -3],
  ],
  gain: [1, 0.5, 2],
  gradOutput: [
    [1, 0.25, -0.5],
    [0.5, -1, 1],
  ],
};
const padded: Case = {
  x: [
    [1, -2],
    [0, 0],
  ],
  gain: [1, 1.5],
  gradOutput: [
    [1, 0.5],
    [0, 0],
  ],
};
const large: Case = { x: [[300, -400, 2]], gain: [1, 1, 1], gradOutput: [[1, 0.5, -1]] };
const small: Case = { x: [[1e-4, -2e-4, 3e-5]], gain: [1, 2, 1], gradOutput: [[0.5, -0.25, 1]] };

const forwardRule =
  'The mean square, eps and the root are computed in float32. What comes after the root may be rounded to float16 three times: x · r, the gain, their product.';
const backwardRule =
  'As the forward: float32 where the root is, at most three roundings to float16 around it. A row of zeros with a gradient of 0 has a gradient of 0.';

export default defineExercise({
  title: 'A norm that survives padding',
  summary: 'Repair the norm: its values and its gradients, for tokens of any size and for rows of zeros.',
  kind: 'repair',
  minutes: 8,
  level: 'interview',
  prerequisites: ['three-failures', 'range-versus-precision'],
  teaches: ['a narrow float32 region', 'a zero gradient times inf'],
  version: 1,
  functions: ['rms_norm'],
  tasks: [
    { id: 'values', title: 'Values' },
    { id: 'gradients', title: 'Gradients' },
  ],
  hints: [
    'In which dtype is eps added? What is left of 1e-8 there?',
    'The backward takes the third power of the root. In which dtype does that have room?',
  ],
  checks: [
    {
      id: 'ordinary',
      task: 'values',
      title: 'Ordinary tokens',
      rule: forwardRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(double(-8, 8)),
          examples: [ordinary],
          runs: 16,
          call: forwardCall,
          judge: judgeForward,
        }),
    },
    {
      id: 'large',
      task: 'values',
      title: 'Tokens up to 60000',
      rule: forwardRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(fc.oneof(double(200, 60000), double(-60000, -200))),
          examples: [large],
          runs: 12,
          call: forwardCall,
          judge: judgeForward,
        }),
    },
    {
      id: 'small',
      task: 'values',
      title: 'Tokens whose squares float16 loses',
      rule: forwardRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(double(-4e-4, 4e-4)),
          examples: [small],
          runs: 12,
          call: forwardCall,
          judge: judgeForward,
        }),
    },
    {
      id: 'padding',
      task: 'values',
      title: 'A row of zeros gives zeros',
      rule: forwardRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(double(-8, 8), true),
          examples: [padded],
          runs: 8,
          call: forwardCall,
          judge: judgeForward,
        }),
    },
    {
      id: 'ordinary-gradient',
      task: 'gradients',
      title: 'Gradients of ordinary tokens',
      rule: backwardRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(fc.oneof(double(0.1, 8), double(-8, -0.1))),
          examples: [ordinary],
          runs: 12,
          call: backwardCall,
          judge: judgeBackward,
        }),
    },
    {
      id: 'padding-gradient',
      task: 'gradients',
      title: 'A row of zeros has a gradient of zero',
      rule: backwardRule,
      run: ({ forAll }) =>
        forAll({
          inputs: cases(fc.oneof(double(0.1, 8), double(-8, -0.1)), true),
          examples: [padded],
          runs: 8,
          call: backwardCall,
          judge: judgeBackward,
        }),
    },
  ],
  mistakes: {
    raises_eps: {
      fails: 'padding-gradient',
      message:
        'A larger eps makes the forward finite. The backward takes the third power of the root, which is inf in float16 all the same: 0 · inf.',
    },
    replaces_nan: {
      fails: 'padding-gradient',
      message: 'The output is finite, and the gradient isn’t: the backward multiplies its zero by the same inf.',
    },
    skips_empty_rows: {
      fails: 'padding-gradient',
      message:
        'where chooses the value, and passes a gradient of 0 into the branch that it didn’t choose: 0 · inf is NaN there. The value has to be finite before it is chosen.',
    },
    widens_too_late: {
      fails: 'large',
      message: 'The square is taken in float16 and widened afterwards: what is inf or 0 by then stays so.',
    },
    rounds_the_mean: {
      fails: 'padding',
      message: 'The mean is rounded back to float16 before eps is added, so eps is 0 again.',
    },
    stays_wide: {
      fails: 'ordinary',
      message: 'The computation is right; its result is float32, and the contract says float16.',
    },
    eps_outside: {
      fails: 'padding-gradient',
      message:
        'eps is added to the root, not to the mean square: the derivative of the root at 0 is still inf, and 0 · inf is NaN.',
    },
  },
  probes: [
    forwardCall(ordinary),
    forwardCall(padded),
    forwardCall(large),
    forwardCall(small),
    backwardCall(ordinary),
    backwardCall(padded),
    backwardCall(small),
  ],
  stages: [
    {
      title: 'Widen before the square',
      why: 'Squares of large values leave float16 at the top, squares of small ones and eps at the bottom. Where float32 begins, all three are there.',
      code: `    wide = x.float()
    r = torch.rsqrt((wide * wide).mean(-1, keepdim=True) + eps)`,
    },
    {
      title: 'Round once, at the end',
      why: 'The product is near 1, where float16 is at home; the backward runs through the same float32 region.',
      code: '    return (wide * r * gain).to(x.dtype)',
    },
  ],
  followUps: [
    {
      question: 'Why doesn’t torch.where(mean == 0, 0, y) repair the gradient?',
      answer:
        'Its backward passes 0 to the branch that wasn’t chosen, and that branch multiplies it by inf. Choose before the operation: give rsqrt a safe input where the mean is 0, and then choose.',
    },
    {
      question: 'What does the float32 region cost?',
      answer:
        'Little: a norm is bound by memory, and a fused kernel reads and writes float16 and keeps float32 in registers. The library’s own does so.',
    },
  ],
});
