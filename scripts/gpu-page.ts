/** A blank page on localhost (a secure context, where WebGPU is allowed) that runs one bundled TypeScript module. */
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const address = 'http://localhost/gpu-page/';

/** Bundles `entry` (a path from the repository's root), loads it in `page` and resolves once it has run. `files` are served under ./files/. */
export async function openGpuPage(
  page: Page,
  entry: string,
  files: ReadonlyMap<string, Buffer> = new Map(),
): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [`${root}${entry}`],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    alias: { '@': root.replace(/\/$/, '') },
    loader: { '.wgsl': 'text' },
  });
  await page.route(`${address}**`, async (route) => {
    const path = new URL(route.request().url()).pathname.replace('/gpu-page/', '');
    if (path === '') {
      await route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><title>GPU</title><script type="module" src="main.js"></script>',
      });
    } else if (path === 'main.js') await route.fulfill({ contentType: 'text/javascript', body: outputFiles[0].text });
    else {
      const file = files.get(path.replace('files/', ''));
      await route.fulfill(file ? { contentType: 'application/octet-stream', body: file } : { status: 404 });
    }
  });
  await page.goto(address);
}
