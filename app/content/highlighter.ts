/** Shiki with the languages that lessons use, coloured by the tokens of app/styles/tokens.css (so one output serves both themes). */
import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

let made: Promise<HighlighterCore> | undefined;

export function highlighter(): Promise<HighlighterCore> {
  made ??= createHighlighterCore({
    themes: [createCssVariablesTheme()],
    langs: [import('shiki/langs/python.mjs'), import('shiki/langs/wgsl.mjs'), import('shiki/langs/bash.mjs')],
    engine: createJavaScriptRegexEngine(),
  });
  return made;
}

/** Python as highlighted HTML, for code that doesn't come from MDX (starters, the front page). */
export async function highlightPython(code: string): Promise<string> {
  const shiki = await highlighter();
  return shiki.codeToHtml(code.trimEnd(), { lang: 'python', theme: 'css-variables' });
}
