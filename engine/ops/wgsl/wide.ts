/**
 * The wide form of an elementwise kernel: an invocation makes sixteen vec4s of 32-bit elements, 64 vec4s apart, so that neighbours read
 * neighbouring memory and the work around the arithmetic (indices, the start of an invocation) is shared by 64 elements. 16-bit elements lie
 * two to a word: there it is 128, for sums, differences and products (wide-half.ts).
 *
 * Arithmetic is the adapter's own operation, whose result proves itself: where |r| lies in the range given below, it can't depend on
 * whether the adapter flushes subnormals or assumes infinities away. An invocation with any other result leaves a mark, and a second,
 * `repair` kernel does marked elements again by the exact way. (One kernel with both ways in it is four to eight times slower on SwiftShader,
 * even where the exact way is never taken.)
 */
import type { DType } from '../../formats/dtype';
import { groupSize, mainHead } from './kernel';
import { link } from './link';
import { type HalfArithmetic, halfArithmetic } from './wide-half';

/** Elements from which the wide form pays: below, the pipeline that every size shares is compiled already. */
export const wideMinimum = 2 ** 15;
const rounds = 4;
/** vec4s a round: written out, since a loop's variables cost as much as an addition on SwiftShader. */
const unrolled = 4;
const vectors = rounds * unrolled;

export interface Wide {
  /** Elements a word: 1, or 2 of 16 bits. */
  readonly packing: 1 | 2;
  /** What happens between a vec4 of operand words and a vec4 of result words; absent: `value` is the result. */
  readonly half?: HalfArithmetic;
  /** Over vec4<u32> operands `a`, `b`, `c`; 'apply' for four calls of the kernel's own function. */
  readonly value: string;
  /** r is certain where (|r| - from) < span, on patterns, or where `zeros` holds; absent where every r is. */
  readonly certain?: Certain;
}

export interface Certain {
  readonly zeros: string;
  readonly from: string;
  readonly span: string;
}

const float = (operator: string) => `bitcast<vec4<u32>>(bitcast<vec4<f32>>(a) ${operator} bitcast<vec4<f32>>(b))`;
const sign = 'vec4<u32>(0x80000000u)';

/**
 * Sums: |r| in [2^-100, 2^127). A subnormal operand, flushed or not, is below half an ulp of such a result; two normal operands that cancel
 * to a subnormal give a smaller one, infinity and NaN give none. A sum of two zeros is common and done on bits: -0 if both are.
 */
const sum = (value: string, zero: string): Wide => ({
  packing: 1,
  value: `select(${value}, ${zero}, zeros)`,
  certain: { zeros: '((a | b) << vec4<u32>(1u)) == vec4<u32>()', from: '0x0d800000u', span: '0x71800000u' },
});
/** Products: |r| in [2^-124, 2^127): a flushed operand would give zero. Zero times a finite number, common after a ReLU, is done on bits. */
const product: Wide = {
  packing: 1,
  value: `select(${float('*')}, (a ^ b) & ${sign}, zeros)`,
  certain: {
    zeros:
      '(min(a & vec4<u32>(0x7fffffffu), b & vec4<u32>(0x7fffffffu)) == vec4<u32>()) & (max(a & vec4<u32>(0x7fffffffu), b & vec4<u32>(0x7fffffffu)) < vec4<u32>(0x7f800000u))',
    from: '0x01800000u',
    span: '0x7d800000u',
  },
};

const arithmetic: Readonly<Record<string, Wide>> = {
  'f32_add(a, b)': sum(float('+'), 'a & b'),
  'f32_sub(a, b)': sum(float('-'), `a & (b ^ ${sign})`),
  'f32_mul(a, b)': product,
};
/** Length of a linked expression that four copies may be compiled of. */
const shortText = 600;

/** The wide form of an expression of 32-bit elements; null where it has none. */
export const wideForm = (code: string): Wide | null =>
  arithmetic[code] ?? (link(code).length <= shortText ? { packing: 1, value: 'apply' } : null);

