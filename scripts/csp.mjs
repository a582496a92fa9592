// After the build: gives every page a Content-Security-Policy of its own, with the hashes of its inline scripts, as a <meta> tag
// (so that any static host serves it), and writes out/_headers for hosts that read that file.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Headers of every response. A meta tag can't say frame-ancestors, and nothing may be sniffed. scripts/serve.mjs sends them too. */
export const SECURITY_HEADERS = {
  'Content-Security-Policy': "frame-ancestors 'self'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(self), payment=(), usb=()',
};

/** Files at these paths have a hash or a version in their names. */
export const IMMUTABLE = ['/_next/static/', '/pyodide/', '/torch/', '/workers/'];

const policy = (hashes) =>
  [
    "default-src 'none'",
    // Python is WebAssembly. The session's worker is a data: module that imports Pyodide's code, handed to it by the page, as blobs.
    `script-src 'self' 'wasm-unsafe-eval' blob: ${hashes.join(' ')}`.trim(),
    // The editor makes its style rules at run time.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    // One's own recordings, played back from memory.
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'self' data:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "object-src 'none'",
  ].join('; ');

const sha256 = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

export function addPolicies(out = 'out') {
  const pages = readdirSync(out, { recursive: true }).filter((name) => name.endsWith('.html'));
  for (const page of pages) {
    const file = join(out, page);
    const html = readFileSync(file, 'utf8');
    if (html.includes('http-equiv="Content-Security-Policy"')) continue;
    const inline = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) =>
      sha256(match[1]),
    );
    const meta = `<meta http-equiv="Content-Security-Policy" content="${policy([...new Set(inline)])}"/>`;
    const marked = html.replace(/<head>(<meta charSet="utf-8"\/>)?/, (head) => head + meta);
    if (marked === html) throw new Error(`${file}: no <head> to put the policy into`);
    writeFileSync(file, marked);
  }
  const rules = [
    ['/*', Object.entries(SECURITY_HEADERS)],
    ...IMMUTABLE.map((path) => [`${path}*`, [['Cache-Control', 'public, max-age=31536000, immutable']]]),
  ];
  writeFileSync(
    join(out, '_headers'),
    rules
      .map(([path, headers]) => `${path}\n${headers.map(([name, value]) => `  ${name}: ${value}\n`).join('')}`)
      .join('\n'),
  );
  return pages.length;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`csp: ${addPolicies(process.argv[2])} pages`);
}
