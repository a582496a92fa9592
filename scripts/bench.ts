/** npm run bench: prints one JSON object a line (see docs/ARCHITECTURE.md for what the engine is). */
import { benchEngine } from './bench/engine';

await benchEngine();
