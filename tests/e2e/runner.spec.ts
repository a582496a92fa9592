import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { LabPage } from './lab-page';

// One page for all of these: a cold start of Python takes seconds, and a session that survives all this is the point.
test.describe.configure({ mode: 'serial' });

let page: Page;
let lab: LabPage;

test.beforeAll(async ({ browser }) => {
  page = await (await browser.newContext()).newPage();
  lab = await LabPage.open(page);
});
test.afterAll(() => page.context().close());

test('a script prints exactly what Python prints', async () => {
  expect(await lab.run('import sys\nprint("a", 1, sep="-")\nprint("é∞", end="")\nprint("!", file=sys.stderr)')).toBe(
    'a-1\né∞!\n',
  );
  await expect(lab.status).toContainText('Done in');
});

test('torch computes on the GPU, and the runner says so', async () => {
  const printed = await lab.run(
    'import torch\nx = torch.tensor([1.0, 65504.0], dtype=torch.float16, device="cuda")\nprint((x + x).tolist())',
  );
  expect(printed).toBe('[2.0, inf]\n');
  await expect(lab.runner).toHaveAttribute('data-backend', 'webgpu');
});

test('each run starts afresh', async () => {
  await lab.run('leftover = 1\nimport math\nmath.pi = 3\nimport torch\ntorch.set_grad_enabled(False)');
  const printed = await lab.run(
    'import math, torch\nprint("leftover" in globals(), math.pi > 3.1, torch.is_grad_enabled())',
  );
  expect(printed).toBe('False True True\n');
});

test('Ctrl+Enter runs', async () => {
  await lab.type('print("by keyboard")');
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect(lab.output).toHaveText('by keyboard\n');
});

const stubborn =
  'while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass\n';
for (const [what, code] of [
  ['an endless loop', 'print("on")\nwhile True:\n    pass\n'],
  ['a sleep', 'import time\nprint("on")\ntime.sleep(1000)\n'],
  ['a flood of prints with pauses', 'import time\nwhile True:\n    print("on")\n    time.sleep(0.001)\n'],
  ['a wait that never ends', 'import asyncio\nprint("on")\nasyncio.run(asyncio.Event().wait())\n'],
  ['a loop that catches everything', `print("on")\n${stubborn}`],
] as const) {
  test(`Stop ends ${what}, and two seconds later Python runs again`, async () => {
    await lab.spare();
    await lab.start(code);
    await expect(lab.output).toContainText('on');
    // The next script is typed while this one runs: then only Python's own time counts.
    await lab.type('print("again")');
    const clicked = Date.now();
    await lab.button('Stop').click();
    await lab.expectState('stopped');
    await lab.button('Run').click();
    await lab.expectState('done');
    expect(Date.now() - clicked).toBeLessThan(2000);
    await expect(lab.output).toHaveText('again\n');
  });
}

test('a stopped loop says where it was', async () => {
  await lab.start('print("on")\ni = 0\nwhile True:\n    i += 1\n');
  await expect(lab.output).toContainText('on');
  await lab.button('Stop').click();
  await lab.expectState('stopped');
  await expect(lab.output).toContainText('File "main.py", line');
  await expect(lab.output).toContainText('KeyboardInterrupt');
});

test('Tab moves the focus on; Ctrl+M makes it indent', async () => {
  await lab.type('x = 1');
  await page.keyboard.press('Tab');
  await expect(lab.code).not.toBeFocused();
  await lab.type('x = 1');
  await page.keyboard.press('Control+m');
  await page.keyboard.press('Home');
  await page.keyboard.press('Tab');
  await expect(lab.code).toBeFocused();
  expect(await lab.text()).toBe('    x = 1');
  // Escape lets the next Tab out.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(lab.code).not.toBeFocused();
  await lab.code.click();
  await page.keyboard.press('Control+m');
});

test('Reset gives the starter back, and can be undone', async () => {
  await lab.type('mine = True');
  await lab.button('Reset').click();
  expect(await lab.text()).toContain('import torch');
  await expect(lab.button('Reset')).toBeDisabled();
  await lab.button('Undo reset').click();
  expect(await lab.text()).toBe('mine = True');
});

test('a lost GPU device ends the run plainly, and the next run has a new one', async () => {
  await lab.start(
    'import torch, time\nx = torch.ones(4, device="cuda")\nprint("on")\nwhile True:\n    x = x + 1\n    x.sum().item()\n',
  );
  await expect(lab.output).toContainText('on');
  await page.evaluate(() =>
    (window as unknown as { __session: { loseDevice(): Promise<void> } }).__session.loseDevice(),
  );
  await lab.expectState('error');
  await expect(lab.output).toContainText('GPU device was lost');
  expect(await lab.run('import torch\nprint(torch.ones(2, device="cuda").sum().item())')).toBe('2.0\n');
  await expect(lab.runner).toHaveAttribute('data-backend', 'webgpu');
});

test('the draft survives a reload', async () => {
  await lab.type('print("kept")');
  await page.reload();
  lab = new LabPage(page);
  await lab.code.waitFor();
  await expect.poll(() => lab.text()).toBe('print("kept")');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the lab has no accessibility faults, with output and error, ${colorScheme}`, async () => {
    await page.emulateMedia({ colorScheme });
    await lab.run('print("x" * 300)\n1 / 0', 'error');
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`)).toEqual([]);
  });
}

test('a slow click on Run while the editor has the focus is not lost', async ({ page }) => {
  const lab = await LabPage.open(page);
  await lab.type('print(1 + 1)');
  const before = await lab.button('Run').boundingBox();
  await page.mouse.move(before!.x + before!.width / 2, before!.y + before!.height - 4);
  await page.mouse.down();
  await page.waitForTimeout(120);
  await page.mouse.up();
  await lab.expectState('done');
  expect(await lab.printed()).toBe('2\n');
});

test('a button pressed by keyboard keeps the focus', async ({ page }) => {
  const lab = await LabPage.open(page);
  await lab.type('print(3)');
  for (const name of ['Run', 'Reset']) {
    await lab.button(name).focus();
    await page.keyboard.press('Enter');
    await expect(lab.button('Undo reset')).toHaveCount(name === 'Reset' ? 1 : 0);
    if (name === 'Run') await lab.expectState('done');
    await expect(lab.button(name)).toBeFocused();
  }
  await expect(lab.button('Reset')).toBeDisabled();
});

for (const width of [390, 1280])
  test(`Run stays where it is when the editor arrives, ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    // No editor of itself: the pointer brings it.
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } });
    });
    await page.goto('/lessons/stable-softmax/');
    const cell = page.locator('[data-runner]').first();
    const run = cell.getByRole('button', { name: 'Run', exact: true });
    const heights = () => cell.evaluate((element) => element.getBoundingClientRect().height);
    await run.scrollIntoViewIfNeeded();
    await expect(cell.locator('[data-still]')).toBeVisible();
    const before = await heights();
    await run.hover();
    await expect(cell.locator('.cm-editor')).toBeVisible();
    expect(Math.abs((await heights()) - before)).toBeLessThan(1);
  });
