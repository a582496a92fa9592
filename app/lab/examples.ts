import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LabExample {
  /** File name without extension: what `/lab/#example=…` says. */
  readonly name: string;
  readonly title: string;
  readonly code: string;
}

const FOLDER = join(process.cwd(), 'content/lab');

/** Every script of content/lab, by file name; its first line is a comment that titles it. */
export function labExamples(): LabExample[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.py'))
    .sort()
    .map((file) => {
      const code = readFileSync(join(FOLDER, file), 'utf8');
      const title = /^# (.+)\n/.exec(code)?.[1];
      if (!title) throw new Error(`content/lab/${file}: the first line must be a comment that titles the example`);
      return { name: file.replace(/\.py$/, ''), title, code };
    });
}
