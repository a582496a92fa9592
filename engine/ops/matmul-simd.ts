/**
 * The matrix product of matmul-kernel.ts on WebAssembly's 128-bit vectors: the same bits, several times as fast. Every output still has one
 * float32 accumulator to which round(a * b) is added in ascending k: f32x4.mul and f32x4.add round each lane as Math.fround does, and
 * nothing is fused.
 *
 * out[m, n] = a[m, k] @ bT[n, k] transposed. Operands are packed into panels, 4 rows of a and 8 of bT, so that the inner loop reads both in
 * order; a step of it multiplies 4 numbers by 2 vectors into 8 accumulators.
 */

const ROWS = 4;
const COLUMNS = 8;

/** Below this many products, packing costs more than it saves. */
const WORTHWHILE = 16_384;

// The part of the WebAssembly interface that is used here; the engine is compiled without the browser's types.
interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface WasmInterface {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
  ) => { readonly exports: { readonly memory: WasmMemory; readonly multiply: Multiply } };
  validate(bytes: Uint8Array): boolean;
}
type Multiply = (a: number, b: number, out: number, aPanels: number, bPanels: number, k: number) => void;

const PAGE = 65_536;

// --- The module, assembled by hand ---------------------------------------------------------------------------------
// Opcodes: https://webassembly.github.io/spec/core/binary/instructions.html

/** Unsigned LEB128. */
function leb(value: number): number[] {
  const bytes: number[] = [];
  do {
    const rest = value >>> 7;
    bytes.push((value & 0x7f) | (rest === 0 ? 0 : 0x80));
    value = rest;
  } while (value !== 0);
  return bytes;
}

const vector = (items: readonly (readonly number[])[]): number[] => [...leb(items.length), ...items.flat()];
const section = (id: number, content: readonly number[]): number[] => [id, ...leb(content.length), ...content];
const text = (s: string): number[] => [...leb(s.length), ...Array.from(s, (c) => c.charCodeAt(0))];

const I32 = 0x7f;
const V128 = 0x7b;
const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const constant = (value: number): number[] => [0x41, ...signed(value)];
const add = [0x6a];
const subtract = [0x6b];
const simd = (opcode: number, ...rest: number[]): number[] => [0xfd, ...leb(opcode), ...rest];
const load = (offset: number): number[] => simd(0x00, 4, ...leb(offset));
const loadSplat = (offset: number): number[] => simd(0x09, 2, ...leb(offset));
const store = (offset: number): number[] => simd(0x0b, 4, ...leb(offset));
const zeros = simd(0x0c, ...new Array<number>(16).fill(0));
const f32x4Add = simd(0xe4);
const f32x4Mul = simd(0xe6);
/** `body`, again while local `counter`, counted down, isn't 0. */
const repeat = (counter: number, body: readonly number[]): number[] => [
  ...[0x03, 0x40],
  ...body,
  ...[...get(counter), ...constant(1), ...subtract, 0x22, counter], // local.tee
  ...[0x0d, 0], // br_if
  0x0b, // end
];

/** Signed LEB128 of a small non-negative number. */
function signed(value: number): number[] {
  const bytes = leb(value);
  return (bytes[bytes.length - 1] & 0x40) === 0 ? bytes : [...bytes.slice(0, -1), bytes[bytes.length - 1] | 0x80, 0];
}

