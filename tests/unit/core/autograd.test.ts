/** Expected values and texts are what PyTorch 2.13 prints for the same program. */
import { describe, expect, it } from 'vitest';
import { Torch } from './torch';

const modified = (origin: string, version: string, type = 'torch.FloatTensor [2]'): string =>
  `one of the variables needed for gradient computation has been modified by an inplace operation: [${type}]${origin} ${version} instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False).`;

describe('in-place ops and views', () => {
  it('exp_ saves its result', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3]);
    const y = x.mul(2);
    y.exp_();
    y.sum().backward();
    expect(x.grad?.v).toEqual([14.778112411499023, 109.19629669189453, 806.8576049804688]);
  });

  it('a write to a view passes through CopySlices to the base', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3, 4]);
    const y = x.mul(1);
    const v = y.slice(0, 1, 3);
    v.mul_(10);
    y.mul(torch.tensor([1, 2, 3, 4]))
      .sum()
      .backward();
    expect(x.grad?.v).toEqual([1, 20, 30, 4]);
    expect(y.v).toEqual([1, 20, 30, 4]);
    expect(y.gradFn).toBe('CopySlices');
    expect(v.gradFn).toBe('AsStridedBackward0');
  });

  it('the other operand of a write to a view gets its gradient', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3, 4]);
    const w = torch.leaf([5, 6]);
    const v = x.mul(1).slice(0, 1, 3);
    v.mul_(w);
    v.mul(torch.tensor([1, 2]))
      .sum()
      .backward();
    expect(x.grad?.v).toEqual([0, 5, 12, 0]);
    expect(w.grad?.v).toEqual([2, 6]);
  });

  it('a sibling view sees the write, in value and in gradient', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3, 4]);
    const y = x.mul(1);
    const v = y.slice(0, 1, 3);
    const u = y.slice(0, 2, null);
    v.mul_(10);
    u.mul(u).sum().backward();
    expect(u.v).toEqual([30, 4]);
    expect(x.grad?.v).toEqual([0, 0, 600, 8]);
    expect(u.gradFn).toBe('AsStridedBackward0');
  });

  it('a view of a view writes through both', () => {
    const torch = new Torch();
    const x = torch.leaf([
      [1, 2],
      [3, 4],
    ]);
    const y = x.mul(1);
    y.t().select(0, 0).mul_(3);
    y.mul(
      torch.tensor([
        [1, 2],
        [3, 4],
      ]),
    )
      .sum()
      .backward();
    expect(x.grad?.v).toEqual([3, 2, 9, 4]);
    expect(y.v).toEqual([3, 2, 9, 4]);
  });

  it('a base without grad gets a history when a row is assigned from one with', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3]);
    const base = torch.tensor([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    base.select(0, 0).copy_(x);
    base.select(0, 1).copy_(x.mul(2));
    base.mul(base).sum().backward();
    expect(x.grad?.v).toEqual([10, 20, 30]);
    expect(base.gradFn).toBe('CopySlices');
  });

  it('a write to a diagonal', () => {
    const torch = new Torch();
    const x = torch.leaf([
      [1, 2],
      [3, 4],
    ]);
    const y = x.mul(1);
    y.diagonal().mul_(5);
    y.mul(y).sum().backward();
    expect(x.grad?.v).toEqual([50, 4, 6, 200]);
  });

  it('a write to the base reaches its views', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3]);
    const y = x.mul(2);
    const z = y.view(3, 1);
    y.mul_(3);
    z.sum().backward();
    expect(z.v).toEqual([6, 12, 18]);
    expect(x.grad?.v).toEqual([6, 6, 6]);
  });

  it('fill_ cuts the gradient where it wrote', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3]);
    const y = x.mul(2);
    y.slice(0, 0, 1).fill_(7);
    y.mul(y).sum().backward();
    expect(x.grad?.v).toEqual([0, 16, 24]);
  });

  it('copy_ gives the gradient to the source, summed over broadcasting and in the source dtype', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3]);
    const w = torch.leaf([1]);
    const y = x.mul(2);
    y.copy_(w);
    y.mul(torch.tensor([1, 2, 3]))
      .sum()
      .backward();
    expect(x.grad?.v).toEqual([0, 0, 0]);
    expect(w.grad?.v).toEqual([6]);
    const half = torch.leaf([1, 2, 3], 'float16');
    const z = torch.leaf([1, 2, 3]).mul(2);
    z.copy_(half);
    z.mul(z).sum().backward();
    expect(half.grad?.dtype).toBe('float16');
    expect(half.grad?.v).toEqual([2, 4, 6]);
  });

  it('second derivatives pass through in-place writes to views', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3, 4]);
    const y = x.mul(x);
    y.slice(0, 1, 3).mul_(x.slice(0, null, 2));
    const [g] = torch.grad(y.mul(y).sum(), [x], { create: true });
    expect(g?.v).toEqual([36, 356, 432, 256]);
    g?.mul(torch.tensor([1, 2, 3, 4]))
      .sum()
      .backward();
    expect(x.grad?.v).toEqual([172, 1780, 2160, 768]);
  });
});

