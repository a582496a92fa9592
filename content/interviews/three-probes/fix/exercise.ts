import fc from 'fast-check';
import { compareTensor, expectTensor } from '@/exercises/kit/compare';
import { type Call, defineExercise, type Finding, type Outcome } from '@/exercises/kit/schema';
import { smallestSubnormal, tensor, tensorNumbers, unitRoundoff } from '@/exercises/kit/values';

type Rows = readonly (readonly number[])[];

const matrix = (dtype: 'float16' | 'float32', rows: Rows) =>
  tensor(dtype, [rows.length, (rows[0] as readonly number[]).length], rows.flat());

const describeCall = (rows: Rows): Call => ({ function: 'describe', arguments: [matrix('float32', rows)] });
const weightsCall = (rows: Rows): Call => ({ function: 'attention_weights', arguments: [matrix('float16', rows)] });

/** What was passed in, as it was rounded on the way. */
const rounded = (dtype: 'float16' | 'float32', rows: Rows): number[][] => {
  const flat = tensorNumbers(matrix(dtype, rows));
  const width = (rows[0] as readonly number[]).length;
  return rows.map((_, i) => flat.slice(i * width, (i + 1) * width));
};

/**
 * Each square rounds once and the sum once a term, so the sum is off by (n + 1)u at most, its root by half of that and one more rounding, the
 * quotient by another. log turns a relative error into an absolute one and rounds once; WGSL's and libm's log are within 3 ulp.
 */
function judgeDescribe(rows: Rows, outcome: Outcome): Finding | null {
  const u = unitRoundoff('float32');
  const exact: number[] = [];
  const slack: number[] = [];
  for (const row of rounded('float32', rows)) {
    const size = Math.hypot(...row);
    const relative = (row.length + 1) * u + 4 * u;
    for (const x of row) {
      exact.push(x / size);
      slack.push(Math.abs(x / size) * relative + smallestSubnormal('float32'));
    }
    exact.push(Math.log(size));
    slack.push(relative + 6 * u * Math.abs(Math.log(size)) + 6 * u);
  }
  const width = (rows[0] as readonly number[]).length + 1;
  return compareTensor(describeCall(rows), outcome, expectTensor('float32', [rows.length, width], exact, slack));
}

/** As in the exercise stable-softmax: x - max rounds by u|x - max|, which exp turns into a factor; exp, sum and quotient round once each. */
function judgeWeights(rows: Rows, outcome: Outcome): Finding | null {
  const u = unitRoundoff('float16');
  const exact: number[] = [];
  const slack: number[] = [];
  for (const row of rounded('float16', rows)) {
    const m = Math.max(...row);
    const e = row.map((x) => Math.exp(x - m));
    const sum = e.reduce((a, b) => a + b, 0);
    const far = row.map((x) => Math.min(m - x, 1e3));
    const growth = e.reduce((a, v, k) => a + (v / sum) * Math.expm1(u * (far[k] as number)), 0);
    e.forEach((v, k) => {
      const p = v / sum;
      exact.push(p);
      slack.push(
        p * Math.expm1(u * (far[k] as number) + Math.log1p(growth) + 6 * u) + 2 * smallestSubnormal('float16'),
      );
    });
  }
  const shape = [rows.length, (rows[0] as readonly number[]).length];
  return compareTensor(weightsCall(rows), outcome, expectTensor('float16', shape, exact, slack));
}

/** A matrix of at most 3 rows of equal length. */
const rowsOf = (value: fc.Arbitrary<number>): fc.Arbitrary<Rows> =>
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 2, max: 6 }))
    .chain(([n, width]) =>
      fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: n, maxLength: n }),
    );

const double = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const describeRule =
  'Computed in float32, every operation may round once. The result is float32: a direction within a few units in the last place, and the log of the size.';
const weightsRule =
  'Every operation may round once to float16. x - max is off by a rounding, which moves far-away scores by more units in the last place than near ones.';

