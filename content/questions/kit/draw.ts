/** From a generator and a seed to a question. */
import type { MisconceptionId } from '../misconceptions';
import { Random } from './random';
import type { Generator, Option, Question, WrongAnswer } from './schema';
import { TorchCalls } from './torch-calls';

/** Four options: one right, three wrong. */
const WRONG_OPTIONS = 3;
/** A generator that needs more draws than this for one question draws mostly unusable parameters. */
const MAX_DRAWS = 200;

/** The same question for the same seed, always. Throws if the generator can't make one. */
export function drawQuestion<P>(slug: string, generator: Generator<P>, seed: number): Question {
  for (let attempt = 0; attempt < MAX_DRAWS; attempt++) {
    const random = new Random(`${slug} ${seed} ${attempt}`);
    const p = generator.draw(random);
    const { right, wrong } = optionsFor(slug, generator, p);
    if (wrong.length < WRONG_OPTIONS) continue;
    return {
      generator: slug,
      seed,
      prompt: generator.prompt(p),
      code: generator.code(p),
      options: random.shuffle([right, ...wrong]),
    };
  }
  throw new Error(
    `content/questions/${slug}: seed ${seed} gives no question in ${MAX_DRAWS} draws; its misconceptions rarely give three different wrong answers`,
  );
}

function optionsFor<P>(slug: string, generator: Generator<P>, p: P) {
  const torch = new TorchCalls();
  try {
    const answer = generator.answer(p, torch);
    if (torch.calls === 0) throw new Error(`content/questions/${slug}: the answer ran no op of the engine`);
    const right: Option = { text: answer, because: generator.why(p, answer) };
    return { right, wrong: wrongOptions(generator, p, torch, answer) };
  } finally {
    torch.release();
  }
}

function wrongOptions<P>(generator: Generator<P>, p: P, torch: TorchCalls, answer: string): Option[] {
  const options: Option[] = [];
  for (const [id, wrong] of Object.entries(generator.misconceptions) as [MisconceptionId, WrongAnswer<P>][]) {
    if (options.length === WRONG_OPTIONS) break;
    const text = wrong.answer(p, torch);
    if (text === null || text === answer || options.some((option) => option.text === text)) continue;
    options.push({ text, misconception: id, because: wrong.because(p) });
  }
  return options;
}