describe('in-place errors', () => {
  it('a saved output that was changed is named with its versions', () => {
    const torch = new Torch();
    const y = torch.leaf([1, 1]).exp();
    y.add_(1);
    expect(() => y.sum().backward()).toThrow(
      modified(', which is output 0 of Exp, is at', 'version 1; expected version 0'),
    );
  });

  it('x.mul_(x) can not be differentiated', () => {
    const torch = new Torch();
    const y = torch.leaf([2]).mul(1);
    y.mul_(y);
    expect(() => y.sum().backward()).toThrow(
      modified(', which is output 0 of Mul, is at', 'version 1; expected version 0', 'torch.FloatTensor [1]'),
    );
  });

  it('a saved leaf has no origin in the message', () => {
    const torch = new Torch();
    const a = torch.tensor([1, 1]);
    const y = a.mul(torch.leaf([1, 1]));
    a.add_(1);
    expect(() => y.sum().backward()).toThrow(modified(' is at', 'version 1; expected version 0'));
  });

  it('detach() shares the version counter; .data does not', () => {
    const torch = new Torch();
    const y = torch.leaf([1, 2]).exp();
    y.detach().add_(1);
    expect(() => y.sum().backward()).toThrow(
      modified(', which is output 0 of Exp, is at', 'version 1; expected version 0'),
    );
    const x = torch.leaf([1, 2]);
    const z = x.exp();
    z.data().add_(1);
    expect(z.version).toBe(0);
    z.sum().backward();
    expect(x.grad?.v).toEqual([3.7182817459106445, 8.389056205749512]);
  });

  it('leaves, and views of leaves, that require grad refuse in-place ops', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 1]);
    expect(() => x.add_(1)).toThrow('a leaf Variable that requires grad is being used in an in-place operation.');
    expect(() => x.slice(0, 0, 1).mul_(2)).toThrow(
      'a view of a leaf Variable that requires grad is being used in an in-place operation.',
    );
    expect(() => x.select(0, 0).fill_(1)).toThrow(
      'a view of a leaf Variable that requires grad is being used in an in-place operation.',
    );
    torch.noGrad(() => x.add_(1));
    expect(x.v).toEqual([2, 2]);
  });

  it('a view made under no_grad may not be written with grad on', () => {
    const torch = new Torch();
    const base = torch.leaf([1, 1]).clone();
    const v = torch.noGrad(() => base.slice(0, 0, 1));
    expect(() => v.mul_(2)).toThrow(
      'A view was created in no_grad mode and is being modified inplace with grad mode enabled.',
    );
  });

  it('an expanded tensor may not be written', () => {
    const torch = new Torch();
    expect(() => torch.tensor([1, 2]).expand(3, 2).add_(1)).toThrow(
      'unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please clone() the tensor before performing the operation.',
    );
  });

  it('an inference tensor can not be saved, and the target is as it was', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2]);
    const y = x.mul(1);
    torch.b.set_inference_mode(true);
    const frozen = torch.tensor([3, 4]);
    torch.b.set_inference_mode(false);
    expect(() => y.mul_(frozen)).toThrow('Inference tensors cannot be saved for backward.');
    expect(y.v).toEqual([1, 2]);
    expect(() => frozen.add_(1)).toThrow('Inplace update to inference tensor outside InferenceMode is not allowed.');
    expect(() => torch.b.set_requires_grad(frozen.h, true)).toThrow(
      'Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.',
    );
    y.add_(frozen);
    y.sum().backward();
    expect(x.grad?.v).toEqual([1, 1]);
  });

  it('the result must fit the target in dtype and shape', () => {
    const torch = new Torch();
    expect(() => torch.tensor([1], 'int64').add_(1.5)).toThrow(
      "result type Float can't be cast to the desired output type Long",
    );
    expect(() => torch.tensor([1]).add_(torch.tensor([1, 1, 1]))).toThrow(
      "output with shape [1] doesn't match the broadcast shape [3]",
    );
    expect(() => torch.tensor([1, 2, 3]).copy_(torch.tensor([1, 2]))).toThrow(
      'The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0',
    );
  });
});

