import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeSession } from '@/engine/session/node';
import type { RunOptions } from '@/engine/session/session';

let session: NodeSession;
beforeAll(async () => {
  session = new NodeSession();
  await session.start();
});
afterAll(() => session.close());

/** stdout, stderr and the result of a run. */
async function run(code: string, options: RunOptions = {}) {
  const text = { stdout: '', stderr: '' };
  const result = await session.run(code, {
    ...options,
    onOutput: (part, stream) => {
      text[stream] += part;
    },
  });
  return { ...text, ...result };
}

test('a script runs as __main__ with its arguments', async () => {
  const { stdout, exitCode } = await run('import sys\nprint(__name__, sys.argv)', { args: ['x', 'y'] });
  expect(stdout).toBe("__main__ ['main.py', 'x', 'y']\n");
  expect(exitCode).toBe(0);
});

test('an uncaught exception prints what CPython prints, the script’s frames only', async () => {
  const { error, exitCode } = await run('import torch\ndef f(a):\n    return a @ a\nf(torch.ones(2, 3))');
  expect(exitCode).toBe(1);
  expect(error?.line).toBe(3);
  expect(error?.traceback).toBe(
    [
      'Traceback (most recent call last):',
      '  File "main.py", line 4, in <module>',
      '    f(torch.ones(2, 3))',
      '    ~^^^^^^^^^^^^^^^^^^',
      '  File "main.py", line 3, in f',
      '    return a @ a',
      '           ~~^~~',
      'RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)',
      '',
    ].join('\n'),
  );
});

test('chained exceptions show both tracebacks', async () => {
  const { error } = await run('try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError("bad") from e');
  expect(error?.traceback).toContain(
    'ZeroDivisionError: division by zero\n\nThe above exception was the direct cause of',
  );
  expect(error?.traceback.match(/File "main.py"/g)).toHaveLength(2);
});

test('a syntax error has its line, text and caret, and no traceback header', async () => {
  const { error } = await run('x = 1\nif x = = 2:\n    pass');
  expect(error?.traceback).toBe('  File "main.py", line 2\n    if x = = 2:\n         ^\nSyntaxError: invalid syntax\n');
  expect(error?.line).toBe(2);
});

test('code that a script makes with exec() shows as "<string>"', async () => {
  const { error } = await run('exec("1 / 0")');
  expect(error?.traceback).toContain('File "<string>", line 1, in <module>');
});

test('a warning is shown once a place, with file, line and source', async () => {
  const { stderr } = await run('import warnings\nfor i in range(3):\n    warnings.warn("careful", FutureWarning)');
  expect(stderr).toBe('main.py:3: FutureWarning: careful\n  warnings.warn("careful", FutureWarning)\n');
  // and again in the next run
  expect((await run('import warnings\nwarnings.warn("careful", FutureWarning)')).stderr).toContain(
    'main.py:2: FutureWarning',
  );
});

test.each([
  ['sys.exit()', 0, ''],
  ['sys.exit(3)', 3, ''],
  ['sys.exit(-1)', 255, ''],
  ['sys.exit("no data")', 1, 'no data\n'],
])('%s ends with status %i', async (call, status, text) => {
  const { exitCode, stderr } = await run(`import sys\n${call}`);
  expect([exitCode, stderr]).toEqual([status, text]);
});

