/** What the browser tests know of the site: its routes, found in the export, and a page that reports every complaint. */
import { readdirSync } from 'node:fs';
import { test as base, expect, type Page } from '@playwright/test';

/** Every route of the export: "/", "/lessons/", … */
export const routes: readonly string[] = readdirSync('out', { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('index.html') && !/^(_|404)/.test(file))
  .map((file) => `/${file.replace(/index\.html$/, '')}`)
  .sort();

export const lessonRoutes = routes.filter((route) => /^\/lessons\/.+/.test(route));

/** `test`, failing if the page wrote an error to the console, threw, or broke its content security policy. */
export const test = base.extend<{ complaints: string[] }>({
  complaints: [
    async ({ page }, use) => {
      const complaints: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(`console: ${message.text()} ${message.location().url}`);
      });
      page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
      await use(complaints);
      expect(complaints).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Stops every request for Python, torch and the worker, as a slow network would. */
export const withoutRuntime = (page: Page) => page.route(/\/(pyodide|torch|workers)\//, () => {});
