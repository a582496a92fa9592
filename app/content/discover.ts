/** Finds content by looking: every folder of `dir` that holds `name` is an entry. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type * as v from 'valibot';
import { parseFrontmatter } from './frontmatter';
import { type CompiledMdx, compileMdx } from './mdx';
import { factsFile, REFERENCE_VALUES } from './witness/witness';

export interface Entry<Frontmatter> {
  readonly slug: string;
  /** Path from the project's root, for messages. */
  readonly file: string;
  readonly frontmatter: Frontmatter;
  readonly mdx: CompiledMdx;
}

/** Compiled files by path and time of change: a build compiles each once, the development server again after an edit. */
const compiled = new Map<string, { readonly changed: number; readonly mdx: Promise<CompiledMdx> }>();

function compileOnce(file: string): Promise<CompiledMdx> {
  // The values of its numbers too: they are compiled in.
  const inputs = [file, REFERENCE_VALUES, factsFile(file)].filter((input) => existsSync(input));
  const changed = Math.max(...inputs.map((input) => statSync(input).mtimeMs));
  const known = compiled.get(file);
  if (known?.changed === changed) return known.mdx;
  const mdx = compileMdx(file);
  compiled.set(file, { changed, mdx });
  return mdx;
}

/** All entries, by `order`, then slug. Throws on invalid frontmatter. */
export async function entries<Schema extends v.GenericSchema<unknown, { order: number }>>(
  dir: string,
  name: string,
  schema: Schema,
): Promise<readonly Entry<v.InferOutput<Schema>>[]> {
  const slugs = existsSync(dir) ? readdirSync(dir).filter((slug) => existsSync(join(dir, slug, name))) : [];
  const all = await Promise.all(
    slugs.map(async (slug) => {
      const file = join(dir, slug, name);
      const mdx = await compileOnce(file);
      return { slug, file, frontmatter: parseFrontmatter(schema, mdx.frontmatter, file), mdx };
    }),
  );
  return all.sort((a, b) => a.frontmatter.order - b.frontmatter.order || a.slug.localeCompare(b.slug));
}
