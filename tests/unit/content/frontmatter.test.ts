import { expect, test } from 'vitest';
import { LessonFrontmatter, parseFrontmatter } from '@/app/content/frontmatter';

const good = { title: 'Loss scaling', summary: 'What it is.', minutes: 10, order: 40 };

test('frontmatter with the required keys is valid; lists default to empty', () => {
  expect(parseFrontmatter(LessonFrontmatter, good, 'lesson.mdx')).toEqual({ ...good, requires: [], teaches: [] });
});

test('a missing, an unknown and a wrong key are all named, with the file', () => {
  const bad = { title: 'Loss scaling', summary: 'What it is.', minutes: 'ten', sumary: 'typo' };
  expect(() => parseFrontmatter(LessonFrontmatter, bad, 'content/lessons/x/lesson.mdx')).toThrow(
    /^content\/lessons\/x\/lesson\.mdx: the frontmatter is not valid\n(?=[\s\S]*minutes: Invalid type)(?=[\s\S]*order: missing)(?=[\s\S]*sumary: unknown key)/,
  );
});

test('an emblem is a dtype and its bits', () => {
  expect(parseFrontmatter(LessonFrontmatter, { ...good, emblem: 'float16 0x7c00' }, 'f').emblem).toBe('float16 0x7c00');
  expect(() => parseFrontmatter(LessonFrontmatter, { ...good, emblem: '0x7c00' }, 'f')).toThrow(
    /emblem: must look like/,
  );
});