function assemble(): Uint8Array {
  // Parameters 0 to 5 as in `Multiply`, then i32 locals, then v128 locals.
  const [a, b, out, aPanels, bPanels, k, columnPanels, rowPanels, p, aRow, bRow, aPanel] = Array.from(
    { length: 12 },
    (_, i) => i,
  );
  const total = (row: number, half: number): number => 12 + row * 2 + half;
  const [b0, b1, x] = [20, 21, 22];
  const each = <T>(count: number, f: (i: number) => T[]): T[] => Array.from({ length: count }, (_, i) => f(i)).flat();
  const step = (local: number, bytes: number): number[] => [...get(local), ...constant(bytes), ...add, ...set(local)];
  const inner = [
    ...[...get(bRow), ...load(0), ...set(b0)],
    ...[...get(bRow), ...load(16), ...set(b1)],
    ...each(ROWS, (r) => [
      ...[...get(aRow), ...loadSplat(4 * r), ...set(x)],
      ...[...get(total(r, 0)), ...get(x), ...get(b0), ...f32x4Mul, ...f32x4Add, ...set(total(r, 0))],
      ...[...get(total(r, 1)), ...get(x), ...get(b1), ...f32x4Mul, ...f32x4Add, ...set(total(r, 1))],
    ]),
    ...step(aRow, 4 * ROWS),
    ...step(bRow, 4 * COLUMNS),
  ];
  const tile = [
    ...[...get(aPanel), ...set(aRow), ...get(b), ...set(bRow), ...get(k), ...set(p)],
    ...each(2 * ROWS, (i) => [...zeros, ...set(total(0, 0) + i)]),
    ...repeat(p, inner),
    ...each(2 * ROWS, (i) => [...get(out), ...get(total(0, 0) + i), ...store(16 * i)]),
    ...step(out, 4 * ROWS * COLUMNS),
    ...[...get(aRow), ...set(aPanel)], // the next panel follows
  ];
  const body = [
    ...[...get(bPanels), ...set(columnPanels)],
    ...repeat(columnPanels, [
      ...[...get(a), ...set(aPanel), ...get(aPanels), ...set(rowPanels)],
      ...repeat(rowPanels, tile),
      ...[...get(bRow), ...set(b)],
    ]),
    0x0b,
  ];
  const locals = vector([
    [6, I32],
    [11, V128],
  ]);
  const code = [...locals, ...body];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0], // "\0asm", version 1
    ...section(1, vector([[0x60, ...vector(Array.from({ length: 6 }, () => [I32])), 0]])),
    ...section(3, vector([[0]])),
    ...section(5, vector([[0, 1]])), // a memory of at least one page
    ...section(
      7,
      vector([
        [...text('memory'), 2, 0],
        [...text('multiply'), 0, 0],
      ]),
    ),
    ...section(10, vector([[...leb(code.length), ...code]])),
  ]);
}

// --- Its use -------------------------------------------------------------------------------------------------------

let instance: { readonly memory: WasmMemory; readonly multiply: Multiply } | null | undefined;

/** The module, or null where WebAssembly or its vectors are missing. */
function kernel(): { readonly memory: WasmMemory; readonly multiply: Multiply } | null {
  if (instance !== undefined) return instance;
  const wasm = (globalThis as unknown as { readonly WebAssembly?: WasmInterface }).WebAssembly;
  const bytes = assemble();
  instance = wasm?.validate(bytes) ? new wasm.Instance(new wasm.Module(bytes)).exports : null;
  return instance;
}

/** rows of x [count, k] in panels of `width`: for each panel, column by column. Missing rows of the last one are 0. */
function pack(x: Float32Array, start: number, count: number, k: number, width: number, to: Float32Array): void {
  let at = 0;
  for (let first = 0; first < count; first += width) {
    const rows = Math.min(width, count - first);
    for (let r = 0; r < width; r++) {
      const from = start + (first + r) * k;
      if (r < rows) for (let p = 0; p < k; p++) to[at + p * width + r] = x[from + p];
      else for (let p = 0; p < k; p++) to[at + p * width + r] = 0;
    }
    at += width * k;
  }
}

/** Computes the product if it is large enough and vectors exist; false leaves it to the caller. */
export function multiplySimd(
  a: Float32Array,
  aStart: number,
  bT: Float32Array,
  m: number,
  n: number,
  k: number,
  out: Float32Array,
  outStart: number,
): boolean {
  if (m < ROWS || k === 0 || m * n * k < WORTHWHILE) return false;
  const wasm = kernel();
  if (wasm === null) return false;
  const aPanels = Math.ceil(m / ROWS);
  const bPanels = Math.ceil(n / COLUMNS);
  const aLength = aPanels * ROWS * k;
  const bLength = bPanels * COLUMNS * k;
  const outLength = aPanels * ROWS * bPanels * COLUMNS;
  const pages = Math.ceil((4 * (aLength + bLength + outLength)) / PAGE) - wasm.memory.buffer.byteLength / PAGE;
  try {
    if (pages > 0) wasm.memory.grow(pages);
  } catch {
    return false; // not that much memory
  }
  const { buffer } = wasm.memory;
  const bAt = 4 * aLength;
  const outAt = bAt + 4 * bLength;
  pack(a, aStart, m, k, ROWS, new Float32Array(buffer, 0, aLength));
  pack(bT, 0, n, k, COLUMNS, new Float32Array(buffer, bAt, bLength));
  wasm.multiply(0, bAt, outAt, aPanels, bPanels, k);
  const tiles = new Float32Array(buffer, outAt, outLength);
  for (let jp = 0, at = 0; jp < bPanels; jp++) {
    const columns = Math.min(COLUMNS, n - jp * COLUMNS);
    for (let i = 0; i < aPanels * ROWS; i++, at += COLUMNS) {
      if (i >= m) continue;
      const to = outStart + i * n + jp * COLUMNS;
      for (let c = 0; c < columns; c++) out[to + c] = tiles[at + c];
    }
  }
  return true;
}
