import { readdirSync, readFileSync } from 'node:fs';
import { expect, routes, test } from './site';

test('every page has the security headers and a policy without unsafe scripts', async ({ request }) => {
  for (const route of routes) {
    const response = await request.get(route);
    expect(response.status(), route).toBe(200);
    const headers = response.headers();
    expect(headers['content-security-policy'], route).toContain("frame-ancestors 'self'");
    expect(headers['x-content-type-options'], route).toBe('nosniff');
    expect(headers['referrer-policy'], route).toBe('no-referrer');
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(await response.text())?.[1] ?? '';
    expect(policy, route).toContain("default-src 'none'");
    const scripts = policy.split(';').find((directive) => directive.trim().startsWith('script-src')) ?? '';
    expect(scripts, route).toContain("'wasm-unsafe-eval'");
    expect(scripts, route).not.toMatch(/'unsafe-inline'|'unsafe-eval'|https?:|\*/);
  }
});

test('the policy is the first thing in the head after the charset', () => {
  for (const route of routes) {
    expect(readFileSync(`out${route}index.html`, 'utf8'), route).toMatch(
      /<head><meta charSet="utf-8"\/><meta http-equiv="Content-Security-Policy"/,
    );
  }
});

test('an unknown address is a 404 with a way on', async ({ page, complaints }) => {
  const response = await page.goto('/no/such/page/');
  expect(response?.status()).toBe(404);
  await expect(page.locator('main').getByRole('link', { name: 'lessons' })).toBeVisible();
  // The browser itself reports the status.
  expect(complaints.splice(0).every((line) => line.includes('404'))).toBe(true);
});

test('a missing slash is added', async ({ request }) => {
  const response = await request.get('/lessons', { maxRedirects: 0 });
  expect(response.status()).toBe(308);
  expect(response.headers().location).toBe('/lessons/');
});

test('hashed files are cached for ever and compressed; pages are asked for again', async ({ request }) => {
  const chunk = readdirSync('out/_next/static', { recursive: true })
    .map(String)
    .find((file) => file.endsWith('.js'));
  const script = await request.get(`/_next/static/${chunk}`);
  expect(script.headers()['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(script.headers()['content-encoding']).toBe('gzip');
  const html = await request.get('/');
  expect(html.headers()['cache-control']).toContain('max-age=0');
  const again = await request.get('/', { headers: { 'If-None-Match': html.headers().etag } });
  expect(again.status()).toBe(304);
});

test('nothing outside the site and nothing hidden is served', async ({ request }) => {
  for (const path of [
    '/.stamp',
    '/..%2fpackage.json',
    '/%2e%2e/package.json',
    '/_next/..%5c..%5cpackage.json',
    '/%00',
    '/%',
  ]) {
    const response = await request.get(path);
    expect([400, 404], path).toContain(response.status());
    expect(await response.text(), path).not.toContain('"devDependencies"');
  }
  expect((await request.post('/')).status()).toBe(405);
});
