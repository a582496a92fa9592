/** `npm run py -- FILE.py [args]`: runs a script with our torch on the reference backend, with CPython's output and exit status. */
import { readFileSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { startPython } from '../engine/session/node';

/** Writes all of `text`, waiting where a pipe is full. */
function write(fd: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0);
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  write(2, 'usage: npm run py -- FILE.py [args]\n');
  process.exit(2);
}
let code: string;
try {
  code = readFileSync(file, 'utf8');
} catch {
  write(2, `npm run py: can't open file '${resolve(file)}': no such file\n`);
  process.exit(2);
}
try {
  const { host } = await startPython((text, stream) => write(stream === 'stderr' ? 2 : 1, text));
  const path = resolve(file);
  const result = await host.run(code, {
    filename: path,
    program: file,
    args,
    directory: dirname(path),
    timeLimit: 0,
    outputLimit: 0,
  });
  if (result.error) write(2, result.error.traceback);
  process.exit(result.exitCode);
} catch (error) {
  // A fault of ours, not of the script's. (Left uncaught, Node would print the megabyte line of Pyodide that it came from.)
  write(2, `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(70);
}
