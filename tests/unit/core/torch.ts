/** A small `torch` on the bridge, so that tests of the core read like the Python they stand for. Everything is on "cpu". */
import type { DType } from '../../../engine/formats/dtype';
import { type Bridge, createBridge } from '../../../engine/session/bridge';

type Nested = number | readonly Nested[];

function shapeOf(x: Nested): number[] {
  return typeof x === 'number' ? [] : [x.length, ...(x.length > 0 ? shapeOf(x[0]) : [])];
}

export type HookBody = (grad: T) => unknown;

export class Torch {
  readonly b: Bridge = createBridge();
  readonly hooks = new Map<number, HookBody>();
  readonly functions = new Map<number, (grads: (T | null)[], id: number) => (T | null)[]>();
  nextId = 1;

  tensor(values: Nested, dtype: DType = 'float32', device = 'cpu'): T {
    const flat = (typeof values === 'number' ? [values] : values.flat(8)) as number[];
    return new T(this, this.b.from_values(flat, dtype, device, ...shapeOf(values)));
  }

  /** A leaf that requires grad. */
  leaf(values: Nested, dtype: DType = 'float32'): T {
    const t = this.tensor(values, dtype);
    this.b.set_requires_grad(t.h, true);
    return t;
  }

  private loop(run: number): void {
    for (let code = this.b.backward_step(run); code !== 0; ) {
      const [id, first, ...rest] = this.b.backward_payload(run);
      const answers: number[] = [];
      try {
        if (code === 3) {
          const grads = rest.map((h) => (h === 0 ? null : new T(this, h)));
          for (const g of this.functions.get(id)?.(grads, id) ?? []) answers.push(g?.h ?? 0);
        } else {
          const result = this.hooks.get(id)?.(new T(this, first));
          answers.push(result instanceof T ? result.h : 0);
        }
      } catch (error) {
        this.b.backward_end(run);
        throw error;
      }
      code = this.b.backward_resume(run, ...answers);
    }
  }

  backward(loss: T, options: { grad?: T; retain?: boolean; create?: boolean; inputs?: T[] } = {}): void {
    const flags = 4 | (options.retain ? 1 : 0) | (options.create ? 2 : 0);
    const inputs = options.inputs ? [options.inputs.length, ...options.inputs.map((t) => t.h)] : [-1];
    const run = this.b.backward_start(flags, 1, loss.h, options.grad?.h ?? 0, ...inputs);
    this.loop(run);
    this.b.backward_end(run);
  }

  grad(
    output: T,
    inputs: T[],
    options: { grad?: T; create?: boolean; retain?: boolean; allowUnused?: boolean } = {},
  ): (T | null)[] {
    const flags = (options.retain ? 1 : 0) | (options.create ? 2 : 0) | (options.allowUnused ? 8 : 0);
    const run = this.b.backward_start(
      flags,
      1,
      output.h,
      options.grad?.h ?? 0,
      inputs.length,
      ...inputs.map((t) => t.h),
    );
    this.loop(run);
    return this.b.backward_results(run).map((h) => (h === 0 ? null : new T(this, h)));
  }

  noGrad<R>(body: () => R): R {
    const before = this.b.set_grad_enabled(false);
    try {
      return body();
    } finally {
      this.b.set_grad_enabled(before);
    }
  }
}

export class T {
  constructor(
    readonly torch: Torch,
    readonly h: number,
  ) {}

  private get b(): Bridge {
    return this.torch.b;
  }
  private wrap(h: number): T {
    return new T(this.torch, h);
  }
  private operand(x: T | number): [number, number] {
    return x instanceof T ? [x.h, 0] : [Number.isInteger(x) ? -2 : -3, x];
  }

