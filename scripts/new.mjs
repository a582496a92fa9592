// npm run new -- lesson|exercise|interview|question SLUG: a scaffold that says what to fill in, and passes the gates once it is.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const title = (slug) => {
  const words = slug.replaceAll('-', ' ');
  return words[0].toUpperCase() + words.slice(1);
};

/** The next free place in the order of a folder of content: after the last one, with a gap. */
function nextOrder(dir, name) {
  const orders = existsSync(dir)
    ? readdirSync(dir)
        .map((slug) => join(dir, slug, name))
        .filter((file) => existsSync(file))
        .map((file) => Number(/^order: (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0))
    : [];
  return Math.max(0, ...orders) + 10;
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

TODO open with the situation, in one to three sentences.

## TODO the first section

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

<Recap>
TODO the thirty-second answer.
</Recap>

<FollowUp q="TODO what the interviewer asks next?">
TODO the answer.
</FollowUp>
`,
});

const exercise = (slug) => ({
  [`exercises/${slug}/exercise.mdx`]: `---
title: ${title(slug)}
summary: TODO one sentence for the list of exercises.
minutes: 10
order: ${nextOrder('exercises', 'exercise.mdx')}
---

TODO the prompt, as an interviewer would put it.
`,
  [`exercises/${slug}/starter.py`]: `import torch


def solve(x):
    # TODO what the learner starts from: it runs, and it must not pass.
    return x
`,
  [`exercises/${slug}/solution.py`]: `import torch


def solve(x):
    # TODO the reference solution: it must pass on both backends.
    return x
`,
  [`exercises/${slug}/mistakes/forgets-something.py`]: `import torch


def solve(x):
    # TODO a known wrong solution: exercise.ts says which check it must fail, and with what message.
    return x
`,
  [`exercises/${slug}/exercise.ts`]: `// TODO metadata, checks and hints: exercises/kit/schema.ts says what an exercise has, and any exercise beside this one is an example.
`,
});

const later = (kind) => () => {
  throw new Error(`there is no ${kind} section yet: this version has lessons and exercises`);
};

const KINDS = { lesson, exercise, interview: later('interview'), question: later('question') };

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
