// Serves out/ as a static host would: trailing slashes, the 404 page, gzip, security headers, hashed files cached for ever.
// usage: node scripts/serve.mjs [--port 3000] [--host localhost] [--dir out]
import { readFileSync, statSync } from 'node:fs';
import http from 'node:http';
import { extname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import zlib from 'node:zlib';
import { IMMUTABLE, SECURITY_HEADERS } from './csp.mjs';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  // Next's router payloads.
  '.txt': 'text/x-component; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.zip': 'application/zip',
  '.webmanifest': 'application/manifest+json',
};
/** Already compressed. */
const PACKED = new Set(['.woff2', '.zip', '.png', '.ico']);

/** Path of a regular file, or undefined. */
const fileAt = (path) => {
  try {
    return statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
};

/** Which file answers `path`, and with which status; `redirect` where a slash is missing. */
function resolvePath(root, path) {
  const notFound = { status: 404, file: join(root, '404.html') };
  const target = resolve(root, `.${path}`);
  // Neither outside the root nor a hidden file such as the build's stamp.
  if ((target !== root && !target.startsWith(root + sep)) || /(^|[\\/])\./.test(path)) return notFound;
  const index = fileAt(join(target, 'index.html'));
  if (path.endsWith('/')) return index ? { status: 200, file: index } : notFound;
  const file = fileAt(target);
  if (file) return { status: 200, file };
  return index ? { status: 308, redirect: `${path}/` } : notFound;
}

export function createServer(dir = 'out') {
  const root = resolve(dir);
  /** Compressed bodies by file and etag. The site is a few dozen megabytes at most. */
  const compressed = new Map();
  const headersFor = (path, file) => {
    const { size, mtimeMs } = statSync(file);
    const immutable = IMMUTABLE.some((prefix) => path.startsWith(prefix));
    return {
      ...SECURITY_HEADERS,
      'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
      'Cache-Control': immutable ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate',
      ETag: `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`,
      Vary: 'Accept-Encoding',
    };
  };
  return http.createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { ...SECURITY_HEADERS, Allow: 'GET, HEAD' }).end();
      return;
    }
    let path;
    try {
      path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    } catch {
      response.writeHead(400, SECURITY_HEADERS).end();
      return;
    }
    const { status, file, redirect } = resolvePath(root, path);
    if (redirect) {
      response.writeHead(status, { ...SECURITY_HEADERS, Location: encodeURI(redirect) }).end();
      return;
    }
    if (!fileAt(file)) {
      response.writeHead(404, { ...SECURITY_HEADERS, 'Content-Type': 'text/plain' }).end('404');
      return;
    }
    // A missing hashed file must not be remembered as missing.
    const headers = headersFor(status === 200 ? path : '/404.html', file);
    if (status === 200 && request.headers['if-none-match'] === headers.ETag) {
      response.writeHead(304, headers).end();
      return;
    }
    let body = readFileSync(file);
    if (!PACKED.has(extname(file)) && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) {
      const key = `${file} ${headers.ETag}`;
      if (!compressed.has(key)) compressed.set(key, zlib.gzipSync(body));
      body = compressed.get(key);
      headers['Content-Encoding'] = 'gzip';
    }
    response.writeHead(status, { ...headers, 'Content-Length': body.length });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
}

/** Listens; rejects with a message for people if the port is taken. */
export function serve({ port, host = 'localhost', dir = 'out' }) {
  const server = createServer(dir);
  return new Promise((done, fail) => {
    server.on('error', (error) =>
      fail(
        error.code === 'EADDRINUSE'
          ? new Error(`port ${port} is taken by another program; choose one with PORT=${port + 1} npm start`)
          : error,
      ),
    );
    server.listen(port, host, () => done(server));
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      host: { type: 'string', default: 'localhost' },
      dir: { type: 'string', default: 'out' },
    },
  });
  const port = Number(values.port ?? process.env.PORT ?? 3000);
  try {
    await serve({ port, host: values.host, dir: values.dir });
    console.log(`serving ${values.dir} at http://localhost:${port}/`);
  } catch (error) {
    console.error(`serve: ${error.message}`);
    process.exitCode = 1;
  }
}
