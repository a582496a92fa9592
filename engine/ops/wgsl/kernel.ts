/**
 * What a kernel builder is: a pure function from one op call to the dispatches that compute it, or null where it does not cover
 * the call (the reference then serves it). Builders write WGSL and uniforms; they know no device.
 *
 * Binding 0 is always the uniform slot (at most 64 words); storage bindings follow in the order of `bindings`. Shapes and strides
 * are uniforms, never shader text, so that one pipeline serves every shape.
 */
import type { DType } from '../../formats/dtype';
import type { Attrs, OpRecord, TensorSpec } from '../record';

/** A strided window on device memory; strides and offset in elements. */
export interface StridedInput {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/** A number standing for a 0-dim input. */
export interface ConstantInput {
  readonly constant: number;
  readonly dtype: DType;
}

export type KernelInput = StridedInput | ConstantInput;
export const isConstant = (input: KernelInput): input is ConstantInput => 'constant' in input;

export interface KernelCall {
  readonly record: OpRecord;
  readonly inputs: readonly KernelInput[];
  readonly attrs: Attrs;
  readonly outputs: readonly TensorSpec[];
  readonly adapter?: AdapterFacts;
}

/** What the self-test found out about an adapter. */
export interface AdapterFacts {
  /** unpack2x16float is exact for every float16, subnormals included (WGSL allows flushing them); much quicker than integer code. */
  readonly exactUnpack: boolean;
  /** The adapter is a program on the CPU: long integer formulas cost more there than a trip to the reference and back. */
  readonly software?: boolean;
}

/** `table` and `temporary` index the plan's own lists; `fault` is the words in which kernels report what a reference would raise. */
export interface Binding {
  readonly from: 'input' | 'output' | 'temporary' | 'table' | 'fault';
  readonly index: number;
  readonly access: 'read' | 'read_write';
}

export interface Dispatch {
  /** Names the pipeline: equal keys have equal source. */
  readonly key: string;
  readonly source: () => string;
  readonly bindings: readonly Binding[];
  readonly uniforms: Uint32Array;
  /** Workgroups: a count (spread over x and y; see `globalIndex`) or an exact grid. */
  readonly workgroups: number | readonly [number, number, number];
}

export interface Table {
  /** Names the contents, for good. */
  readonly key: string;
  readonly make: () => Uint32Array<ArrayBuffer>;
}

export interface KernelPlan {
  readonly dispatches: readonly Dispatch[];
  /** Bytes of scratch memory blocks. */
  readonly temporaries?: readonly number[];
  readonly tables?: readonly Table[];
  /** Makes the error from the word (never 0) that a kernel left in `Faults[faultWord]`; at most one a plan. */
  readonly faults?: readonly ((word: number) => Error)[];
}

export const uniformWords = 64;
/** WGSL for the index in `Faults` that this call may write: the backend puts it into the last uniform word. */
export const faultWord = 'U[15].w';

export type KernelBuilder = (call: KernelCall) => KernelPlan | null;

/** Invocations a workgroup of a one-dimensional kernel. */
export const groupSize = 64;

/** Head of a one-dimensional kernel: `i` is the index of this invocation over the whole grid. */
export const mainHead = /* wgsl */ `
@compute @workgroup_size(${groupSize})
fn main(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) nwg: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let i = (wg.y * nwg.x + wg.x) * ${groupSize}u + lane;`;

export const groupsFor = (invocations: number): number => Math.max(1, Math.ceil(invocations / groupSize));

/** Declares storage binding `slot` (1-based). */
export const storage = (slot: number, name: string, element: string, access: 'read' | 'read_write'): string =>
  `@group(0) @binding(${slot}) var<storage, ${access}> ${name}: array<${element}>;\n`;

export const numel = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

export const isContiguous = (shape: readonly number[], strides: readonly number[]): boolean => {
  let expected = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    if (shape[d] !== 1 && strides[d] !== expected) return false;
    expected *= shape[d]!;
  }
  return true;
};

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);
/** The float32 pattern of a number, rounded to nearest even. */
export function f32Bits(value: number): number {
  scratch[0] = value;
  return scratchBits[0]!;
}
