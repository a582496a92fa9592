// Preload for dependency-cruiser: it needs TypeScript's JavaScript API, which TypeScript 7 (native) no longer has, so for this one
// process the name `typescript` means TypeScript 6. Used as `node --import ./scripts/typescript6.mjs …/dependency-cruise.mjs`.
import Module, { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const oldPackage = createRequire(require.resolve('@typescript/typescript6/package.json')).resolve(
  '@typescript/old/package.json',
);
const entry = createRequire(oldPackage).resolve(require(oldPackage).main.replace(/^(?!\.)/, './'));

// import('typescript')
register(
  `data:text/javascript,${encodeURIComponent(`export const resolve = (name, context, next) =>
    name === 'typescript' ? { url: ${JSON.stringify(pathToFileURL(entry).href)}, shortCircuit: true } : next(name, context);`)}`,
);

// require('typescript') and require('typescript/package.json')
const original = Module._resolveFilename;
Module._resolveFilename = function (name, ...rest) {
  if (name === 'typescript') return entry;
  if (name === 'typescript/package.json') return oldPackage;
  return original.call(this, name, ...rest);
};