  /** Values, row-major. */
  get v(): number[] {
    return Array.from(this.b.values(this.h) as Float64Array);
  }
  get bits(): string {
    return this.b.bits(this.h) as string;
  }
  get dtype(): string {
    return this.b.meta(this.h).split('|')[0];
  }
  get shape(): number[] {
    const text = this.b.meta(this.h).split('|')[2];
    return text === '' ? [] : text.split(',').map(Number);
  }
  get gradFn(): string {
    return this.b.meta(this.h).split('|')[7];
  }
  get requiresGrad(): boolean {
    return this.b.requires_grad(this.h);
  }
  get grad(): T | null {
    const h = this.b.grad(this.h);
    return h === 0 ? null : this.wrap(h);
  }
  get version(): number {
    return this.b.version(this.h);
  }

  add = (x: T | number): T => this.wrap(this.b.op('add', this.h, ...this.operand(x), -2, 1));
  add_ = (x: T | number): T => this.wrap(this.b.op_('add', this.h, this.h, ...this.operand(x), -2, 1));
  mul = (x: T | number): T => this.wrap(this.b.op('mul', this.h, ...this.operand(x)));
  mul_ = (x: T | number): T => this.wrap(this.b.op_('mul', this.h, this.h, ...this.operand(x)));
  exp = (): T => this.wrap(this.b.op('exp', this.h));
  exp_ = (): T => this.wrap(this.b.op_('exp', this.h, this.h));
  sum = (...dims: number[]): T =>
    this.wrap(this.b.op('sum', this.h, ...(dims.length ? [dims.length, ...dims] : [-1]), false, null));
  matmul = (x: T): T => this.wrap(this.b.op('matmul', this.h, x.h));
  to = (dtype: DType): T => this.wrap(this.b.cast(this.h, dtype));
  clone = (): T => this.wrap(this.b.clone(this.h));
  detach = (): T => this.wrap(this.b.detach(this.h));
  data = (): T => this.wrap(this.b.data(this.h));
  contiguous = (): T => this.wrap(this.b.contiguous(this.h));
  copy_ = (x: T): T => this.wrap(this.b.copy_(this.h, x.h) as number);
  fill_ = (x: number): T => this.wrap(this.b.fill_(this.h, Number.isInteger(x) ? -2 : -3, x));
  view = (...shape: number[]): T => this.wrap(this.b.view(this.h, ...shape));
  reshape = (...shape: number[]): T => this.wrap(this.b.reshape(this.h, ...shape));
  permute = (...dims: number[]): T => this.wrap(this.b.permute(this.h, ...dims));
  transpose = (a: number, b: number): T => this.wrap(this.b.transpose(this.h, a, b));
  t = (): T => this.wrap(this.b.t(this.h));
  expand = (...sizes: number[]): T => this.wrap(this.b.expand(this.h, ...sizes));
  squeeze = (...dims: number[]): T => this.wrap(this.b.squeeze(this.h, ...dims));
  unsqueeze = (dim: number): T => this.wrap(this.b.unsqueeze(this.h, dim));
  select = (dim: number, index: number): T => this.wrap(this.b.select(this.h, dim, index));
  slice = (dim: number, start: number | null, stop: number | null, step = 1): T =>
    this.wrap(this.b.slice(this.h, dim, start, stop, step));
  narrow = (dim: number, start: number, length: number): T => this.wrap(this.b.narrow(this.h, dim, start, length));
  diagonal = (offset = 0): T => this.wrap(this.b.diagonal(this.h, offset, 0, 1));
  asStrided = (size: number[], stride: number[], offset: number | null = null): T =>
    this.wrap(this.b.as_strided(this.h, size.length, ...size, ...stride, offset));
  backward = (options: Parameters<Torch['backward']>[1] = {}): void => this.torch.backward(this, options);
  hook = (body: HookBody): number => {
    const id = this.torch.nextId++;
    this.torch.hooks.set(id, body);
    this.b.add_hook(this.h, id);
    return id;
  };
  postHook = (body: HookBody): void => {
    const id = this.torch.nextId++;
    this.torch.hooks.set(id, body);
    this.b.add_post_accumulate_hook(this.h, id);
  };
  retainGrad = (): void => this.b.retain_grad(this.h);
}