export default defineExercise({
  title: 'The two repairs',
  summary: 'Repair the size that overflows and the softmax that is unstable, each where it breaks.',
  kind: 'repair',
  minutes: 8,
  level: 'interview',
  prerequisites: ['three-failures', 'stable-softmax'],
  teaches: ['a narrow float32 region', 'max subtraction'],
  version: 1,
  functions: ['describe', 'attention_weights'],
  tasks: [
    { id: 'fields', title: 'Fields' },
    { id: 'attention', title: 'The attention’s weights' },
  ],
  hints: [
    'Which operation gives the first inf? What has to be wide: its result, or what goes into it?',
    'Softmax doesn’t change when a row’s maximum is subtracted from the row.',
  ],
  checks: [
    {
      id: 'small-fields',
      task: 'fields',
      title: 'Ordinary fields',
      rule: describeRule,
      run: ({ forAll }) =>
        forAll({
          inputs: rowsOf(double(0.05, 100)),
          examples: [
            [[3, 4]],
            [
              [1, 1, 1],
              [0.5, 2, 8],
            ],
          ],
          runs: 16,
          call: describeCall,
          judge: judgeDescribe,
        }),
    },
    {
      id: 'large-fields',
      task: 'fields',
      title: 'Fields up to 60000',
      rule: describeRule,
      run: ({ forAll }) =>
        forAll({
          inputs: rowsOf(double(200, 60000)),
          examples: [[[10000, 3]], [[256, 1]], [[60000, 60000, 60000]]],
          runs: 16,
          call: describeCall,
          judge: judgeDescribe,
        }),
    },
    {
      id: 'small-scores',
      task: 'attention',
      title: 'Ordinary scores',
      rule: weightsRule,
      run: ({ forAll }) =>
        forAll({
          inputs: rowsOf(double(-4, 4)),
          examples: [
            [[1, 2, 3]],
            [
              [0, 0],
              [2, -2],
            ],
          ],
          runs: 16,
          call: weightsCall,
          judge: judgeWeights,
        }),
    },
    {
      id: 'large-scores',
      task: 'attention',
      title: 'Scores anywhere in the range of float16',
      rule: weightsRule,
      run: ({ forAll }) =>
        forAll({
          inputs: rowsOf(double(-60000, 60000)),
          examples: [[[20, 19]], [[17.5, 12, -3]], [[200, 199, 198]], [[-20, -21]], [[60000, 59968]]],
          runs: 16,
          call: weightsCall,
          judge: judgeWeights,
        }),
    },
    {
      id: 'rows-apart',
      task: 'attention',
      title: 'Each row by itself',
      rule: weightsRule,
      run: ({ forAll }) =>
        forAll({
          inputs: fc.tuple(double(-30, 30), double(300, 2000)).map(
            ([low, gap]): Rows => [
              [low, low + 1],
              [low + gap, low + gap + 1],
            ],
          ),
          examples: [
            [
              [1, 0],
              [500, 499],
            ],
          ],
          runs: 8,
          call: weightsCall,
          judge: judgeWeights,
        }),
    },
  ],
  mistakes: {
    widens_too_late: {
      fails: 'large-fields',
      message:
        'The square is taken in float16 and widened afterwards: what is inf by then stays inf. Widen what goes into the product.',
    },
    clamps_the_fields: {
      fails: 'large-fields',
      message:
        'Clamping keeps the square finite and makes every expensive item look alike: the value is finite, and wrong.',
    },
    half_direction: {
      fails: 'small-fields',
      message: 'The computation is right; its result is cast back to float16, and the contract says float32.',
    },
    exp_in_float32: {
      fails: 'large-scores',
      message: 'float32 moves the cliff from 11 to 88: beyond it, it is inf / inf again.',
    },
    one_maximum_for_all: {
      fails: 'rows-apart',
      message: 'One maximum for the whole tensor: a row far below it underflows to 0 / 0. Each row needs its own.',
    },
    clamps_the_scores: {
      fails: 'large-scores',
      message: 'Clamped scores are finite, and another function: all scores above the bound count the same.',
    },
    replaces_nan: {
      fails: 'large-scores',
      message: 'Replacing NaN hides what was lost: the weights no longer sum to 1.',
    },
  },
  probes: [
    describeCall([[3, 4]]),
    describeCall([[10000, 3]]),
    weightsCall([[1, 2, 3]]),
    weightsCall([
      [20, 19],
      [0, 1],
    ]),
    weightsCall([[200, 199]]),
    weightsCall([
      [1, 0],
      [500, 499],
    ]),
  ],
  stages: [
    {
      title: 'Widen what goes into the square',
      why: 'The product is where the value is lost, so float32 has to begin before it. Nothing else needs it.',
      code: `    x = x.float()
    size = torch.sqrt((x * x).sum(-1, keepdim=True))`,
    },
    {
      title: 'Subtract each row’s maximum',
      why: 'The exponentials are at most 1, whatever the scores are, and the weights stay the same.',
      code: '    e = torch.exp(scores - scores.amax(-1, keepdim=True))',
    },
  ],
  followUps: [
    {
      question: 'Would dividing x by its largest element before squaring do as well?',
      answer:
        'Yes: it scales the input into range, and multiplying the root by the same element gives the size back. It costs a reduction, and needs no wider type.',
    },
    {
      question: 'How would you know that the float32 region costs nothing that matters?',
      answer:
        'Measure the step with and without it: the fields are six columns beside matrix products. And check that gradients still flow through it.',
    },
  ],
});