test('nothing of a run is left for the next one', async () => {
  await run(
    [
      'import torch, math, sys, warnings, os',
      'left = 1',
      'math.pi = 3',
      'torch.exp = None',
      'torch.Tensor.mine = 1',
      'torch.nn.Linear.forward = None',
      'torch.set_grad_enabled(False)',
      'torch.set_default_dtype(torch.float64)',
      'torch.set_printoptions(precision=1)',
      'torch.autocast("cpu").__enter__()',
      'sys.path.append("/nowhere")',
      'os.environ["LEFT"] = "1"',
      'warnings.simplefilter("error")',
    ].join('\n'),
  );
  const { stdout, stderr, error } = await run(
    [
      'import torch, math, sys, warnings, os',
      'print("left" in globals(), math.pi > 3.1, torch.exp(torch.tensor(0.)).item(), hasattr(torch.Tensor, "mine"))',
      'print(torch.is_grad_enabled(), torch.get_default_dtype(), torch.is_autocast_enabled("cpu"))',
      'print(torch.nn.Linear(2, 2)(torch.ones(1, 2)).shape, torch.tensor(1/3))',
      'print("/nowhere" in sys.path, "LEFT" in os.environ)',
      'warnings.warn("only a warning")',
    ].join('\n'),
  );
  expect(error).toBeUndefined();
  expect(stdout).toBe(
    'False True 1.0 False\nTrue torch.float32 False\ntorch.Size([1, 2]) tensor(0.3333)\nFalse False\n',
  );
  expect(stderr).toContain('UserWarning: only a warning');
});

test('random numbers differ from run to run, and a seed fixes them', async () => {
  const draw = 'import random, torch\nprint(random.random(), torch.rand(1).item())';
  expect((await run(draw)).stdout).not.toBe((await run(draw)).stdout);
  const seeded = 'import torch\ntorch.manual_seed(0)\nprint(torch.rand(1).item())';
  expect((await run(seeded)).stdout).toBe((await run(seeded)).stdout);
});

test('the time limit ends a loop with KeyboardInterrupt at its line', async () => {
  const { status, error, reason } = await run('x = 0\nwhile True:\n    x += 1\n', { timeLimit: 300 });
  expect(status).toBe('stopped');
  expect(error?.type).toBe('KeyboardInterrupt');
  expect([2, 3]).toContain(error?.line);
  expect(reason).toContain('longer than 0.3 seconds');
});

test('the time limit ends a sleep', async () => {
  const { status, milliseconds } = await run('import time\ntime.sleep(100)', { timeLimit: 300 });
  expect(status).toBe('stopped');
  expect(milliseconds).toBeLessThan(5000);
});

test('the output limit cuts exactly, and says how much', async () => {
  const { status, stdout, reason } = await run('print("x" * 1500)', { outputLimit: 1000 });
  expect(status).toBe('stopped');
  expect(stdout).toBe('x'.repeat(1000));
  expect(reason).toContain('passed 1,000 characters; 501 more were cut'.replace('501', '500'));
});

test('input() raises EOFError that says what to do instead', async () => {
  const { error } = await run('input("name? ")');
  expect(error).toMatchObject({ type: 'EOFError' });
  expect(error?.message).toContain('Assign the value in the code instead');
});

test('print writes non-ASCII text and bytes as CPython does', async () => {
  const { stdout, error } = await run(
    'import sys\nprint("é∞😀")\nsys.stdout.buffer.write("é".encode())\nprint("\\ud800")',
  );
  expect(stdout).toBe('é∞😀\né');
  expect(error?.type).toBe('UnicodeEncodeError');
});

test('evaluate sees the names of the last run, and tensors come back bit for bit', async () => {
  await run('import torch\ndef double(x):\n    print("called")\n    return {"y": x * 2, "n": 3, "inf": float("inf")}');
  const x = { kind: 'tensor', dtype: 'float16', shape: [3], device: 'cpu', bits: '3c00 7bff 8001' } as const;
  const result = await session.evaluate('double(x)', { x });
  expect(result.output).toBe('called\n');
  expect(result.value).toMatchObject({
    kind: 'dict',
    entries: [
      ['y', { kind: 'tensor', dtype: 'float16', shape: [3], bits: '4000 7c00 8002' }],
      ['n', { kind: 'number', type: 'int', value: 3 }],
      ['inf', { kind: 'number', type: 'float', value: 'inf' }],
    ],
  });
});

test('an error in evaluate shows the learner’s line', async () => {
  await run('def f(x):\n    return x / 0');
  const { status, error } = await session.evaluate('f(1)');
  expect(status).toBe('error');
  expect(error).toMatchObject({ type: 'ZeroDivisionError', line: 2 });
});