/** The same of 16-bit elements. `unpack`: unpack2x16float is exact here. */
export function wideHalfForm(code: string, dtype: DType, unpack: boolean): Wide | null {
  const exact = Object.keys(arithmetic).find((key) => key === code || key.replace('f32', 'f16') === code);
  if (exact === undefined) return null;
  const { value, certain } = arithmetic[exact];
  return { value, certain, packing: 2, half: halfArithmetic(exact, value, certain!, dtype, unpack) };
}

const elementsPerInvocation = ({ packing }: Wide) => 4 * vectors * packing;
export const wideGroups = (wide: Wide, n: number): number => Math.ceil(n / (elementsPerInvocation(wide) * groupSize));
/** One mark an invocation. */
export const markCount = (wide: Wide, n: number): number => wideGroups(wide, n) * groupSize;
const marksPerInvocation = 64;
export const repairGroups = (wide: Wide, n: number): number => Math.ceil(wideGroups(wide, n) / marksPerInvocation);

/** The kernel's entry point. `operands`: each operand's vec4 at an index. Memory blocks are whole vec4s, so the last one may be ragged. */
export function wideMain(wide: Wide, operands: readonly ((at: string) => string)[], count: string): string {
  const { value, certain, half, packing } = wide;
  const names = ['a', 'b', 'c'].slice(0, operands.length);
  const applied = ['x', 'y', 'z', 'w'].map((lane) => `apply(${names.map((name) => `${name}.${lane}`).join(', ')})`);
  const r = value === 'apply' ? `vec4<u32>(${applied.join(', ')})` : value;
  const words = packing === 2 ? `((${count} + 1u) >> 1u)` : count;
  let text = `${mainHead}
  let n4 = (${words} + 3u) >> 2u;
  var furthest = vec4<u32>();
  for (var round = 0u; round < ${rounds}u; round++) {
    let start = (i - lane) * ${vectors}u + round * ${unrolled * groupSize}u + lane;
`;
  for (let v = 0; v < unrolled; v++) {
    text += `    let at${v} = start + ${v * groupSize}u;\n    var d${v} = vec4<u32>();\n    if (at${v} < n4) {\n`;
    names.forEach((name, k) => {
      text += `      let ${half ? `words_${name}` : name} = ${operands[k](`at${v}`)};\n`;
    });
    if (half) text += `${half.step(`Out[at${v}]`, `d${v}`)}    }\n`;
    else {
      if (certain) text += `      let zeros = ${certain.zeros};\n`;
      text += `      let r = ${r};\n      Out[at${v}] = r;\n`;
      if (certain)
        text += `      d${v} = select((r & vec4<u32>(0x7fffffffu)) - vec4<u32>(${certain.from}), vec4<u32>(), zeros);\n`;
      text += '    }\n';
    }
  }
  if (certain) text += '    furthest = max(furthest, max(max(d0, d1), max(d2, d3)));\n';
  text += '  }\n';
  if (certain) text += `  Marks[i] = select(0u, 1u, any(furthest >= vec4<u32>(${half ? half.span : certain.span})));\n`;
  return `${text}}\n`;
}

/** The entry point of the repair kernel, over the scalar function `at`. */
export function repairMain(wide: Wide, count: string): string {
  const elements = elementsPerInvocation(wide);
  const word =
    wide.packing === 1
      ? 'if (word < n) { Out[word] = at(word); }'
      : `var w = 0u;
        for (var e = 2u * word; e < min(2u * word + 2u, n); e++) { w |= at(e) << ((e & 1u) << 4u); }
        if (2u * word < n) { Out[word] = w; }`;
  return `${mainHead}
  let n = ${count};
  let marks = (n + ${elements * groupSize - 1}u) / ${elements * groupSize}u * ${groupSize}u;
  for (var m = i; m < marks; m += nwg.x * nwg.y * ${groupSize}u) {
    // A loop that runs once or not at all: see f32_add.
    var marked = Marks[m] != 0u;
    while (marked) {
      for (var j = 0u; j < ${4 * vectors}u; j++) {
        let word = ((m - lane) * ${vectors}u + (j >> 2u) * ${groupSize}u + lane) * 4u + (j & 3u);
        ${word}
      }
      marked = false;
    }
  }
}
`;
}
