// npm run new -- lesson|exercise|interview|question SLUG: a scaffold that says what to fill in, and passes the gates once it is.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { interview } from './new-interview.mjs';

const title = (slug) => {
  const words = slug.replaceAll('-', ' ');
  return words[0].toUpperCase() + words.slice(1);
};

/** The next free place in the order of a folder of content: after the last one, with a gap. */
function nextOrder(dir, name) {
  return Math.max(0, ...orders(dir, name, /^order: (\d+)/m)) + 10;
}

const lesson = (slug) => ({
  [`content/lessons/${slug}/lesson.mdx`]: `---
title: ${title(slug)}
summary: TODO one or two sentences for the list of lessons.
minutes: 15
order: ${nextOrder('content/lessons', 'lesson.mdx')}
requires: []
teaches:
  - TODO what the reader can say or do afterwards
---

"TODO open with an interviewer's question?" One to three sentences.

## TODO the first section

TODO 1,200 to 2,500 words of prose in all. A number in them is a <Num expr="torch.finfo(torch.float16).max">65504</Num>.

<Predict question="TODO ask before you show" choices="yes | no" answer="no">
TODO why.
</Predict>

<Cell id="first">
\`\`\`python
import torch

x = torch.tensor(2048.0, dtype=torch.float16)
print(x + 1)
\`\`\`

\`\`\`output
tensor(2048., dtype=torch.float16)
\`\`\`
</Cell>

<Weak says="TODO what candidates say and shouldn't">
TODO what is wrong with it.
</Weak>

TODO what to try. Then a question, or a Widget: npm run new -- question SLUG.

<Question generator="round-a-sum" seed="0" />

TODO what the exercise asks: npm run new -- exercise SLUG.

<Exercise slug="stable-softmax" />

<Recap>
TODO the thirty-second answer.
</Recap>

## What they ask next

<FollowUp q="TODO what the interviewer asks next?">
TODO the answer.
</FollowUp>

<FollowUp q="TODO and then?">
TODO the answer.
</FollowUp>

<FollowUp q="TODO and then?">
TODO the answer.
</FollowUp>
`,
});

// Doubling stands in for the subject: the scaffold runs at once, and `npm run exercise -- check SLUG` says what is still missing.
const exercise = (slug) => ({
  [`exercises/${slug}/exercise.mdx`]: `---
title: ${title(slug)}
summary: TODO one sentence for the list of exercises.
minutes: 10
order: ${nextOrder('exercises', 'exercise.mdx')}
---

TODO the prompt, as an interviewer would put it.
`,
  [`exercises/${slug}/exercise.ts`]: `import fc from 'fast-check';
import { compareTensor, expectTensor } from '../kit/compare';
import { type Call, defineExercise, type Outcome } from '../kit/schema';
import { smallestSubnormal, tensor, tensorNumbers, unitRoundoff } from '../kit/values';

// TODO the calls that are judged, and what is legal for each.
const solveCall = (values: readonly number[]): Call => ({
  function: 'solve',
  arguments: [tensor('float16', [values.length], values)],
});

const judge = (values: readonly number[], outcome: Outcome) => {
  const exact = tensorNumbers(tensor('float16', [values.length], values)).map((x) => 2 * x);
  // One rounding to float16: half an ulp, or half the smallest subnormal below the normal range.
  const slack = exact.map((y) => Math.abs(y) * unitRoundoff('float16') + smallestSubnormal('float16') / 2);
  return compareTensor(solveCall(values), outcome, expectTensor('float16', [values.length], exact, slack));
};

export default defineExercise({
  title: '${title(slug)}',
  summary: 'TODO one sentence.',
  kind: 'repair',
  minutes: 10,
  level: 'interview',
  prerequisites: [], // TODO slugs of lessons
  teaches: ['TODO'],
  version: 1,
  functions: ['solve'],
  tasks: [{ id: 'main', title: 'TODO' }],
  hints: ['TODO a nudge', 'TODO the idea; never the code'],
  checks: [
    {
      id: 'ordinary',
      task: 'main',
      title: 'TODO a claim',
      rule: 'TODO which results are legal, and why: exact bits, or an ulp bound with its source.',
      run: ({ forAll }) =>
        forAll({
          inputs: fc.array(fc.double({ min: -1000, max: 1000, noNaN: true }), { minLength: 1, maxLength: 8 }),
          examples: [[0], [1, -1]],
          runs: 20,
          call: solveCall,
          judge,
        }),
    },
  ],
  mistakes: {
    // TODO at least four; each names the check that it must fail, and learners with its bits see its message.
    squares: { fails: 'ordinary', message: 'TODO what this mistake is, in the learner’s words.' },
  },
  probes: [solveCall([1, 3, -0.5])],
  stages: [
    {
      title: 'TODO the step',
      why: 'TODO why this step',
      code: \`    return x + x\`, // lines of solution.py, verbatim
    },
  ],
  followUps: [{ question: 'TODO what the interviewer asks next?', answer: 'TODO' }],
});
`,
  [`exercises/${slug}/starter.py`]: `import torch


def solve(x):
    # TODO what the learner starts from: it runs, and it must not pass.
    return x
`,
  [`exercises/${slug}/solution.py`]: `import torch


def solve(x):
    return x + x
`,
  [`exercises/${slug}/mistakes/squares.py`]: `import torch


def solve(x):
    return x * x
`,
});

