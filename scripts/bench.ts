/** npm run bench: prints one JSON object a line (see docs/ARCHITECTURE.md for what the engine is). */
import { benchEngine } from './bench/engine';
import { benchSession } from './bench/session';
import { benchSubmit } from './bench/submit';

await benchEngine();
await benchSession();
await benchSubmit();