describe('backward', () => {
  it('gradients have the dtype of their tensor', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2], 'float16');
    const w = torch.leaf([1.5, 2.5]);
    const y = x.mul(w);
    expect(y.dtype).toBe('float32');
    y.sum().backward();
    expect(x.grad?.dtype).toBe('float16');
    expect(x.grad?.v).toEqual([1.5, 2.5]);
    expect(w.grad?.dtype).toBe('float32');
  });

  it('a bfloat16 broadcast sums its gradient in float32', () => {
    const torch = new Torch();
    const b = torch.leaf([1], 'bfloat16');
    b.mul(torch.tensor(new Array(1000).fill(1), 'bfloat16'))
      .sum()
      .backward();
    expect(b.grad?.v).toEqual([1000]);
  });

  it('gradients of one tensor are added in the order latest op first, which bfloat16 shows', () => {
    const torch = new Torch();
    const run = (factors: number[]): number[] | undefined => {
      const p = torch.leaf([1], 'bfloat16');
      const q = p.mul(1);
      const [first, ...others] = factors.map((f) => q.mul(f).sum());
      others.reduce((a, b) => a.add(b), first).backward();
      return p.grad?.v;
    };
    expect(run([256, 1, 1, 1])).toEqual([260]);
    expect(run([1, 1, 1, 256])).toEqual([256]);
  });

  it('expand sums, views reshape', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3]);
    x.expand(2, 3)
      .mul(
        torch.tensor([
          [1, 2, 3],
          [4, 5, 6],
        ]),
      )
      .sum()
      .backward();
    expect(x.grad?.v).toEqual([5, 7, 9]);
  });

  it('second derivatives', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3]);
    const [g] = torch.grad(x.mul(x).mul(x).sum(), [x], { create: true });
    expect(g?.v).toEqual([3, 12, 27]);
    const [h] = torch.grad(g!.sum(), [x]);
    expect(h?.v).toEqual([6, 12, 18]);
    const z = torch.leaf([0.5, 1]);
    const [e] = torch.grad(z.exp().sum(), [z], { create: true });
    e?.mul(e).sum().backward();
    expect(z.grad?.v).toEqual([5.436563491821289, 14.778111457824707]);
  });

  it('accumulates into the same .grad, in place', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2]);
    x.mul(2).sum().backward();
    const g = x.grad!;
    x.mul(3).sum().backward();
    expect(g.v).toEqual([5, 5]);
    expect(torch.b.same(g.h, x.grad!.h)).toBe(true);
    expect(g.version).toBe(1);
  });

  it('two leaves never share one gradient', () => {
    const torch = new Torch();
    const a = torch.leaf([1, 2]);
    const b = torch.leaf([1, 2]);
    a.add(b).sum().backward();
    expect(torch.b.storage_id(a.grad!.h)).not.toBe(torch.b.storage_id(b.grad!.h));
  });

  it('a second backward raises where tensors were saved, and only there', () => {
    const torch = new Torch();
    const text =
      'Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed).';
    const x = torch.leaf([1]);
    const plain = x.add(1).sum();
    plain.backward();
    plain.backward();
    expect(x.grad?.v).toEqual([2]);
    const saved = x.mul(x).sum();
    saved.backward({ retain: true });
    saved.backward();
    expect(() => saved.backward()).toThrow(text);
  });

  it('refuses what has no history, and implicit gradients of many elements', () => {
    const torch = new Torch();
    expect(() => torch.tensor([1, 1]).backward()).toThrow(
      'element 0 of tensors does not require grad and does not have a grad_fn',
    );
    expect(() => torch.leaf([1, 1]).backward()).toThrow('grad can be implicitly created only for scalar outputs');
    expect(() =>
      torch
        .leaf([1, 1])
        .mul(2)
        .backward({ grad: torch.tensor([1, 1, 1]) }),
    ).toThrow(
      'Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([2]).',
    );
  });
});

