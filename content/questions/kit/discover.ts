/** Reads the folders of content/questions (Node only: the gate and the site's build). There is no list of generators to keep. */
import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.join(process.cwd(), 'content/questions');

/** Slugs of all generators, sorted. A folder is one if it holds generator.ts. */
export function generatorSlugs(root = ROOT): string[] {
  return fs
    .readdirSync(root, { withFileTypes: true })
    .filter((e) => e.isDirectory() && fs.existsSync(path.join(root, e.name, 'generator.ts')))
    .map((e) => e.name)
    .sort();
}
