/** `npm run interview -- check [slug]`: the gate on the reference backend, for one interview or for all; its fix included. */
import { NodeSession } from '@/engine/session/node';
import { gate as exerciseGate } from '@/exercises/kit/gate';
import { interviewSlugs, loadInterview } from './discover';
import { gate } from './gate';

const [command, only] = process.argv.slice(2);
if (command !== 'check') {
  console.error('usage: npm run interview -- check [slug]');
  process.exit(2);
}
const slugs = only ? [only] : interviewSlugs();
if (only && !interviewSlugs().includes(only)) {
  console.error(`There is no interview "${only}". There are: ${interviewSlugs().join(', ')}`);
  process.exit(2);
}
console.log('Starting Python with the reference backend …');
const session = new NodeSession();
await session.start();
let passed = 0;
let failed = 0;
const report = (result: { readonly claim: string; readonly passed: boolean; readonly why?: string }) => {
  console.log(`  ${result.passed ? 'pass' : 'FAIL'}  ${result.claim}${result.why ? `\n        ${result.why}` : ''}`);
  if (result.passed) passed++;
  else failed++;
};
for (const slug of slugs) {
  console.log(`\n${slug}`);
  const folder = await loadInterview(slug);
  for await (const result of gate(folder, session)) report(result);
  for await (const result of exerciseGate(folder.fix, session)) report({ ...result, claim: `fix: ${result.claim}` });
}
session.close();
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