describe('autograd.grad and backward(inputs=)', () => {
  it('unused inputs raise, or give None with allow_unused', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 1]);
    expect(() => torch.grad(x.mul(2).sum(), [torch.leaf([1])])).toThrow(
      'The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.',
    );
    expect(() => torch.grad(x.mul(2).sum(), [x, torch.tensor([1])])).toThrow(
      'One of the differentiated Tensors does not require grad',
    );
    const [a, b] = torch.grad(x.mul(2).sum(), [x, torch.leaf([1])], { allowUnused: true });
    expect(a?.v).toEqual([2, 2]);
    expect(b).toBe(null);
    expect(x.grad).toBe(null);
  });

  it('captures an inner gradient before its hooks if the walk goes on, after them if it ends there', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 1]);
    const a = x.mul(2);
    a.hook((g) => g.mul(10));
    expect(torch.grad(a.sum(), [a])[0]?.v).toEqual([10, 10]);
    const c = x.mul(2);
    c.hook((g) => g.mul(10));
    expect(torch.grad(c.mul(3).sum(), [c, x]).map((g) => g?.v)).toEqual([
      [3, 3],
      [60, 60],
    ]);
    const z = torch.leaf([1, 1]);
    z.hook((g) => g.mul(10));
    expect(torch.grad(z.mul(2).sum(), [z])[0]?.v).toEqual([20, 20]);
  });

  it('backward(inputs=[non-leaf]) fills that .grad only', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 1]);
    const a = x.mul(2);
    a.mul(3)
      .sum()
      .backward({ inputs: [a] });
    expect(a.grad?.v).toEqual([3, 3]);
    expect(x.grad).toBe(null);
    const c = x.mul(2);
    c.mul(3)
      .sum()
      .backward({ inputs: [c, x] });
    expect(c.grad?.v).toEqual([3, 3]);
    expect(x.grad?.v).toEqual([6, 6]);
  });
});

describe('hooks', () => {
  it('run in order: output hooks, leaf hooks, then post-accumulate hooks', () => {
    const torch = new Torch();
    const log: (string | number)[] = [];
    const x = torch.leaf([1]);
    const y = x.mul(2);
    y.hook((g) => {
      log.push('y1', g.v[0]);
      return g.mul(2);
    });
    y.hook((g) => void log.push('y2', g.v[0]));
    x.hook((g) => void log.push('x', g.v[0]));
    x.postHook((p) => void log.push('post', p.grad!.v[0]));
    y.sum().backward();
    expect(log).toEqual(['y1', 1, 'y2', 2, 'x', 4, 'post', 4]);
  });

  it('retain_grad keeps the gradient after all hooks, whenever it was called', () => {
    const torch = new Torch();
    for (const first of [true, false]) {
      const a = torch.leaf([1, 1]).mul(2);
      if (first) a.retainGrad();
      a.hook((g) => g.mul(10));
      if (!first) a.retainGrad();
      a.mul(3).sum().backward();
      expect(a.grad?.v).toEqual([30, 30]);
    }
  });

  it('may run another backward inside', () => {
    const torch = new Torch();
    const inner = torch.leaf([2]);
    const x = torch.leaf([1]);
    const y = x.mul(3);
    y.hook(() => {
      inner.mul(inner).sum().backward();
    });
    expect(() => y.sum().backward()).toThrow('element 0 of tensors does not require grad');
    const z = x.mul(3);
    z.hook(() => {
      const before = torch.b.set_grad_enabled(true);
      inner.mul(inner).sum().backward();
      torch.b.set_grad_enabled(before);
    });
    z.sum().backward();
    expect(inner.grad?.v).toEqual([4]);
    expect(x.grad?.v).toEqual([3]);
  });
});

describe('lifetime', () => {
  it('after backward only leaves and their gradients are left', () => {
    const torch = new Torch();
    const x = torch.leaf([1, 2, 3, 4]);
    const y = x.mul(2).exp().mul(x);
    const loss = y.sum();
    loss.backward();
    torch.b.free(y.h, loss.h);
    // Handles that the test facade made on the way (x.mul(2), exp) are still held: 4 elements each.
    expect(torch.b.memory('cpu')).toBe(4 * 4 * 4);
  });

  it('a graph of 50,000 ops is released without recursion', () => {
    const torch = new Torch();
    let x = torch.leaf([1]);
    const leaf = x;
    for (let i = 0; i < 50_000; i++) {
      const next = x.mul(1);
      if (x !== leaf) torch.b.free(x.h);
      x = next;
    }
    x.sum().backward();
    torch.b.free(x.h);
    expect(leaf.grad?.v).toEqual([1]);
  });
});
