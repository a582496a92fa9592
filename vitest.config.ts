import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';

/** `import source from './kernel.wgsl'` gives the file's text, as in Next and esbuild. */
const wgsl: Plugin = {
  name: 'wgsl-as-text',
  enforce: 'pre',
  load(id) {
    const file = id.split('?')[0];
    if (file.endsWith('.wgsl')) return `export default ${JSON.stringify(readFileSync(file, 'utf8'))};`;
  },
};

const root = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  plugins: [wgsl],
  resolve: { alias: { '@': root } },
  test: {
    environment: 'node',
    pool: 'forks',
    maxWorkers: 2,
    projects: [
      {
        // Pure TypeScript: quick, no Python.
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/e2e/**', 'tests/python/**', 'tests/exercises/**', 'tests/unit/webgpu/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Kernels on Dawn in Node: needs a Vulkan driver, which comes with Chromium (SwiftShader).
        extends: true,
        test: {
          name: 'gpu',
          include: ['tests/unit/webgpu/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        // Starts Pyodide (2 to 10 s on a busy machine) and runs Python.
        extends: true,
        test: {
          name: 'python',
          include: ['tests/python/**/*.test.ts', 'tests/exercises/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
