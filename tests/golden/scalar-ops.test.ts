import { afterAll, expect, test } from 'vitest';
import { bitsOf, compareBits } from './compare';
import { Dispatch, Handle, int } from './dispatch-op';
import { type GoldenTensor, goldenDtype, goldenJson, goldenTensor } from './load';
import { type GoldenResult, recordGolden } from './results';

interface Case {
  readonly a: GoldenTensor;
  readonly b: GoldenTensor;
  readonly c: GoldenTensor;
  readonly ops: Record<string, { readonly out: GoldenTensor; readonly vec?: GoldenTensor }>;
}

const golden = goldenJson<Record<'f16' | 'bf16' | 'f32', Case>>('scalar_ops.json');
const results: GoldenResult[] = [];
afterAll(() => recordGolden('scalar-ops', results));

interface Env {
  readonly t: Dispatch;
  /** a: mixed values with specials; b: any sign; c: positive; z, zd: 0.1 as 0-dim float32 and float64. */
  readonly a: Handle;
  readonly b: Handle;
  readonly c: Handle;
  readonly z: Handle;
  readonly zd: Handle;
}

/** The Python expressions of the golden file, as the ops that torch's Python layer runs for them. */
const expressions: Record<string, (e: Env) => Handle> = {
  'a*0.9': ({ t, a }) => t.op('mul', a, 0.9),
  '0.9*a': ({ t, a }) => t.op('mul', a, 0.9),
  'a+0.1': ({ t, a }) => t.op('add', a, 0.1),
  'a-0.1': ({ t, a }) => t.op('sub', a, 0.1),
  '0.1-a': ({ t, a }) => t.op('rsub', a, 0.1),
  'a/0.3': ({ t, a }) => t.op('div', a, 0.3),
  '0.3/c': ({ t, c }) => t.op('mul', t.op('reciprocal', c), 0.3),
  'a*z': ({ t, a, z }) => t.op('mul', a, z),
  'z*a': ({ t, a, z }) => t.op('mul', z, a),
  'a+z': ({ t, a, z }) => t.op('add', a, z),
  'z+a': ({ t, a, z }) => t.op('add', z, a),
  'a-z': ({ t, a, z }) => t.op('sub', a, z),
  'z-a': ({ t, a, z }) => t.op('sub', z, a),
  'a/z': ({ t, a, z }) => t.op('div', a, z),
  'z/c': ({ t, c, z }) => t.op('div', z, c),
  'a*zd': ({ t, a, zd }) => t.op('mul', a, zd),
  'a+zd': ({ t, a, zd }) => t.op('add', a, zd),
  'a%0.3': ({ t, a }) => t.op('remainder', a, 0.3),
  'a//0.3': ({ t, a }) => t.op('floor_divide', a, 0.3),
  'c**1.1': ({ t, c }) => t.op('pow', c, 1.1),
  'c**2': ({ t, c }) => t.op('pow', c, int(2)),
  'c**3': ({ t, c }) => t.op('pow', c, int(3)),
  'c**0.5': ({ t, c }) => t.op('pow', c, 0.5),
  'c**-1': ({ t, c }) => t.op('pow', c, int(-1)),
  'c**-2': ({ t, c }) => t.op('pow', c, int(-2)),
  'c**-0.5': ({ t, c }) => t.op('pow', c, -0.5),
  '2.0**a': ({ t, a }) => t.op('pow', 2.0, a),
  'a.add(b,alpha=-0.1)': ({ t, a, b }) => t.op('add', a, b, -0.1),
  'a.sub(b,alpha=0.1)': ({ t, a, b }) => t.op('sub', a, b, 0.1),
  'torch.addcmul(a,b,c,value=0.001)': ({ t, a, b, c }) => t.op('addcmul', a, b, c, 0.001),
  'torch.addcdiv(a,b,c,value=-0.001)': ({ t, a, b, c }) => t.op('addcdiv', a, b, c, -0.001),
  'torch.lerp(a,b,0.1)': ({ t, a, b }) => t.op('lerp', a, b, 0.1),
  'torch.lerp(a,b,0.7)': ({ t, a, b }) => t.op('lerp', a, b, 0.7),
  'a.clamp(min=0.1)': ({ t, a }) => t.op('clamp', a, 0.1, null),
  'a.clamp(-0.1,0.1)': ({ t, a }) => t.op('clamp', a, -0.1, 0.1),
  'torch.clamp(a,max=0.1)': ({ t, a }) => t.op('clamp', a, null, 0.1),
  'F.leaky_relu(a)': ({ t, a }) => t.op('leaky_relu', a, 0.01),
  'F.leaky_relu(a,0.2)': ({ t, a }) => t.op('leaky_relu', a, 0.2),
  'F.elu(a)': ({ t, a }) => t.op('elu', a, 1.0, int(1), int(1)),
  'F.elu(a,0.3)': ({ t, a }) => t.op('elu', a, 0.3, int(1), int(1)),
  'F.softplus(a,beta=2)': ({ t, a }) => t.op('softplus', a, int(2), 20.0),
  'F.hardtanh(a,-0.3,0.3)': ({ t, a }) => t.op('hardtanh', a, -0.3, 0.3),
  'a==0.1': ({ t, a }) => t.op('eq', a, 0.1),
  'a<0.1': ({ t, a }) => t.op('lt', a, 0.1),
  'a>=z': ({ t, a, z }) => t.op('ge', a, z),
  'torch.where(a>0,a,0.1)': ({ t, a }) => t.op('where', t.op('gt', a, int(0)), a, 0.1),
  'a.masked_fill(a>0,0.1)': ({ t, a }) => t.op('masked_fill', a, t.op('gt', a, int(0)), 0.1),
  'torch.maximum(a,z.expand(a.shape))': ({ t, a }) => t.op('maximum', a, t.tensor(new Array(64).fill(0.1), 'float32')),
  'torch.rsub(a,0.1)': ({ t, a }) => t.op('rsub', a, 0.1),
  'torch.dropout(a,0.3,False)': ({ a }) => a, // not training: the input itself
  'a.mul(0.1).add(0.2)': ({ t, a }) => t.op('add', t.op('mul', a, 0.1), 0.2),
  'a.add(1)': ({ t, a }) => t.op('add', a, int(1)),
  'a*3': ({ t, a }) => t.op('mul', a, int(3)),
  'a/3': ({ t, a }) => t.op('div', a, int(3)),
  'a*(1/3)': ({ t, a }) => t.op('mul', a, 1 / 3),
  'torch.full_like(a,0.1)': ({ t, a }) => t.op('fill', a, 0.1),
  'torch.sub(1,a)': ({ t, a }) => t.op('rsub', a, int(1)),
  '1-a': ({ t, a }) => t.op('rsub', a, int(1)),
  '1/c': ({ t, c }) => t.op('mul', t.op('reciprocal', c), int(1)),
  '-a+0.5': ({ t, a }) => t.op('add', t.op('neg', a), 0.5),
};

