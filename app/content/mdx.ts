/** MDX source to a component, at build time. Plugins: GFM, maths as MathML, heading ids, Shiki on our code palette, runnable cells. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import rehypeShikiFromHighlighter from '@shikijs/rehype/core';
import { bundleMDX } from 'mdx-bundler';
import * as React from 'react';
import * as jsxRuntime from 'react/jsx-runtime';
import rehypeKatex from 'rehype-katex';
import rehypeSlug from 'rehype-slug';
import remarkGfm from 'remark-gfm';
import remarkMath from 'remark-math';
import { type Heading, rehypeHeadings, rehypeTables } from './blocks';
import { remarkCells, type SourceCell } from './cells';
import { highlighter } from './highlighter';
import { noParts, remarkParts, type SourceParts } from './parts';
import { remarkTypography } from './typography';
import { remarkWitnesses, type SourceWitness } from './witness/witness';

export interface CompiledMdx extends Readonly<SourceParts> {
  /** JavaScript for `evaluateMdx`. */
  readonly code: string;
  /** As parsed from YAML; not yet checked. */
  readonly frontmatter: unknown;
  readonly cells: readonly SourceCell[];
  readonly witnesses: readonly SourceWitness[];
  /** Second-level headings, for a table of contents. */
  readonly headings: readonly Heading[];
}

/** Compiles one file. Throws with the file's name on a syntax error, an import, or a malformed cell. */
export async function compileMdx(file: string): Promise<CompiledMdx> {
  const source = await readFile(file, 'utf8');
  if (/^(import|export)\s/m.test(source.replace(/^```[\s\S]*?^```/gm, ''))) {
    throw new Error(
      `${file}: MDX here has no imports and no logic; use the components of app/components/lesson/vocabulary.tsx`,
    );
  }
  const cells: SourceCell[] = [];
  const witnesses: SourceWitness[] = [];
  const headings: Heading[] = [];
  const parts = noParts();
  const shiki = await highlighter();
  try {
    const { code, frontmatter } = await bundleMDX({
      source,
      cwd: resolve(dirname(file)),
      mdxOptions(options) {
        options.remarkPlugins = [
          ...(options.remarkPlugins ?? []),
          remarkGfm,
          remarkMath,
          [remarkParts, parts],
          [remarkCells, { file, cells }],
          [remarkWitnesses, { file, witnesses }],
          remarkTypography,
        ];
        options.rehypePlugins = [
          ...(options.rehypePlugins ?? []),
          rehypeSlug,
          [rehypeHeadings, headings],
          rehypeTables,
          // MathML needs no stylesheet and no fonts, and screen readers read it.
          [rehypeKatex, { output: 'mathml', strict: 'error' }],
          [rehypeShikiFromHighlighter, shiki, { theme: 'css-variables', fallbackLanguage: 'text' }],
        ];
        return options;
      },
      esbuildOptions(options) {
        options.target = ['es2022'];
        options.minify = true;
        // The error that compileMdx throws says all of it.
        options.logLevel = 'silent';
        return options;
      },
    });
    // rehype-katex shows a wrong formula in red; here it is an error.
    const wrongFormula = /ParseError: KaTeX parse error: [^"]*/.exec(code);
    if (wrongFormula) throw new Error(wrongFormula[0]);
    return { code, frontmatter, cells, witnesses, headings, ...parts };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(message.includes(file) ? message : `${file}: ${message}`);
  }
}

/** Runs compiled MDX (at build time, in a server component) and gives its component. */
export function evaluateMdx(code: string): React.ComponentType<{ components: object }> {
  const scope = { React, _jsx_runtime: jsxRuntime };
  return new Function(...Object.keys(scope), `${code};return Component;`)(...Object.values(scope)).default;
}
