/** The interview gate on WebGPU: what npm run check proves on the reference backend holds in the browser, on the first seed of each. */
import { expect, test } from '@playwright/test';
import { interviewSlugs, loadInterview } from '../../content/interviews/kit/discover';
import { gate } from '../../content/interviews/kit/gate';
import { PageSession } from './page-session';

for (const slug of interviewSlugs()) {
  test(`${slug}: the gate holds on WebGPU`, async ({ page }) => {
    test.setTimeout(420_000);
    const folder = await loadInterview(slug);
    await page.goto('/lab/');
    const session = new PageSession(page);
    expect((await session.start()).name).toBe('webgpu');
    const failed: string[] = [];
    for await (const { claim, passed, why } of gate(folder, session, { seeds: folder.interview.seeds.slice(0, 1) })) {
      if (!passed) failed.push(`${claim}: ${why}`);
    }
    expect(failed).toEqual([]);
  });
}
