// npm run dev: the development server, and prepare.mjs again whenever the engine, its Python or a text changes.
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { prepare } from './prepare.mjs';

process.env.NODE_ENV = 'development';
await prepare();

// 127.0.0.1: Next would otherwise listen on every interface.
const next = spawn(
  process.execPath,
  ['node_modules/next/dist/bin/next', 'dev', '-H', '127.0.0.1', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
  },
);
next.on('exit', (code) => process.exit(code ?? 0));

let timer;
const again = (_, name) => {
  if (name && !/\.(py|ts|wgsl|mdx)$/.test(name)) return;
  clearTimeout(timer);
  timer = setTimeout(() => prepare().catch((error) => console.error(`prepare: ${error.message}`)), 200);
};
for (const root of ['engine', 'content', 'exercises']) if (existsSync(root)) watch(root, { recursive: true }, again);
