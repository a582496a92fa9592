/**
 * The gate of the prediction generators: 1,000 seeds of each give a well-formed question, and what the first 25 print is what real PyTorch
 * prints (tests/golden/generate/questions.py). tests/python/questions.test.ts runs such scripts on our own torch.
 */
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { generatorSlugs } from '@/content/questions/kit/discover';
import { drawQuestion } from '@/content/questions/kit/draw';
import type { Generator, Question } from '@/content/questions/kit/schema';
import { type Misconception, misconceptions } from '@/content/questions/misconceptions';
import { goldenJson } from './load';
import { type GoldenResult, recordGolden } from './results';

const SEEDS = 1000;

interface Golden {
  readonly pytorch: string;
  readonly samples: readonly { readonly seed: number; readonly code: string; readonly printed: string }[];
}

const right = ({ options }: Question) => options.filter((option) => option.misconception === undefined);

/** What is wrong with a question, if anything. */
function faults(question: Question): string[] {
  const found: string[] = [];
  const { options, prompt, code } = question;
  if (options.length !== 4) found.push(`${options.length} options`);
  if (new Set(options.map((o) => o.text)).size !== options.length) found.push('two options are alike');
  if (right(question).length !== 1) found.push(`${right(question).length} right answers`);
  for (const text of [prompt, code, ...options.flatMap((o) => [o.text, o.because])]) {
    if (text.trim() === '') found.push('an empty text');
    if (text.includes('TODO')) found.push('still to do');
    if (/undefined|\[object|NaN(?! |\.|,|:|$)|Infinity|function/.test(text))
      found.push(`not a text for people: ${text}`);
    if ((text.match(/`/g) ?? []).length % 2 === 1) found.push(`a backtick without its pair: ${text}`);
  }
  // An option is one line of output, and fits a phone.
  for (const { text } of options)
    if (text.includes('\n') || text.length > 40) found.push(`too long an option: ${text}`);
  // The line that is predicted is the only one printed.
  if ((code.match(/\bprint\(/g) ?? []).length !== 1) found.push('the code must print exactly once');
  if (/^.{81,}$/m.test(code)) found.push('a line of more than 80 characters');
  return found.map((fault) => `seed ${question.seed}: ${fault}`);
}

const results: GoldenResult[] = [];
afterAll(() => recordGolden('questions', results));

for (const slug of generatorSlugs()) {
  const { default: generator } = (await import(`../../content/questions/${slug}/generator.ts`)) as {
    default: Generator<unknown>;
  };
  describe(slug, () => {
    const questions = Array.from({ length: SEEDS }, (_, seed) => drawQuestion(slug, generator, seed));

    test(`${SEEDS} seeds give four different options each, one of them right, and texts that read`, () => {
      expect(questions.flatMap(faults)).toEqual([]);
    });

    test('the same seed gives the same question', () => {
      for (const seed of [0, 17, 999]) expect(drawQuestion(slug, generator, seed)).toEqual(questions[seed]);
    });

    test('questions differ from seed to seed, and the right option has no favourite place', () => {
      expect(new Set(questions.map((q) => q.code)).size).toBeGreaterThan(30);
      const places = [0, 0, 0, 0];
      for (const { options } of questions) places[options.findIndex((o) => o.misconception === undefined)]++;
      // 250 expected at each place, standard deviation 14.
      for (const count of places) expect(Math.abs(count - SEEDS / 4)).toBeLessThan(70);
    });

    test('each of its misconceptions is met, and its lesson exists', () => {
      const met = new Set(questions.flatMap((q) => q.options.map((o) => o.misconception)));
      for (const id of Object.keys(generator.misconceptions)) expect(met, id).toContain(id);
      expect(existsSync(`content/lessons/${generator.lesson}/lesson.mdx`), generator.lesson).toBe(true);
    });

    test('what the sample prints is what PyTorch prints', () => {
      const golden = goldenJson<Golden>(`questions/${slug}.json`);
      expect(golden.samples.length).toBeGreaterThanOrEqual(25);
      for (const { seed, code, printed } of golden.samples) {
        expect(questions[seed].code, `seed ${seed}: run tests/golden/generate/questions.py again`).toBe(code);
        expect(`${right(questions[seed])[0].text}\n`, `seed ${seed}\n${code}`).toBe(printed);
      }
      results.push({
        file: `questions/${slug}`,
        entries: golden.samples.length,
        passed: golden.samples.length,
        compared: 'the printed line, character by character',
      });
    });
  });
}

test('every misconception names a lesson that exists, and no two share their belief', () => {
  const all: readonly Misconception[] = Object.values(misconceptions);
  for (const { lesson } of all) expect(existsSync(`content/lessons/${lesson}/lesson.mdx`), lesson).toBe(true);
  expect(new Set(all.map((m) => m.belief)).size).toBe(all.length);
});
