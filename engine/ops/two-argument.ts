/** Functions of two numbers that are neither arithmetic nor selection. */
import { elementwise, exactHalf, libraryFloat32, vectors } from './elementwise';
import { atan2Steps32 } from './special-functions';

export const atan2 = elementwise({
  name: 'atan2',
  doc: 'Angle of the point (other, self) in radians, in [-pi, pi]; the signs of zeros choose the quadrant.',
  params: 'self: Tensor, other: Tensor',
  promotion: 'promote-float',
  f32: atan2Steps32,
  f64: Math.atan2,
  wgsl: 'host',
  gradName: 'Atan2',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [y, x], needs }) => {
      const squared = b.add(b.mul(y, y), b.mul(x, x));
      const recip = b.where(b.eq(squared, 0), 0, b.op('reciprocal', [squared])); // no direction at the origin: gradient 0
      return [
        needs[0] ? b.mul(b.mul(gradOutput, x), recip) : null,
        needs[1] ? b.mul(b.mul(gradOutput, b.neg(y)), recip) : null,
      ];
    },
  },
  autocast: { cpu: 'none', cuda: 'promote' },
  tolerance: { half: exactHalf, float32: libraryFloat32(2) },
  samples: [vectors([1, -1, 0, -0, 0, 3], [1, -1, -1, -1, 1, 0])],
});

export const hypot = elementwise({
  name: 'hypot',
  doc: 'sqrt(self^2 + other^2) without overflow in between.',
  params: 'self: Tensor, other: Tensor',
  f32: Math.hypot,
  wgsl: 'host',
  gradName: 'Hypot',
  gradient: {
    saves: { inputs: [0, 1], outputs: [0] },
    backward: ({ b, gradOutput, inputs: [x, y], outputs: [r] }) => [
      b.div(b.mul(gradOutput, x), r),
      b.div(b.mul(gradOutput, y), r),
    ],
  },
  tolerance: { float32: libraryFloat32(1) },
  samples: [vectors([3, 300, -1, Infinity], [4, 400, 0, 1])],
});

export const logaddexp = elementwise({
  name: 'logaddexp',
  doc: 'log(e^self + e^other), from the larger one, so that nothing overflows.',
  params: 'self: Tensor, other: Tensor',
  kernel:
    ({ step }) =>
    (a, b) => {
      if (Math.abs(a) === Infinity && a === b) return a;
      const larger = Number.isNaN(a) || a > b ? a : b;
      return larger + step(Math.log1p(step(Math.exp(-Math.abs(step(a - b))))));
    },
  wgsl: 'host',
  gradName: 'Logaddexp',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [x, y] }) => [
      b.div(gradOutput, b.add(b.exp(b.sub(y, x)), 1)), // e^x / (e^x + e^y)
      b.div(gradOutput, b.add(b.exp(b.sub(x, y)), 1)),
    ],
  },
  tolerance: { float32: libraryFloat32(2) },
  samples: [vectors([1, 100, -Infinity, 0], [2, 100, -Infinity, 1])],
});

export const xlogy = elementwise({
  name: 'xlogy',
  doc: 'self * log(other); 0 where self is 0 (unless other is NaN).',
  params: 'self: Operand, other: Operand',
  promotion: 'promote-float',
  kernel:
    ({ round }) =>
    (x, y) =>
      Number.isNaN(y) ? y : x === 0 ? 0 : x * round(Math.log(y)),
  wgsl: 'host',
  gradName: 'Xlogy',
  gradient: {
    saves: { inputs: [0, 1] },
    backward: ({ b, gradOutput, inputs: [x, y], needs }) => [
      needs[0] ? b.where(b.op('logical_and', [b.eq(x, 0), b.le(y, 0)]), 0, b.mul(gradOutput, b.op('log', [y]))) : null,
      needs[1] ? b.div(b.mul(gradOutput, x), y) : null,
    ],
  },
  tolerance: { float32: libraryFloat32(2) },
  samples: [vectors([0, 1, 2, 0], [0, 2, 0.5, Number.NaN])],
});

export const ldexp = elementwise({
  name: 'ldexp',
  doc: 'self * 2^other, rounded once. PyTorch 2.13 gives a wrong gradient (0) for negative integers; here it is 2^other.',
  params: 'self: Tensor, other: Operand',
  promotion: 'promote-float',
  f32: (x, n) => x * 2 ** n,
  wgsl: 'host',
  gradName: 'Ldexp',
  gradient: {
    saves: { inputs: [1], outputs: [0] },
    backward: ({ b, gradOutput, inputs: [, n], outputs: [y], needs }) => [
      b.mul(gradOutput, b.op('exp2', [n])),
      needs[1] ? b.mul(b.mul(gradOutput, y), Math.LN2) : null,
    ],
  },
  samples: [vectors([1, 3, -0.5], [4, -2, 1])],
});
