// npm start: builds the site if out/ is missing or older than the sources, then serves it at http://localhost:3000 (PORT overrides).
import { build, isFresh } from './build.mjs';
import { serve } from './serve.mjs';

const port = Number(process.env.PORT ?? 3000);
try {
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`PORT is "${process.env.PORT}", not a port number`);
  // Ask for the port before a build of a minute, not after it.
  const probe = await serve({ port });
  await new Promise((done) => probe.close(done));
  if (isFresh()) {
    console.log('start: out/ is up to date');
  } else {
    console.log('start: building the site into out/ (only when something has changed)');
    await build();
  }
  await serve({ port });
  console.log(`\n  Subnormal is at http://localhost:${port}/   (Ctrl+C stops it)\n`);
} catch (error) {
  console.error(`start: ${error.message}`);
  process.exitCode = 1;
}
