// Who may import whom: dependency-cruiser with the rules of .dependency-cruiser.cjs, whose comments say what to import instead.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const { status } = spawnSync(
  process.execPath,
  [
    '--import',
    './scripts/typescript6.mjs',
    'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
    ...['app', 'content', 'engine', 'exercises', 'scripts', 'tests'].filter((folder) => existsSync(folder)),
    '--output-type',
    'err-long',
  ],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
