/** Autocast's lists: what PyTorch's dispatcher registers for each device, against what the op records say. */
import { afterAll, describe, expect, test } from 'vitest';
import '@/engine/ops';
import { type AutocastPolicy, opTable } from '@/engine/ops/record';
import { Torch } from '../unit/core/torch';
import { goldenJson } from './load';
import { recordGolden } from './results';

const golden = goldenJson<{
  readonly registered_cpu: readonly string[];
  readonly cuda_policy: Readonly<Record<string, readonly string[]>>;
  readonly cuda_bce_message: string;
  readonly cpu_policy_note: string;
}>('autocast.json');

/** Records under another name than the public op that autocast lists. */
const publicName: Readonly<Record<string, string>> = { _prelu_kernel: 'prelu' };
/** One public op that PyTorch splits: `norm` is linalg_vector_norm here. */
const policyOfHeading = (heading: string): AutocastPolicy => heading.split(' ')[0] as AutocastPolicy;

const cudaPolicy = new Map<string, AutocastPolicy>();
for (const [heading, names] of Object.entries(golden.cuda_policy)) {
  for (const name of names) cudaPolicy.set(name.split('.')[0], policyOfHeading(heading));
}

/** aten/src/ATen/autocast_mode.cpp, the CPU lists: what isn't lower_precision_fp or promote there is fp32. */
const cpuLower =
  /^(conv.*|bmm|mm|linalg_vecdot|baddbmm|addmm|addbmm|linear|_addmm_activation|matmul|prelu|scaled_dot_product_attention|mkldnn_rnn_layer)$/;
const cpuPromote = new Set(['stack', 'cat', 'index_copy']);
const registeredCpu = new Set(golden.registered_cpu.map((n) => n.split('.')[0]));
const cpuPolicy = (name: string): AutocastPolicy =>
  !registeredCpu.has(name)
    ? 'none'
    : cpuLower.test(name)
      ? 'lower_precision_fp'
      : cpuPromote.has(name)
        ? 'promote'
        : 'fp32';

const checked = [...opTable.values()].map((record) => {
  const name = publicName[record.name] ?? record.name;
  return {
    record: record.name,
    cpu: [record.autocast.cpu, cpuPolicy(name)],
    cuda: [record.autocast.cuda, cudaPolicy.get(name) ?? 'none'],
  };
});

describe('each record has the policy that PyTorch registers', () => {
  for (const { record, cpu, cuda } of checked) {
    test(record, () => {
      expect({ cpu: cpu[0], cuda: cuda[0] }).toEqual({ cpu: cpu[1], cuda: cuda[1] });
    });
  }
});

afterAll(() => {
  const passed = checked.filter(({ cpu, cuda }) => cpu[0] === cpu[1] && cuda[0] === cuda[1]).length;
  recordGolden('autocast-policies', [
    {
      file: 'autocast.json policies',
      entries: checked.length,
      passed,
      compared: 'policy of every op record, cpu and cuda',
    },
  ]);
});

describe('the weight cache', () => {
  const region = (torch: Torch, dtype: 'float16' | 'bfloat16', body: () => void): void => {
    const enabled = torch.b.autocast_enabled('cpu');
    const before = torch.b.autocast_dtype('cpu') as 'float16';
    torch.b.autocast_set('cpu', true, dtype);
    torch.b.autocast_enter();
    try {
      body();
    } finally {
      torch.b.autocast_exit();
      torch.b.autocast_set('cpu', enabled, before);
    }
  };
  const matrix = [
    [1, 2],
    [3, 4],
  ];

  test('a weight edited inside a region is still used as it was first cast', () => {
    const torch = new Torch();
    const w = torch.leaf(matrix);
    const x = torch.tensor(matrix);
    region(torch, 'bfloat16', () => {
      const first = x.matmul(w);
      torch.noGrad(() => w.mul_(2));
      expect(x.matmul(w).v).toEqual(first.v);
    });
    region(torch, 'bfloat16', () => expect(x.matmul(w).v).toEqual([14, 20, 30, 44]));
  });

  test('an inner region of another dtype meets the first cast and fails', () => {
    const torch = new Torch();
    const w = torch.leaf(matrix);
    const x = torch.tensor(matrix);
    region(torch, 'bfloat16', () => {
      x.matmul(w);
      region(torch, 'float16', () => {
        expect(() => x.matmul(w)).toThrow(
          'expected m1 and m2 to have the same dtype, but got: c10::Half != c10::BFloat16',
        );
      });
    });
  });

  test('a cast first made under no_grad still carries gradients later', () => {
    const torch = new Torch();
    const w = torch.leaf(matrix);
    const x = torch.tensor(matrix);
    region(torch, 'float16', () => {
      torch.noGrad(() => x.matmul(w));
      x.matmul(w).sum().backward();
    });
    expect(w.grad?.dtype).toBe('float32');
    expect(w.grad?.v).toEqual([4, 4, 6, 6]);
  });

  test('activations, views and tensors without grad are cast each time', () => {
    const torch = new Torch();
    const x = torch.tensor(matrix);
    const w = torch.tensor(matrix);
    region(torch, 'bfloat16', () => {
      const first = x.matmul(w);
      w.mul_(2);
      expect(x.matmul(w).v).toEqual(first.v.map((v) => 2 * v));
    });
  });

  test('float64 and integers are never cast, in-place ops are left alone', () => {
    const torch = new Torch();
    region(torch, 'bfloat16', () => {
      const d = torch.tensor(matrix, 'float64');
      expect(d.matmul(d).dtype).toBe('float64');
      const i = torch.tensor(matrix, 'int64');
      expect(i.matmul(i).dtype).toBe('int64');
      expect(torch.tensor([1, 2]).exp_().dtype).toBe('float32');
    });
  });

  test('an fp16 forward means an fp16 backward: 2^-26 underflows', () => {
    const torch = new Torch();
    const w = torch.leaf([[1]]);
    region(torch, 'float16', () => {
      const y = torch.tensor([[1]]).matmul(w);
      y.to('float32')
        .mul(2 ** -26)
        .sum()
        .backward();
    });
    expect(w.grad?.v).toEqual([0]);
  });
});
