/** Every interview's gate, on the reference backend: the run, its evidence, the verdicts, and the fix. */
import { beforeAll, describe, expect, it } from 'vitest';
import { interviewSlugs, loadInterview } from '@/content/interviews/kit/discover';
import { gate } from '@/content/interviews/kit/gate';
import { NodeSession } from '@/engine/session/node';
import { gate as exerciseGate } from '@/exercises/kit/gate';

describe.each(interviewSlugs())('interview %s', (slug) => {
  const session = new NodeSession();
  beforeAll(async () => {
    await session.start();
  });

  it('holds what the gate claims, on every seed', async () => {
    const failed: string[] = [];
    for await (const { claim, passed, why } of gate(await loadInterview(slug), session)) {
      if (!passed) failed.push(`${claim}: ${why}`);
    }
    expect(failed).toEqual([]);
  }, 400_000);

  it('has a fix that the exercise gate accepts', async () => {
    const failed: string[] = [];
    for await (const { claim, passed, why } of exerciseGate((await loadInterview(slug)).fix, session)) {
      if (!passed) failed.push(`${claim}: ${why}`);
    }
    expect(failed).toEqual([]);
  });
});