/** The manifest allows 1 ulp to float32 functions that come from a vendor's library; everything else is exact. */
const oneUlp = new Set(['c**1.1', 'F.softplus(a,beta=2)', 'F.elu(a)', 'F.elu(a,0.3)', '2.0**a', 'c**0.5', 'c**-0.5']);

for (const short of ['f16', 'bf16', 'f32'] as const) {
  const dtype = goldenDtype(short);
  const { a, b, c, ops } = golden[short];
  test(`every expression of scalar_ops.json is translated (${short})`, () => {
    expect(Object.keys(expressions).sort()).toEqual(Object.keys(ops).sort());
  });
  for (const [expression, { out }] of Object.entries(ops)) {
    test(`${expression} on ${dtype}`, () => {
      const t = new Dispatch();
      const load = (x: GoldenTensor): Handle => {
        const host = goldenTensor(x);
        const hex = Array.from(bitsOf(host), (bits) => bits.toString(16).padStart(dtype === 'float32' ? 8 : 4, '0'));
        return new Handle(t.b.from_bits(hex.join(' '), dtype, 'cpu', ...x.s));
      };
      const env = {
        t,
        a: load(a),
        b: load(b),
        c: load(c),
        z: t.tensor([0.1], 'float32', []),
        zd: t.tensor([0.1], 'float64', []),
      };
      const actual = t.host(expressions[expression](env));
      const expected = goldenTensor(out);
      expect(actual.dtype).toBe(expected.dtype);
      const ulp = short === 'f32' && oneUlp.has(expression) ? 1 : 0;
      const comparison = compareBits(actual.bits, bitsOf(expected), expected.dtype, ulp);
      results.push({
        file: `scalar_ops.json: ${short} ${expression}`,
        entries: comparison.count,
        passed: comparison.count - comparison.failures.length,
        compared: ulp === 0 ? 'exact bits, NaN as a class' : `${ulp} ulp (vendor library)`,
      });
      expect(comparison.examples).toEqual([]);
    });
  }
}