test('a bool and an int beyond 2^53 cross exactly', async () => {
  const big = { kind: 'number', type: 'int', value: '36893488147419103233' } as const;
  expect((await session.evaluate('[n + 1, n > 0]', { n: big })).value).toEqual({
    kind: 'list',
    items: [
      { kind: 'number', type: 'int', value: '36893488147419103234' },
      { kind: 'number', type: 'bool', value: 1 },
    ],
  });
});

test('an error with a text of megabytes is shown without its middle, where output is limited', async () => {
  const code = 'raise ValueError("x" * 10**6 + "end")';
  const { error } = await run(code);
  expect(error?.traceback.length).toBeLessThan(21_000);
  expect(error?.traceback).toMatch(/^Traceback .*ValueError: x+\n\[\d+,\d+ characters are not shown\]\nx+end\n$/s);
  expect(error?.message.length).toBeLessThan(21_000);
  expect((await run(code, { outputLimit: 0 })).error?.message.length).toBe(10 ** 6 + 3);
});

test('sys.exit with a text beyond the output limit stops the run as a print does', async () => {
  const { status, stderr, reason } = await run('import sys\nsys.exit("x" * 250_000)');
  expect(status).toBe('stopped');
  expect(stderr.length).toBe(200_000);
  expect(reason).toContain('50,000 more were cut');
});

test('a byte order mark before the first line is skipped', async () => {
  expect((await run('\ufeffprint(1)')).stdout).toBe('1\n');
});

test('an import of what is not here says why and what to use instead', async () => {
  const texts = async (code: string) => (await run(code)).error?.traceback.split('\n').at(-2);
  expect(await texts('import numpy as np')).toMatch(
    /^ModuleNotFoundError: No module named 'numpy'\. Here are torch and Python's standard library only: use torch\.tensor/,
  );
  expect(await texts('from torch.nn.parallel import DistributedDataParallel')).toBe(
    "ModuleNotFoundError: No module named 'torch.nn.parallel'. torch.nn.parallel is not supported here: there is one process and one GPU; use the module itself.",
  );
  expect(await texts('import torch\ntorch.distributed.init_process_group("nccl")')).toBe(
    'AttributeError: torch.distributed is not supported here: there is one process and one GPU.',
  );
  expect(await texts('import nothing_known')).toBe("ModuleNotFoundError: No module named 'nothing_known'");
  expect(await texts('import torch.nothing_known')).toBe("ModuleNotFoundError: No module named 'torch.nothing_known'");
});

test('a flag that would make PyTorch less exact warns that it changes nothing, and is off again in the next run', async () => {
  const flag = 'import torch\nf = torch.backends.cuda.matmul\n';
  const { stderr } = await run(`${flag}f.allow_tf32 = True`);
  expect(stderr).toContain('UserWarning: torch.backends.cuda.matmul.allow_tf32 = True changes nothing here');
  expect((await run(`${flag}print(f.allow_tf32)`)).stdout).toBe('False\n');
});

test('a fused optimizer step of 16-bit parameters, which PyTorch rounds differently, is refused', async () => {
  const { error } = await run('import torch\ntorch.optim.Adam([torch.nn.Parameter(torch.ones(2).half())], fused=True)');
  expect(error?.message).toContain('torch.optim.Adam(fused=True) of torch.float16 parameters is not supported');
});

test('writing to the bits of Tensor.view(dtype), which are a copy here, raises', async () => {
  const start = 'import torch\nbits = torch.ones(2).view(torch.int32)\n';
  for (const write of ['bits[0] ^= 1', 'bits.add_(1)', 'bits.zero_()', 'bits[:1].fill_(3)', 'bits.copy_(bits + 1)']) {
    expect((await run(start + write)).error?.message).toMatch(/^Tensor\.view\(dtype\) gives a copy of the bits here/);
  }
  expect((await run(`${start}bits = bits.clone()\nbits[0] ^= 1\nprint(bits.tolist())`)).stdout).toBe(
    '[1065353217, 1065353216]\n',
  );
});
