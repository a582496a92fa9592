import { expect, type Page, test } from '@playwright/test';
import { LabPage } from './lab-page';

test.describe.configure({ mode: 'serial' });

let page: Page;
let lab: LabPage;

test.beforeAll(async ({ browser }) => {
  page = await (await browser.newContext()).newPage();
  lab = await LabPage.open(page);
});
test.afterAll(() => page.context().close());

/** Runs faulty code; whatever it does, the learner's code is still there and Python still works. */
async function survive(code: string, state: 'error' | 'stopped' | 'done'): Promise<string> {
  const printed = await lab.run(code, state);
  expect((await lab.text()).trimEnd()).toBe(code.trimEnd());
  expect(await lab.run('print("well")')).toBe('well\n');
  return printed;
}

test('a syntax error is shown with its line and a caret', async () => {
  expect(await survive('x = 1\nif x = = 2:\n    pass', 'error')).toBe(
    '  File "main.py", line 2\n    if x = = 2:\n         ^\nSyntaxError: invalid syntax\n',
  );
});

test('the line of an error is marked in the editor', async () => {
  await lab.run('x = 1\n1 / 0\n', 'error');
  await expect(lab.code.locator('[data-error-line="2"]')).toHaveText('1 / 0');
  await lab.type('print(1)');
  await expect(lab.code.locator('[data-error-line]')).toHaveCount(0);
});

test('a traceback has the frames of the script and no others', async () => {
  const printed = await survive(
    'import torch\ndef f(a, b):\n    return a @ b\nf(torch.ones(2, 3), torch.ones(2, 3))',
    'error',
  );
  expect(printed).toContain('RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)\n');
  expect([...printed.matchAll(/File "([^"]+)"/g)].map((match) => match[1])).toEqual(['main.py', 'main.py']);
});

test('a wrong dtype gives PyTorch’s own message', async () => {
  const printed = await survive('import torch\ntorch.ones(2, 2, dtype=torch.float16) @ torch.ones(2, 2)', 'error');
  expect(printed).toContain('RuntimeError: expected m1 and m2 to have the same dtype, but got: c10::Half != float\n');
});

test('an op that is not supported is named', async () => {
  const printed = await survive('import torch\ntorch.linalg.svd(torch.ones(2, 2))', 'error');
  expect(printed).toMatch(/svd/);
  expect(printed).toMatch(/Error/);
});

test('a million lines end at the output limit, and the page says how much was cut', async () => {
  const printed = await survive('for i in range(10**6):\n    print("line", i)', 'stopped');
  expect(printed.length).toBe(200_000);
  expect(printed.startsWith('line 0\nline 1\n')).toBe(true);
});

test('the notice about cut output names the number of characters', async () => {
  await lab.run('print("x" * 250_001)', 'stopped');
  await expect(lab.runner).toContainText('passed 200,000 characters; 50,001 more were cut');
});

test('a tensor that is too big raises RuntimeError', async () => {
  const printed = await survive('import torch\ntorch.zeros(200_000, 200_000, device="cuda")', 'error');
  expect(printed).toMatch(/RuntimeError: .*out of memory|RuntimeError: .*memory/i);
});

test('a list that fills the memory raises MemoryError, and the next run is well', async () => {
  const printed = await survive('x = []\nwhile True:\n    x.append([0] * 100_000)', 'error');
  expect(printed).toContain('MemoryError');
});

test('endless recursion gives RecursionError as Python does', async () => {
  const printed = await survive('def f(n):\n    return f(n + 1)\nf(0)', 'error');
  expect(printed).toContain('[Previous line repeated');
  expect(printed).toContain('RecursionError: maximum recursion depth exceeded\n');
});

test('recursion that breaks Python’s own stack is explained, and a fresh Python takes over', async () => {
  const printed = await survive('class A:\n    def __repr__(self):\n        return repr(self)\nrepr(A())', 'error');
  expect(printed).toContain('RecursionError');
  expect(printed).toContain('line 3');
});

test('input() says that nobody is there', async () => {
  expect(await survive('input("name? ")', 'error')).toContain('EOFError: input() has nobody to answer it here');
});

test('sys.exit ends the run; its message is shown', async () => {
  expect(await lab.run('import sys\nprint(1)\nsys.exit()', 'done')).toBe('1\n');
  expect(await survive('import sys\nsys.exit("no data")', 'error')).toBe('no data\n');
});

test('Python cannot reach the page or the network', async () => {
  const printed = await lab.run(
    [
      'import js',
      'print([name for name in ("document", "fetch", "self", "indexedDB") if hasattr(js, name)])',
      'from pyodide.code import run_js',
      'try:',
      '    run_js("1 + 1")',
      'except Exception as error:',
      '    print(type(error).__name__)',
    ].join('\n'),
  );
  expect(printed.startsWith('[]\n')).toBe(true);
  expect(printed.split('\n')[1]).not.toBe('');
});

for (const [what, code] of [
  ['takes the session’s own modules apart', 'import _subnormal.host\n_subnormal.host.page = None'],
  ['forgets every module', 'import sys\nsys.modules.clear()'],
  ['breaks what Python prepares runs with', 'import gc, json\ngc.collect = json.loads = json.dumps = None'],
  ['overrides builtins', 'import builtins\nbuiltins.isinstance = builtins.len = builtins.__import__ = None'],
  ['leaves by os._exit', 'import os\nos._exit(3)'],
] as const) {
  test(`after a script that ${what}, the next run is well`, async () => {
    await lab.type(code);
    const before = Number(await lab.runner.getAttribute('data-runs'));
    await lab.button('Run').click();
    await expect(lab.runner).toHaveAttribute('data-runs', String(before + 1));
    expect(await lab.run('import torch\nprint(torch.ones(2).sum().item())')).toBe('2.0\n');
  });
}

test('without WebGPU "cuda" runs on the reference, and the page says why', async ({ browser }) => {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined });
  });
  const other = await LabPage.open(await context.newPage());
  expect(await other.run('import torch\nprint((torch.ones(2, device="cuda") * 2).tolist())')).toBe('[2.0, 2.0]\n');
  await expect(other.runner).toHaveAttribute('data-backend', 'cpu');
  await expect(other.runner.locator('[data-notice="reference"]')).toContainText('this browser has no WebGPU');
  await context.close();
});

test('without JSPI "cuda" runs on the reference, Stop still works, and the page says why', async ({ browser }) => {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    Reflect.deleteProperty(WebAssembly, 'Suspending');
  });
  const other = await LabPage.open(await context.newPage());
  expect(await other.run('import torch\nprint((torch.ones(2, device="cuda") * 2).tolist())')).toBe('[2.0, 2.0]\n');
  await expect(other.runner).toHaveAttribute('data-backend', 'cpu');
  await expect(other.runner.locator('[data-notice="reference"]')).toContainText('JSPI');
  expect(await other.run('import time\nprint("a")\ntime.sleep(0.1)\nprint("b")')).toBe('a\nb\n');
  await other.start('while True:\n    pass');
  await other.button('Stop').click();
  await other.expectState('stopped', 2000);
  expect(await other.run('print("again")')).toBe('again\n');
  await context.close();
});

test('where nothing can be stored, the page says so and the code still runs', async ({ browser }) => {
  const context = await browser.newContext();
  await context.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('refused', 'SecurityError');
    };
  });
  const other = await LabPage.open(await context.newPage());
  await other.type('print("unsaved")');
  await expect(other.runner.getByRole('alert')).toContainText('Your edits live only as long as this page');
  expect(await other.run('print("unsaved")')).toBe('unsaved\n');
  await context.close();
});
