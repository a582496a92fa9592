/** What the learner's tests are tried on: right implementations, which they have to accept, and wrong ones, which they have to catch. */

export interface Implementation {
  readonly name: string;
  /** Shown in the report. */
  readonly title: string;
  /** Body of `def log_softmax(x, dim)`. */
  readonly body: string;
}

export interface Mutant extends Implementation {
  readonly task: 'range' | 'rows' | 'contract';
  /** Shown where the tests let it through: what it does, never an input that shows it. */
  readonly does: string;
}

const SHIFTED = `s = x - x.amax(dim=dim, keepdim=True)
    return s - torch.log(torch.exp(s).sum(dim=dim, keepdim=True))`;

export const RIGHT: readonly Implementation[] = [
  { name: 'library', title: 'the library’s', body: 'return torch.log_softmax(x, dim)' },
  { name: 'own_dtype', title: 'shifted by the maximum, each step rounded to x’s dtype', body: SHIFTED },
  {
    name: 'wide',
    title: 'computed in float32, rounded once at the end',
    body: `w = x.float()
    s = w - w.amax(dim=dim, keepdim=True)
    return (s - torch.log(torch.exp(s).sum(dim=dim, keepdim=True))).to(x.dtype)`,
  },
];

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no_shift',
    task: 'range',
    title: 'no shift by the maximum',
    does: 'It exponentiates the logits as they come.',
    body: `e = torch.exp(x)
    return torch.log(e / e.sum(dim=dim, keepdim=True))`,
  },
  {
    name: 'nan_to_num',
    task: 'range',
    title: 'no shift, with its NaN replaced by 0',
    does: 'Where the unshifted formula gives inf or NaN, it gives a number.',
    body: `e = torch.exp(x)
    return torch.nan_to_num(torch.log(e / e.sum(dim=dim, keepdim=True)))`,
  },
  {
    name: 'log_of_softmax',
    task: 'range',
    title: 'the logarithm of a stable softmax',
    does: 'It forms the probabilities first, and takes their logarithm.',
    body: 'return torch.log(torch.softmax(x, dim))',
  },
  {
    name: 'epsilon',
    task: 'range',
    title: 'the logarithm of softmax + 1e-6',
    does: 'It adds 1e-6 to the probabilities, so that no logarithm is infinite.',
    body: 'return torch.log(torch.softmax(x.float(), dim) + 1e-6).to(x.dtype)',
  },
  {
    name: 'clamped',
    task: 'range',
    title: 'logits clamped to ±11',
    does: 'It makes large logits harmless by clamping them.',
    body: `x = x.clamp(-11, 11)
    ${SHIFTED}`,
  },
  {
    name: 'float16_inside',
    task: 'range',
    title: 'computed in float16, whatever x is',
    does: 'It casts x to float16, computes there, and casts back.',
    body: 'return torch.log_softmax(x.to(torch.float16), dim).to(x.dtype)',
  },
  {
    name: 'ties_once',
    task: 'range',
    title: 'the maximum counted once',
    does: 'It adds 1 for the maximum, and the exponentials of what lies below it.',
    body: `s = x - x.amax(dim=dim, keepdim=True)
    below = torch.exp(s) * (s < 0)
    return s - torch.log(1 + below.sum(dim=dim, keepdim=True))`,
  },
  {
    name: 'subtracts_mean',
    task: 'range',
    title: 'shifted by the mean',
    does: 'It subtracts the mean of the row in place of the maximum.',
    body: `s = x - x.mean(dim=dim, keepdim=True)
    return s - torch.log(torch.exp(s).sum(dim=dim, keepdim=True))`,
  },
  {
    name: 'global_max',
    task: 'rows',
    title: 'shifted by the maximum of the whole tensor',
    does: 'It subtracts the same number in all rows.',
    body: `s = x - x.max()
    return s - torch.log(torch.exp(s).sum(dim=dim, keepdim=True))`,
  },
  {
    name: 'sums_everything',
    task: 'rows',
    title: 'the sum of the whole tensor',
    does: 'It shifts each row by its own maximum, and divides by the sum over all rows.',
    body: `s = x - x.amax(dim=dim, keepdim=True)
    return s - torch.log(torch.exp(s).sum())`,
  },
  {
    name: 'last_dim',
    task: 'rows',
    title: 'along the last dimension, always',
    does: 'It does not look at dim.',
    body: 'return torch.log_softmax(x, -1)',
  },
  {
    name: 'extra_dimension',
    task: 'contract',
    title: 'right values with a dimension too many',
    does: 'Its result has one dimension more than x.',
    body: 'return torch.log_softmax(x, dim).unsqueeze(0)',
  },
  {
    name: 'float32_result',
    task: 'contract',
    title: 'right values in float32',
    does: 'Its result is float32, whatever x is.',
    body: 'return torch.log_softmax(x.float(), dim)',
  },
  {
    name: 'in_place',
    task: 'contract',
    title: 'right values, and x is shifted in place',
    does: 'It writes into the tensor that it was given.',
    body: `with torch.no_grad():
        x.sub_(x.amax(dim=dim, keepdim=True))
    return torch.log_softmax(x, dim)`,
  },
  {
    name: 'detached',
    task: 'contract',
    title: 'right values, half of the gradient',
    does: 'Its forward is right. The logarithm of the sum is cut out of the graph.',
    body: `s = x - x.amax(dim=dim, keepdim=True)
    return s - torch.log(torch.exp(s).sum(dim=dim, keepdim=True)).detach()`,
  },
];

export const sourceOf = ({ body }: Implementation): string => `import torch\n\ndef log_softmax(x, dim):\n    ${body}\n`;
