import { expect, test } from 'vitest';
import { callText, compareTensor, expectTensor } from '../../../exercises/kit/compare';
import type { Call, Outcome } from '../../../exercises/kit/schema';
import { type Floating, tensor } from '../../../exercises/kit/values';

const call: Call = {
  function: 'f',
  arguments: [tensor('float16', [2], [20, 19]), { kind: 'number', type: 'int', value: -1 }],
};
const returned = (dtype: Floating, shape: number[], values: number[]): Outcome => ({
  kind: 'returned',
  value: tensor(dtype, shape, values),
  argumentsAfter: call.arguments,
});
const wanted = expectTensor('float16', [2], [0.5, 0.25], [0, 0]);

test('equal values of the right shape and dtype are legal', () => {
  expect(compareTensor(call, returned('float16', [2], [0.5, 0.25]), wanted)).toBeNull();
});

test('a shape that would broadcast is named before any value is looked at', () => {
  expect(compareTensor(call, returned('float16', [1, 2], [0.5, 0.25]), wanted)?.message).toBe(
    'The result has shape (1, 2), expected (2,).',
  );
});

test('a wider dtype with the right values is not legal', () => {
  expect(compareTensor(call, returned('float32', [2], [0.5, 0.25]), wanted)?.message).toBe(
    'The result has dtype float32, expected float16.',
  );
});

test('the first bad element is shown with its bits and its distance in ulp', () => {
  // 0.25 is 0x3400 and its upper neighbour 0x3401
  const finding = compareTensor(call, returned('float16', [2], [0.5, 0.25 + 2 ** -12]), wanted);
  expect(finding?.counterexample).toMatchObject({
    index: [1],
    expected: { bits: '3400' },
    got: { bits: '3401' },
    ulps: 1,
  });
});

test('slack is inclusive and one value beyond it is not legal', () => {
  const oneUlp = expectTensor('float16', [2], [0.5, 0.25], [0, 2 ** -12]);
  expect(compareTensor(call, returned('float16', [2], [0.5, 0.25 + 2 ** -12]), oneUlp)).toBeNull();
  expect(compareTensor(call, returned('float16', [2], [0.5, 0.25 + 2 ** -11]), oneUlp)).not.toBeNull();
});

test('NaN is never within any slack of a number, and is legal only where NaN is expected', () => {
  const wide = expectTensor('float16', [2], [0.5, 0.25], [1e9, 1e9]);
  expect(compareTensor(call, returned('float16', [2], [0.5, Number.NaN]), wide)?.message).toBe(
    'The result is nan where 0.25 is representable.',
  );
  expect(
    compareTensor(
      call,
      returned('float16', [2], [0.5, Number.NaN]),
      expectTensor('float16', [2], [0.5, Number.NaN], [0, 0]),
    ),
  ).toBeNull();
});

test('None, an exception and a number each get words of their own', () => {
  expect(
    compareTensor(call, { kind: 'returned', value: { kind: 'none' }, argumentsAfter: [] }, wanted)?.message,
  ).toContain('return');
  expect(compareTensor(call, { kind: 'raised', type: 'RuntimeError', message: 'boom', line: 7 }, wanted)).toMatchObject(
    { message: 'It raised RuntimeError: boom', line: 7 },
  );
  expect(
    compareTensor(
      call,
      { kind: 'returned', value: { kind: 'number', type: 'float', value: 0.5 }, argumentsAfter: [] },
      wanted,
    )?.message,
  ).toBe('The result should be a tensor, but is 0.5.');
});

test('the failing call is Python that can be pasted', () => {
  expect(callText(call)).toBe('f(torch.tensor([20, 19], dtype=torch.float16), -1)');
  const nested: Call = {
    function: 'g',
    arguments: [tensor('bfloat16', [2, 2], [1, -0, Number.NEGATIVE_INFINITY, 0.5])],
  };
  expect(callText(nested)).toBe('g(torch.tensor([[1, -0.0], [float("-inf"), 0.5]], dtype=torch.bfloat16))');
});
