/** A library of WGSL functions, and the linker that adds to a shader just the functions that it reaches. */

const functions = new Map<string, string>();

/** Registers every `fn name(…)` of a WGSL text. */
export function defineLibrary(source: string): void {
  for (const text of source.split(/^(?=fn )/m)) {
    const name = /^fn (\w+)/.exec(text)?.[1];
    if (!name) continue;
    if (functions.has(name)) throw new Error(`WGSL function ${name} is defined twice`);
    functions.set(name, text);
  }
}

/** `code` with the library functions that it calls, directly or through others, in front of it. */
export function link(code: string): string {
  const needed = new Map<string, string>();
  const visit = (text: string) => {
    for (const [, name] of text.matchAll(/\b(\w+)\s*\(/g)) {
      const source = functions.get(name);
      if (source === undefined || needed.has(name)) continue;
      needed.set(name, '');
      visit(source);
      needed.delete(name);
      needed.set(name, source);
    }
  };
  visit(code);
  return `${[...needed.values()].join('')}${code}`;
}

const reachCache = new Map<string, boolean>();
/** Whether `code` (or a library function that it reaches) mentions `identifier`. */
export function reaches(code: string, identifier: string): boolean {
  const key = `${identifier} ${code}`;
  let found = reachCache.get(key);
  if (found === undefined) {
    found = new RegExp(`\\b${identifier}\\b`).test(link(code));
    reachCache.set(key, found);
  }
  return found;
}

/** Puts another body in a function's place and returns what undoes it; for tests that need an adapter with a fault. */
export function replaceFunction(name: string, source: string): () => void {
  const original = functions.get(name);
  if (original === undefined) throw new Error(`no WGSL function is called ${name}`);
  functions.set(name, source);
  return () => functions.set(name, original);
}
