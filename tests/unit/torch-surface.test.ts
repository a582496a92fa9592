import { python } from '@codemirror/lang-python';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { callAt } from '@/app/components/runner/signature-help';
import {
  activeParameter,
  importsOf,
  lookUp,
  parametersOf,
  type TorchSurface,
} from '@/app/components/runner/torch-surface';

const surface: TorchSurface = {
  modules: {
    torch: { softmax: ['input, dim, dtype=None', 'along dim'], zeros: ['*size, dtype=None', ''] },
    'torch.nn.functional': { softmax: ['input, dim=None', 'of F'] },
    'torch.amp': { GradScaler: ["device='cuda', init_scale=65536.0", 'scales'] },
    'torch.optim': { SGD: ['params, lr=0.001', ''] },
  },
  classes: {
    Tensor: { bases: [], methods: { sum: ['dim=None', 'adds up'], step: ['', 'a trap'] } },
    GradScaler: { bases: ['GradScaler'], methods: { unscale_: ['optimizer', ''] } },
    Optimizer: { bases: [], methods: { step: ['closure=None', ''] } },
    SGD: { bases: ['Optimizer'], methods: {} },
    Module: { bases: [], methods: { zero_grad: ['set_to_none=True', ''] } },
  },
};
const name = (path: string, code = '') => lookUp(path, code, surface)?.name;

test('a name is looked up through the imports of the script', () => {
  expect(name('torch.softmax')).toBe('torch.softmax');
  expect(name('F.softmax', 'import torch.nn.functional as F')).toBe('torch.nn.functional.softmax');
  expect(name('tf.softmax', 'import torch.nn.functional as tf')).toBe('torch.nn.functional.softmax');
  expect(name('GradScaler', 'from torch.amp import autocast, GradScaler')).toBe('torch.amp.GradScaler');
  expect(name('S', 'from torch.amp import GradScaler as S')).toBe('torch.amp.GradScaler');
  expect([...importsOf('from torch import (nn, amp)')]).toContainEqual(['amp', 'torch.amp']);
});

test('a method is that of the class which the variable was made from, or of its base', () => {
  expect(name('o.step', 'o = torch.optim.SGD(p, lr=1)')).toBe('Optimizer.step');
  expect(name('s.unscale_', 's = torch.amp.GradScaler()')).toBe('GradScaler.unscale_');
});

test('a variable with a customary name has the class that everybody gives it; any other may be a tensor', () => {
  expect(name('scaler.unscale_')).toBe('GradScaler.unscale_');
  expect(name('optimizer.step')).toBe('Optimizer.step');
  expect(name('x.sum')).toBe('Tensor.sum');
  expect(name('a.b.sum')).toBe('Tensor.sum');
});

test('what torch does not have is not made up', () => {
  expect(name('softmax')).toBeUndefined();
  expect(name('torch.nothing')).toBeUndefined();
  expect(name('x.constructor')).toBeUndefined();
});

test('parameters are split at the commas outside of brackets and strings', () => {
  expect(parametersOf("a, *, b=(0.9, 0.999), c=',', d=None")).toEqual(['a', '*', 'b=(0.9, 0.999)', "c=','", 'd=None']);
  expect(parametersOf('')).toEqual([]);
});

test('an argument belongs to the parameter at its place, or of its keyword', () => {
  const parameters = ['input', '*', 'dim=None'];
  expect(activeParameter(parameters, 0)).toBe(0);
  expect(activeParameter(parameters, 1)).toBe(-1);
  expect(activeParameter(parameters, 1, 'dim')).toBe(2);
  expect(activeParameter(['*size', 'dtype=None'], 3)).toBe(0);
});

const call = (code: string) => {
  const at = code.indexOf('|');
  const doc = code.replace('|', '');
  return callAt(EditorState.create({ doc, extensions: [python()] }), at);
};

test('the call around the cursor is the innermost one', () => {
  expect(call('torch.add(torch.exp(x|), y)')).toMatchObject({ callee: 'torch.exp', place: 0 });
  expect(call('torch.add(torch.exp(x), y|)')).toMatchObject({ callee: 'torch.add', place: 1 });
  expect(call('torch.add(x, alpha=|)')).toMatchObject({ place: 1, keyword: 'alpha' });
  expect(call('torch.add(f([1, 2], ","), |')).toMatchObject({ callee: 'torch.add', place: 1 });
});

test('outside of parentheses there is no call', () => {
  expect(call('torch.add(x, y)|')).toBeUndefined();
  expect(call('torch.a|dd(x, y)')).toBeUndefined();
  expect(call('y = |x')).toBeUndefined();
});
