/** `npm run exercise -- check [slug]`: the gate on the reference backend, for one exercise or for all. */
import { NodeSession } from '../../engine/session/node';
import { exerciseSlugs, loadExercise } from './discover';
import { gate } from './gate';

const [command, only] = process.argv.slice(2);
if (command !== 'check') {
  console.error('usage: npm run exercise -- check [slug]');
  process.exit(2);
}
const slugs = only ? [only] : exerciseSlugs();
if (only && !exerciseSlugs().includes(only)) {
  console.error(`There is no exercise "${only}". There are: ${exerciseSlugs().join(', ')}`);
  process.exit(2);
}
console.log('Starting Python with the reference backend …');
const session = new NodeSession();
await session.start();
let passed = 0;
let failed = 0;
for (const slug of slugs) {
  console.log(`\n${slug}`);
  for await (const result of gate(await loadExercise(slug), session)) {
    console.log(`  ${result.passed ? 'pass' : 'FAIL'}  ${result.claim}${result.why ? `\n        ${result.why}` : ''}`);
    if (result.passed) passed++;
    else failed++;
  }
}
session.close();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
