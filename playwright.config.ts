import { defineConfig } from '@playwright/test';
import { findChromium } from './scripts/chromium.mjs';

const port = Number(process.env.PORT ?? 4173);

export default defineConfig({
  testDir: 'tests',
  testMatch: ['e2e/**/*.spec.ts', 'browser-gpu/**/*.spec.ts'],
  fullyParallel: true,
  workers: 2,
  // A cold Python start takes 6 to 10 s on a loaded two-core machine, and every browser context starts cold.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: !!process.env.CI,
  retries: 0,
  reporter: process.env.SUBNORMAL_REPORT ? [['list'], ['json', { outputFile: process.env.SUBNORMAL_REPORT }]] : 'list',
  outputDir: 'test-results',
  use: {
    baseURL: `http://localhost:${port}`,
    trace: 'off',
    serviceWorkers: 'block',
    colorScheme: 'light',
    launchOptions: {
      executablePath: findChromium(),
      args: [
        '--no-sandbox',
        '--enable-unsafe-webgpu',
        '--use-webgpu-adapter=swiftshader',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--font-render-hinting=none',
      ],
    },
  },
  webServer: {
    command: `node scripts/serve.mjs --port ${port}`,
    url: `http://localhost:${port}/`,
    reuseExistingServer: !process.env.CI,
    stdout: 'ignore',
  },
});
