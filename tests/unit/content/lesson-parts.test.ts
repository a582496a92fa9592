/** Every lesson has all its parts, and nothing in it leads nowhere. The lessons that lack something are made up here. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type LessonSource, lessonFaults, type Surroundings, WORDS } from '@/app/content/lesson-parts';
import { lessons } from '@/app/content/lessons';
import { compileMdx } from '@/app/content/mdx';
import { generatorSlugs } from '@/content/questions/kit/discover';
import { exerciseSlugs } from '@/exercises/kit/discover';

const all = await lessons();
const folders = (root: string, holding: string): string[] =>
  readdirSync(root).filter((name) => existsSync(join(root, name, holding)));

const around: Surroundings = {
  exercises: new Set(exerciseSlugs()),
  questions: new Set(generatorSlugs()),
  widgets: new Set(folders('app/components/widgets', 'index.tsx')),
  lessons: new Set(all.map((lesson) => lesson.slug)),
  pages: new Map<string, ReadonlySet<string> | undefined>([
    ['/', undefined],
    ...folders('app', 'page.tsx').map((name) => [`/${name}/`, undefined] as const),
    ...all.map(({ slug, mdx }) => [`/lessons/${slug}/`, new Set(mdx.headings.map((h) => h.id))] as const),
    ...exerciseSlugs().map((slug) => [`/exercises/${slug}/`, undefined] as const),
    ...generatorSlugs().map((slug) => [`/questions/${slug}/`, undefined] as const),
  ]),
};

describe('lessons', () => {
  test('there are lessons', () => expect(all.length).toBeGreaterThanOrEqual(4));
  for (const lesson of all) {
    test(`${lesson.slug} has all its parts`, () => expect(lessonFaults(lesson, around)).toEqual([]));
  }
});

const FENCE = '```';
const OPENING = 'A run is on the table. "Which of the three is it?"';
const CELL = `<Cell id="a">\n${FENCE}python\nprint(1)\n${FENCE}\n${FENCE}output\n1\n${FENCE}\n</Cell>`;
const PARTS = [
  '## The first',
  '<Predict question="Which?" choices="a | b" answer="a">\nBecause.\n</Predict>',
  CELL,
  'It is <Num expr="2.0**4">16</Num>.',
  '<Weak says="Always.">\nNo.\n</Weak>',
  '<Exercise slug="stable-softmax" />',
  '<Question generator="round-a-sum" seed="2" />',
  '<Recap>\nIn short.\n</Recap>',
  '## What they ask next',
  ...['One', 'Two', 'Three'].map((q) => `<FollowUp q="${q}?">\nThis.\n</FollowUp>`),
];

async function made(body: readonly string[], filler: number = WORDS.least): Promise<LessonSource> {
  const dir = mkdtempSync(join(tmpdir(), 'lesson-'));
  try {
    const file = join(dir, 'lesson.mdx');
    writeFileSync(file, `---\ntitle: T\n---\n${[...body, 'word '.repeat(filler)].join('\n\n')}\n`);
    const frontmatter = { requires: [], teaches: ['do it'] };
    return { slug: 'made', file: 'made.mdx', frontmatter, mdx: await compileMdx(file) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}
const faults = async (body: readonly string[], filler?: number) => lessonFaults(await made(body, filler), around);
const without = (start: string) => [OPENING, ...PARTS.filter((part) => !part.startsWith(start))];
const and = (...more: string[]) => [OPENING, ...PARTS, ...more];

test('a whole lesson has no faults', async () => expect(await faults([OPENING, ...PARTS])).toEqual([]));

for (const [start, said] of [
  ['<Predict', 'made.mdx: no <Predict>: the reader commits before the answer is shown'],
  ['<Cell', 'made.mdx: no <Cell>: what is claimed, runs'],
  ['<Weak', 'made.mdx: no <Weak>: what the weak answer sounds like, and why it fails'],
  ['<Recap', 'made.mdx: no <Recap>: the thirty-second answer'],
  ['<FollowUp q="Two', 'made.mdx: 2 <FollowUp>, needs 3: what the interviewer asks next'],
  ['<Exercise', 'made.mdx: no <Exercise>: the reader does it'],
  ['<Question', 'made.mdx: no <Widget> or <Question>: something to play with'],
  ['It is <Num', 'made.mdx: no <Num>: numbers in the prose witness themselves'],
]) {
  test(`without ${start} it is named as missing`, async () => expect(await faults(without(start))).toEqual([said]));
}

test('an opening without a question in quotation marks is a fault', async () => {
  for (const opening of ['Which of the three is it?', 'He said "stop". Why?', '## "A heading?"']) {
    expect(await faults([opening, ...PARTS])).toEqual([expect.stringContaining('no question of an interviewer')]);
  }
});

test('too few and too many words are faults, with their number', async () => {
  expect(await faults([OPENING, ...PARTS], 100)).toEqual([
    expect.stringMatching(/^made\.mdx: 1\d\d words of prose; a lesson has 1200 to 2500$/),
  ]);
  expect(await faults([OPENING, ...PARTS], 2500)).toEqual([expect.stringMatching(/: 25\d\d words of prose/)]);
});

test('words are counted in prose, tables and the texts of components; not in code, output and formulas', async () => {
  const words = async (...body: string[]) => (await made(body, 0)).mdx.words;
  expect(await words('Two words, and `float16` — $x + y$.')).toBe(4);
  expect(await words('| a | b |\n|---|---|\n| 1 | 2 |')).toBe(4);
  expect(await words(CELL)).toBe(0);
  expect(
    await words(
      '<Predict question="One two?" choices="a | b" answer="a">\nIt *is*<Num expr="2.0**4">16</Num>.\n</Predict>',
    ),
  ).toBe(6);
  expect(await words('1. One\n2. Two **three**\n\n## Four')).toBe(4);
});

test('an empty part, a cell without output and repeated ids are faults', async () => {
  expect(await faults(and('<Recap>\n</Recap>'))).toEqual([expect.stringMatching(/^made\.mdx:\d+: <Recap> is empty$/)]);
  expect(await faults(and(`<Cell id="b">\n${FENCE}python\n1\n${FENCE}\n</Cell>`))).toEqual([
    expect.stringMatching(/^made\.mdx:\d+: cell "b" has no output fence$/),
  ]);
  expect(await faults(and(CELL.replace('"a"', '"the-first"')))).toEqual([
    'made.mdx: the id "the-first" is used twice, by cells or headings',
  ]);
});

test('an exercise, question, widget, link or prerequisite that does not exist is a fault with its line', async () => {
  expect(await faults(and('<Exercise slug="no-such" />'))).toEqual([
    expect.stringMatching(/^made\.mdx:\d+: <Exercise slug="no-such">: there is no such folder in exercises\/$/),
  ]);
  expect(await faults(and('<Question generator="no-such" />'))).toEqual([
    expect.stringContaining('content/questions/'),
  ]);
  expect(await faults(and('<Widget name="no-such" />'))).toEqual([expect.stringContaining('app/components/widgets/')]);
  expect(await faults(and('[a](/lessons/no-such/)'))).toEqual([
    expect.stringMatching(/^made\.mdx:\d+: the link to \/lessons\/no-such\/ leads to no page$/),
  ]);
  expect(await faults(and('[a](/exercises)'))).toEqual([expect.stringContaining('did you mean /exercises/ ?')]);
  expect(await faults(and('[a](#no-such)'))).toEqual([expect.stringContaining('leads to no heading there')]);
  expect(await faults(and('[a](/lessons/three-failures/#no-such)'))).toHaveLength(1);
  expect(await faults(and('[a](#the-first) [b](/exercises/stable-softmax/) [c](https://pytorch.org)'))).toEqual([]);
  const lesson = await made([OPENING, ...PARTS]);
  const requires = lessonFaults({ ...lesson, frontmatter: { requires: ['no-such'], teaches: [] } }, around);
  expect(requires).toEqual([expect.stringContaining('"teaches"'), expect.stringContaining('requires "no-such"')]);
});

test('the same exercise or the same question twice on a page is a fault', async () => {
  expect(await faults(and('<Exercise slug="stable-softmax" />'))).toEqual([expect.stringContaining('twice')]);
  expect(await faults(and('<Question generator="round-a-sum" seed="3" />'))).toEqual([]);
});
