/** The mould of a lesson: what each one must have. CONTRIBUTING.md tells authors the same. */
import type { LessonFrontmatter } from './frontmatter';
import type { CompiledMdx } from './mdx';

/** Words of prose (`wordsOf` in parts.ts says what counts): less leaves facts out, more is not read before an interview. */
export const WORDS = { least: 1200, most: 2500 } as const;

/** How many of each component a lesson has at least, and why. */
const LEAST: readonly { readonly names: readonly string[]; readonly count: number; readonly what: string }[] = [
  { names: ['Predict'], count: 1, what: 'the reader commits before the answer is shown' },
  { names: ['Cell'], count: 1, what: 'what is claimed, runs' },
  { names: ['Weak'], count: 1, what: 'what the weak answer sounds like, and why it fails' },
  { names: ['Recap'], count: 1, what: 'the thirty-second answer' },
  { names: ['FollowUp'], count: 3, what: 'what the interviewer asks next' },
  { names: ['Exercise'], count: 1, what: 'the reader does it' },
  { names: ['Widget', 'Question'], count: 1, what: 'something to play with' },
  { names: ['Num'], count: 1, what: 'numbers in the prose witness themselves' },
];

/** Slugs and names that exist elsewhere, and pages with the ids of their headings. */
export interface Surroundings {
  readonly exercises: ReadonlySet<string>;
  readonly questions: ReadonlySet<string>;
  readonly widgets: ReadonlySet<string>;
  readonly lessons: ReadonlySet<string>;
  /** "/lessons/three-failures/" → ids on that page; undefined ids: any anchor goes (a page of the app). */
  readonly pages: ReadonlyMap<string, ReadonlySet<string> | undefined>;
}

export interface LessonSource {
  readonly slug: string;
  readonly file: string;
  readonly frontmatter: Pick<LessonFrontmatter, 'requires' | 'teaches'>;
  readonly mdx: Pick<CompiledMdx, 'parts' | 'links' | 'opening' | 'words' | 'cells' | 'headings'>;
}

/** What the lesson lacks and what in it leads nowhere, one line each with the place; empty for a whole lesson. */
export function lessonFaults(lesson: LessonSource, around: Surroundings): readonly string[] {
  const { file, mdx, frontmatter } = lesson;
  const faults: string[] = [];
  const fault = (what: string, line?: number) => faults.push(`${file}${line ? `:${line}` : ''}: ${what}`);

  if (!/["“][^"“”]*\?[^"“”]*["”]/.test(mdx.opening)) {
    fault(`the opening (before the first heading) has no question of an interviewer, "in quotation marks?"`);
  }
  for (const { names, count, what } of LEAST) {
    const have = mdx.parts.filter((part) => names.includes(part.name)).length;
    if (have >= count) continue;
    const tags = names.map((name) => `<${name}>`).join(' or ');
    fault(`${have === 0 ? `no ${tags}` : `${have} ${tags}, needs ${count}`}: ${what}`);
  }
  for (const { name, filled, line } of mdx.parts) {
    if (['Predict', 'Weak', 'Recap', 'FollowUp'].includes(name) && !filled) fault(`<${name}> is empty`, line);
  }
  if (frontmatter.teaches.length === 0)
    fault('"teaches" in the frontmatter is empty: what can the reader do afterwards?');
  if (mdx.words < WORDS.least || mdx.words > WORDS.most) {
    fault(`${mdx.words} words of prose; a lesson has ${WORDS.least} to ${WORDS.most}`);
  }
  for (const { id, expected, line } of mdx.cells) {
    if (expected === undefined) fault(`cell "${id}" has no output fence`, line);
  }
  for (const id of repeated([...mdx.cells.map((cell) => cell.id), ...mdx.headings.map((heading) => heading.id)])) {
    fault(`the id "${id}" is used twice, by cells or headings`);
  }
  for (const slug of frontmatter.requires) {
    if (!around.lessons.has(slug)) fault(`requires "${slug}", which is no lesson`);
  }
  const exists = (name: string, attribute: string, known: ReadonlySet<string>, where: string) => {
    const found = mdx.parts.filter((part) => part.name === name);
    for (const { attributes, line } of found) {
      const slug = attributes[attribute] ?? '';
      if (!known.has(slug)) fault(`<${name} ${attribute}="${slug}">: there is no ${where}`, line);
    }
    for (const twice of repeated(found.map((part) => part.attributes[attribute] + (part.attributes.seed ?? '')))) {
      fault(`<${name} ${attribute}="${twice}"> stands on the page twice`);
    }
  };
  exists('Exercise', 'slug', around.exercises, 'such folder in exercises/');
  exists('Question', 'generator', around.questions, 'such folder in content/questions/');
  exists('Widget', 'name', around.widgets, 'such folder in app/components/widgets/');
  const own = new Set(mdx.headings.map((heading) => heading.id));
  for (const { href, line } of mdx.links) {
    if (/^[a-z]+:/.test(href)) continue;
    const [path, anchor] = href.split('#');
    if (path !== '' && !around.pages.has(path)) {
      fault(
        `the link to ${href} leads to no page${around.pages.has(`${path}/`) ? `; did you mean ${path}/ ?` : ''}`,
        line,
      );
      continue;
    }
    const ids = path === '' ? own : around.pages.get(path);
    if (anchor !== undefined && ids && !ids.has(anchor)) fault(`the link to ${href} leads to no heading there`, line);
  }
  return faults;
}

const repeated = (ids: readonly string[]): string[] => [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))];
