/** The graph node of an op record: keeps what the record's gradient formula reads, and runs it. */

import { isFloating } from '../formats/dtype';
import type { Attrs, Differentiable, GradientContext, OpRecord, Value } from '../ops/record';
import { TorchError } from '../ops/record';
import type { Engine } from './engine';
import { gradNameOf, numbersAreTensors } from './grad-names';
import { type Edge, freedBuffersText, gradientEdge, Node, SavedTensor } from './node';
import { contiguousStrides } from './shape';
import { type Device, type Input, Storage, Tensor } from './tensor';

/** A tensor that the formula may ask for dtype and shape only, because the record doesn't save it. */
class Unsaved implements Value {
  constructor(
    readonly dtype: Value['dtype'],
    readonly shape: readonly number[],
    readonly device: Device,
    readonly what: string,
  ) {}
}

/** For the Builder: turns what a formula passes into an op's input. */
export function asInput(value: Value): Input {
  if (value instanceof Unsaved)
    throw new Error(`a gradient formula reads ${value.what}, which its record doesn't save`);
  return value as Input;
}

type Slot = SavedTensor | Value;

export class OpNode extends Node {
  private inputs: Slot[] | null;
  /** PyTorch saves a number that the formula reads (x * 2) as a tensor: it is freed like one. */
  private savesNumber = false;
  private outputsSaved: Slot[] = [];
  private readonly needs: boolean[];
  private readonly differentiable: boolean[];
  readonly name: string;

  /**
   * `overwritten`: for an in-place op, the tensor about to be written (inputs[0]); what the formula reads of it is kept aside.
   * `outputs` of an in-place op are saved after the write, by `saveOutputs`.
   */
  constructor(
    private readonly engine: Engine,
    private readonly record: OpRecord,
    private readonly attrs: Attrs,
    inputs: readonly Input[],
    overwritten: Tensor | null,
    outputs: readonly Tensor[] | null,
  ) {
    super();
    const n = inputs.length;
    this.name = gradNameOf(record, inputs, attrs);
    this.needs = new Array<boolean>(n);
    this.differentiable = new Array<boolean>(n);
    this.inputs = new Array<Slot>(n);
    for (let i = 0; i < n; i++) {
      const x = inputs[i];
      const edge = x instanceof Tensor ? gradientEdge(x) : null;
      this.needs[i] = edge !== null;
      this.differentiable[i] = x instanceof Tensor ? isFloating(x.dtype) : numbersAreTensors.has(record.name);
      this.addEdge(edge);
    }
    const saves = this.wanted('inputs');
    // Backwards, so that the overwritten tensor gives its buffer away only once the others are known to be savable.
    for (let i = n - 1; i >= 0; i--) {
      const x = inputs[i];
      if (!(x instanceof Tensor)) {
        this.inputs[i] = x;
        if (numbersAreTensors.has(record.name) && saves?.includes(i)) this.savesNumber = true;
        continue;
      }
      if (saves === undefined || !saves.includes(i))
        this.inputs[i] = new Unsaved(x.dtype, x.shape, x.device, `input ${i} of ${record.name}`);
      else this.inputs[i] = new SavedTensor(i === 0 && overwritten !== null ? before(overwritten) : x, -1);
    }
    if (outputs !== null) {
      for (const y of outputs) this.addOutput(y);
      this.saveOutputs(outputs);
    }
  }

  /** Which inputs or outputs the wanted gradients read. */
  private wanted(of: 'inputs' | 'outputs'): readonly number[] | undefined {
    const { saves } = this.record.gradient as Differentiable;
    const all = saves[of];
    const { readBy } = saves;
    if (all === undefined || readBy === undefined) return all;
    return all.filter((k) =>
      this.needs.some((need, i) => need && (readBy[i] === undefined || readBy[i][of]?.includes(k))),
    );
  }

  saveOutputs(outputs: readonly Tensor[]): void {
    const saves = this.wanted('outputs');
    this.outputsSaved = outputs.map((y, i) =>
      saves?.includes(i)
        ? new SavedTensor(y.alias(), i)
        : new Unsaved(y.dtype, y.shape, y.device, `output ${i} of ${this.record.name}`),
    );
  }

  /** Without the indices and masks, which PyTorch doesn't count as differentiable arguments. */
  override get nextEdges(): readonly (Edge | null)[] {
    return this.edges.filter((_, i) => this.differentiable[i]);
  }

  apply(gradOutputs: readonly (Tensor | null)[]): readonly (Tensor | null)[] {
    if (this.inputs === null) throw new TorchError('RuntimeError', freedBuffersText);
    const anomaly = this.engine.anomalyMode;
    const unpack = (s: Slot): Value => (s instanceof SavedTensor ? s.unpack(this, anomaly) : s);
    const context: GradientContext = {
      b: this.engine.builder,
      inputs: this.inputs.map(unpack),
      outputs: this.outputsSaved.map(unpack),
      attrs: this.attrs,
      gradOutputs,
      // Formulas of several outputs read gradOutputs; the others are only run with a gradient.
      gradOutput: gradOutputs[0] as Value,
      needs: this.needs,
    };
    return (this.record.gradient as Differentiable).backward(context) as readonly (Tensor | null)[];
  }

  override releaseSaved(): void {
    if (this.inputs === null) return;
    const saved = this.inputs;
    let any = this.savesNumber;
    for (const s of saved) {
      if (s instanceof SavedTensor) {
        s.release();
        any = true;
      }
    }
    for (const s of this.outputsSaved) {
      if (s instanceof SavedTensor) {
        s.release();
        any = true;
      }
    }
    // A node that saves nothing (x + 1) can run any number of times, as in PyTorch.
    if (any) {
      this.inputs = null;
      this.outputsSaved = [];
    }
  }
}

/**
 * The contents of `t` as they are now, for a formula that needs them after `t` is overwritten. A whole tensor is about to get a fresh
 * buffer, so the old one is taken over; of a window there must be a copy.
 */
function before(t: Tensor): Tensor {
  const { backend } = t.storage;
  const buffer = t.coversStorage ? t.storage.keepBuffer() : backend.contiguous(t);
  const copy = new Tensor(new Storage(backend, buffer), t.dtype, t.shape, contiguousStrides(t.shape), 0, t.device, {
    n: 0,
  });
  copy.setGradFn(t.gradFn, t.outputNr);
  return copy;
}
