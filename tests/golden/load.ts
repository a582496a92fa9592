/**
 * Reads the golden vectors in tests/golden/data (made by a real PyTorch 2.13; data/README.md has their formats).
 * `decodeBinary` also works in a browser, on bytes fetched from wherever a test serves them; `golden*` read files in Node.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { DType, HostData, HostTensor } from '@/engine/formats/dtype';

const dataUrl = new URL('./data/', import.meta.url);

/** Undoes the delta coding of .d16 and .d32 files: x[i] = x[i - 1] + d[i], modulo the width. */
export function decodeBinary(name: string, raw: Uint8Array): Uint16Array | Uint32Array {
  const bytes = Uint8Array.from(raw).buffer; // a copy of its own: a Buffer may share memory with others
  const values = /\.[ud]16\./.test(name) ? new Uint16Array(bytes) : new Uint32Array(bytes);
  if (/\.d(16|32)\./.test(name)) for (let i = 1; i < values.length; i++) values[i] += values[i - 1];
  return values;
}

/** Decompresses with the platform's stream, where there is no node:zlib. */
export async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bit patterns by name without suffix: goldenBits('unary/f16_exp'). */
export function goldenBits(name: string): Uint16Array | Uint32Array {
  for (const suffix of ['.u16.gz', '.d16.gz', '.u32.gz', '.d32.gz']) {
    let file: Buffer;
    try {
      file = readFileSync(new URL(name + suffix, dataUrl));
    } catch {
      continue;
    }
    return decodeBinary(name + suffix, gunzipSync(file));
  }
  throw new Error(`no golden file for ${name} in tests/golden/data`);
}

// JSON with whatever shape the file has: each test states the part it reads.
export const goldenJson = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, dataUrl), 'utf8')) as T;

/** A tensor in a JSON golden: 16- and 32-bit floats as hex patterns in `b`, integers and bools in `v`. */
export interface GoldenTensor {
  readonly t: 'f16' | 'bf16' | 'f32' | 'f64' | 'i64' | 'i32' | 'bool';
  readonly s: readonly number[];
  readonly b?: string;
  readonly v?: readonly (number | boolean)[];
}

/** A Python float in a JSON golden: decimal text, and the double's big-endian hex where it is finite. */
export interface GoldenFloat {
  readonly f: string;
  readonly x?: string;
}

const dtypes: Readonly<Record<GoldenTensor['t'], DType>> = {
  f16: 'float16',
  bf16: 'bfloat16',
  f32: 'float32',
  f64: 'float64',
  i64: 'int64',
  i32: 'int32',
  bool: 'bool',
};

export const goldenDtype = (short: GoldenTensor['t']): DType => dtypes[short];

/** The double with this big-endian hex pattern. */
export function doubleFromHex(hex: string): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}

export const goldenFloat = ({ f, x }: GoldenFloat): number =>
  x !== undefined ? doubleFromHex(x) : f === 'inf' ? Infinity : f === '-inf' ? -Infinity : Number.NaN;

export function goldenTensor({ t, s, b, v }: GoldenTensor): HostTensor {
  const dtype = dtypes[t];
  const words = b ? b.split(' ') : [];
  let data: HostData;
  if (t === 'f16' || t === 'bf16') data = Uint16Array.from(words, (w) => Number.parseInt(w, 16));
  else if (t === 'f32') data = new Float32Array(Uint32Array.from(words, (w) => Number.parseInt(w, 16)).buffer);
  else if (t === 'f64') data = Float64Array.from(words, doubleFromHex);
  else if (t === 'i32') data = Int32Array.from(v ?? [], Number);
  else if (t === 'i64') data = Float64Array.from(v ?? [], Number);
  else data = Uint8Array.from(v ?? [], Number);
  return { dtype, shape: s, data };
}
