/**
 * Stored runs of widgets, shown before the reader's own: what the widget's script gives on the reference engine.
 * usage: npx tsx scripts/widget-samples.ts (tests/python/widgets/loss-scaling.test.ts fails where a stored run is not what the script gives)
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sampleOf } from '../app/components/widgets/loss-scaling-microscope/sample';
import { NodeSession } from '../engine/session/node';

const file = fileURLToPath(new URL('../app/components/widgets/loss-scaling-microscope/sample.json', import.meta.url));
const session = new NodeSession();
// Biome's formatting of arrays of numbers takes a line each; this file is data.
writeFileSync(file, `${JSON.stringify(await sampleOf(session))}\n`);
console.log(`wrote ${file}`);
session.close();
