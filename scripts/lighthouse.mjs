// Lighthouse over the front page, a lesson and an exercise of the build in out/: accessibility, best practices and SEO have to be 100.
// Performance depends on how busy the machine is: it is measured and printed, with the machine's load, and not judged.
// usage: node scripts/lighthouse.mjs [path …]
import { existsSync, readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';
import { ensureChromium } from './chromium.mjs';
import { serve } from './serve.mjs';

const ASSERTED = ['accessibility', 'best-practices', 'seo'];

const first = (folder) =>
  readdirSync(`out/${folder}`, { withFileTypes: true }).find((entry) => entry.isDirectory()).name;

if (!existsSync('out/index.html')) {
  console.error('lighthouse: there is no build; run npm run build first');
  process.exit(1);
}
const wanted = process.argv.slice(2);
const paths = wanted.length > 0 ? wanted : ['/', `/lessons/${first('lessons')}/`, `/exercises/${first('exercises')}/`];
const server = await serve({ port: 0 });
const chrome = await launch({
  chromePath: await ensureChromium(),
  chromeFlags: ['--headless=new', '--no-sandbox', '--disable-background-networking', '--no-first-run'],
  logLevel: 'silent',
});
let passed = 0;
let failed = 0;
try {
  for (const path of paths) {
    const url = `http://localhost:${server.address().port}${path}`;
    const { lhr } = await lighthouse(url, {
      port: chrome.port,
      output: 'json',
      logLevel: 'error',
      onlyCategories: ['performance', ...ASSERTED],
    });
    const score = (category) => Math.round((lhr.categories[category].score ?? 0) * 100);
    const seconds = (audit) => `${((lhr.audits[audit].numericValue ?? 0) / 1000).toFixed(1)} s`;
    console.log(
      `${path}\n  performance ${score('performance')} (first paint ${seconds('first-contentful-paint')}, largest ${seconds('largest-contentful-paint')}, blocked ${Math.round(lhr.audits['total-blocking-time'].numericValue ?? 0)} ms, shift ${(lhr.audits['cumulative-layout-shift'].numericValue ?? 0).toFixed(3)}; load ${loadavg()[0].toFixed(1)})`,
    );
    for (const category of ASSERTED) {
      const good = score(category) === 100;
      if (good) passed++;
      else failed++;
      console.log(`  ${good ? 'pass' : 'FAIL'}  ${category} ${score(category)}`);
      if (good) continue;
      for (const { id, weight } of lhr.categories[category].auditRefs) {
        const audit = lhr.audits[id];
        if (weight === 0 || audit.score === null || audit.score === 1) continue;
        const where = (audit.details?.items ?? []).map((item) => item.node?.snippet ?? item.description ?? item.url);
        console.log(`        ${audit.title}${where.length > 0 ? `: ${where.join(' | ')}` : ''}`);
      }
    }
  }
} finally {
  await chrome.kill();
  server.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
