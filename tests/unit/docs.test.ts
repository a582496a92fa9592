/** The documents say what is there: every path, command and link in them exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs', { recursive: true }).map((name) => join('docs', String(name))),
].filter((file) => file.endsWith('.md'));
const { scripts, dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
  'scripts' | 'dependencies' | 'devDependencies',
  Record<string, string>
>;

test('the list of dependencies and package.json agree, and every version is exact', () => {
  const listed = [
    ...readFileSync('docs/decisions/0004-dependencies.md', 'utf8').matchAll(/^\| (`[^|]*`) \|/gm),
  ].flatMap((row) => [...row[1].matchAll(/`([^`]+)`/g)].map((match) => match[1]));
  const all = { ...dependencies, ...devDependencies };
  expect(listed.sort()).toEqual(Object.keys(all).sort());
  expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test('the lockfile names no download hosts', () => {
  expect(readFileSync('package-lock.json', 'utf8')).not.toContain('"resolved": "http');
});

for (const file of documents) {
  const text = readFileSync(file, 'utf8');

  test(`every relative link in ${file} leads to a file`, () => {
    const links = [...text.matchAll(/\]\(([^)\s#]+)(#[^)]*)?\)/g)]
      .map((match) => match[1])
      .filter((link) => !/^[a-z]+:/.test(link));
    expect(links.filter((link) => !existsSync(normalize(join(dirname(file), link))))).toEqual([]);
  });

  test(`every path that ${file} names exists`, () => {
    // In code spans; <slug> and * stand for any name.
    const paths = [...text.matchAll(/`((?:app|content|engine|exercises|scripts|tests|docs)\/[\w./<>*-]*)`/g)].map(
      (match) => match[1],
    );
    expect(paths.filter((path) => !/[<*]/.test(path) && !existsSync(path))).toEqual([]);
  });

  test(`every npm script that ${file} names exists`, () => {
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1]);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
}
