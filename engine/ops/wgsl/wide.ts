/**
 * The wide form of an elementwise kernel: an invocation makes sixteen vec4s of 32-bit elements, 64 vec4s apart, so that neighbours read
 * neighbouring memory and the work around the arithmetic (indices, the start of an invocation) is shared by 64 elements.
 *
 * Arithmetic is the adapter's own operation, whose result proves itself: where |r| lies in the range given below, it can't depend on
 * whether the adapter flushes subnormals or assumes infinities away. An invocation with any other result leaves a mark, and a second,
 * `repair` kernel does marked elements again by the exact way. (One kernel with both ways in it is four to eight times slower on SwiftShader,
 * even where the exact way is never taken.)
 */
import { groupSize, mainHead } from './kernel';
import { link } from './link';

/** Elements from which the wide form pays: below, the pipeline that every size shares is compiled already. */
export const wideMinimum = 2 ** 15;
const rounds = 4;
/** vec4s a round: written out, since a loop's variables cost as much as an addition on SwiftShader. */
const unrolled = 4;
const vectors = rounds * unrolled;

export interface Wide {
  /** Over vec4<u32> operands `a`, `b`, `c`; 'apply' for four calls of the kernel's own function. */
  readonly value: string;
  /** r is certain where (|r| - from) < span, on patterns, or where `zeros` holds; absent where every r is. */
  readonly certain?: { readonly zeros: string; readonly from: string; readonly span: string };
}

const float = (operator: string) => `bitcast<vec4<u32>>(bitcast<vec4<f32>>(a) ${operator} bitcast<vec4<f32>>(b))`;
const sign = 'vec4<u32>(0x80000000u)';

/**
 * Sums: |r| in [2^-100, 2^127). A subnormal operand, flushed or not, is below half an ulp of such a result; two normal operands that cancel
 * to a subnormal give a smaller one, infinity and NaN give none. A sum of two zeros is common and done on bits: -0 if both are.
 */
const sum = (value: string, zero: string): Wide => ({
  value: `select(${value}, ${zero}, zeros)`,
  certain: { zeros: '((a | b) << vec4<u32>(1u)) == vec4<u32>()', from: '0x0d800000u', span: '0x71800000u' },
});
/** Products: |r| in [2^-124, 2^127): a flushed operand would give zero. Zero times a finite number, common after a ReLU, is done on bits. */
const product: Wide = {
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

/** The wide form of an expression; null where it has none. */
export const wideForm = (code: string): Wide | null =>
  arithmetic[code] ?? (link(code).length <= shortText ? { value: 'apply' } : null);

export const wideGroups = (n: number): number => Math.ceil(n / (4 * vectors * groupSize));
/** One mark an invocation. */
export const markCount = (n: number): number => wideGroups(n) * groupSize;
const marksPerInvocation = 64;
export const repairGroups = (n: number): number => Math.ceil(wideGroups(n) / marksPerInvocation);

/** The kernel's entry point. `operands`: each operand's vec4 at an index. Memory blocks are whole vec4s, so the last one may be ragged. */
export function wideMain(
  { value, certain }: Wide,
  operands: readonly ((at: string) => string)[],
  count: string,
): string {
  const names = ['a', 'b', 'c'].slice(0, operands.length);
  const applied = ['x', 'y', 'z', 'w'].map((lane) => `apply(${names.map((name) => `${name}.${lane}`).join(', ')})`);
  const r = value === 'apply' ? `vec4<u32>(${applied.join(', ')})` : value;
  let text = `${mainHead}
  let n4 = (${count} + 3u) >> 2u;
  var furthest = vec4<u32>();
  for (var round = 0u; round < ${rounds}u; round++) {
    let start = (i - lane) * ${vectors}u + round * ${unrolled * groupSize}u + lane;
`;
  for (let v = 0; v < unrolled; v++) {
    text += `    let at${v} = start + ${v * groupSize}u;\n    var d${v} = vec4<u32>();\n    if (at${v} < n4) {\n`;
    names.forEach((name, k) => {
      text += `      let ${name} = ${operands[k](`at${v}`)};\n`;
    });
    if (certain) text += `      let zeros = ${certain.zeros};\n`;
    text += `      let r = ${r};\n      Out[at${v}] = r;\n`;
    if (certain)
      text += `      d${v} = select((r & vec4<u32>(0x7fffffffu)) - vec4<u32>(${certain.from}), vec4<u32>(), zeros);\n`;
    text += '    }\n';
  }
  if (certain) text += '    furthest = max(furthest, max(max(d0, d1), max(d2, d3)));\n';
  text += '  }\n';
  if (certain) text += `  Marks[i] = select(0u, 1u, any(furthest >= vec4<u32>(${certain.span})));\n`;
  return `${text}}\n`;
}

/** The entry point of the repair kernel, over the scalar function `at`. */
export const repairMain = (count: string): string => `${mainHead}
  let n = ${count};
  let marks = (n + ${4 * vectors * groupSize - 1}u) / ${4 * vectors * groupSize}u * ${groupSize}u;
  for (var m = i; m < marks; m += nwg.x * nwg.y * ${groupSize}u) {
    // A loop that runs once or not at all: see f32_add.
    var marked = Marks[m] != 0u;
    while (marked) {
      for (var j = 0u; j < ${4 * vectors}u; j++) {
        let index = ((m - lane) * ${vectors}u + (j >> 2u) * ${groupSize}u + lane) * 4u + (j & 3u);
        if (index < n) { Out[index] = at(index); }
      }
      marked = false;
    }
  }
}
`;