// A product of 16-bit numbers stands for the subject: the scaffold draws questions at once.
const question = (slug) => ({
  [`content/questions/${slug}/generator.ts`]: `import { pythonFloat } from '../kit/python-text';
import { defineGenerator } from '../kit/schema';

interface Product {
  readonly a: number;
  readonly b: number;
}

export default defineGenerator<Product>({
  title: '${title(slug)}',
  summary: 'TODO one sentence for the list of questions.',
  lesson: 'range-versus-precision',
  draw: (random) => ({ a: 2 * random.int(50, 120) + 1, b: 2 * random.int(50, 120) + 1 }),
  prompt: () => 'TODO what to look at. What does it print?',
  code: ({ a, b }) => \`import torch

a = torch.tensor(\${pythonFloat(a)}, dtype=torch.float16)
b = torch.tensor(\${pythonFloat(b)}, dtype=torch.float16)
print((a * b).item())
\`,
  // By the engine, on the reference backend; kit/torch-calls.ts says how an op is called.
  answer: ({ a, b }, torch) => pythonFloat(torch.item(torch.mul(torch.tensor(a, 'float16'), torch.tensor(b, 'float16')))),
  why: (_, answer) => \`TODO why it prints \\\`\${answer}\\\`.\`,
  // TODO what people answer who believe something else; misconceptions.ts has the beliefs, and room for another.
  misconceptions: {
    'sums-are-exact': { answer: ({ a, b }) => pythonFloat(a * b), because: () => 'TODO' },
    saturates: { answer: () => '65504.0', because: () => 'TODO' },
    'infinity-stays-infinity': { answer: () => 'inf', because: () => 'TODO' },
  },
});
`,
});

const orders = (dir, name, pattern) =>
  existsSync(dir)
    ? readdirSync(dir)
        .map((slug) => join(dir, slug, name))
        .filter((file) => existsSync(file))
        .map((file) => Number(pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? 0))
    : [];

const KINDS = {
  lesson,
  exercise,
  question,
  interview: (slug) =>
    interview(
      slug,
      title(slug),
      Math.max(0, ...orders('content/interviews', 'interview.ts', /^ {2}order: (\d+)/m)) + 10,
      exercise(slug),
    ),
};

const [kind, slug, ...rest] = process.argv.slice(2);
try {
  const make = KINDS[kind];
  if (!make || !slug || rest.length > 0) throw new Error(`usage: npm run new -- ${Object.keys(KINDS).join('|')} SLUG`);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug)) throw new Error(`"${slug}" is not a slug such as "loss-scaling"`);
  const files = Object.entries(make(slug));
  const taken = files.map(([file]) => dirname(file)).find((dir) => existsSync(dir));
  if (taken) throw new Error(`${taken} exists already`);
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    console.log(file);
  }
  console.log('\nSearch for TODO in these files; CONTRIBUTING.md says what each part is for.');
} catch (error) {
  console.error(`new: ${error.message}`);
  process.exitCode = 2;
}
