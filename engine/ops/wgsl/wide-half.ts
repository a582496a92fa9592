/**
 * The arithmetic of a wide kernel over 16-bit elements, two to a word: widened exactly, one float32 operation, rounded to nearest even by
 * integer code. Eight elements at a time: first the low halves of four words, then the high ones.
 */
import type { DType } from '../../formats/dtype';
import './convert';
import type { Certain } from './wide';

export interface HalfArithmetic {
  /** From the vec4s `words_a` and `words_b` to `out`; how far the results lie in the certain range goes to `distance`. */
  step(out: string, distance: string): string;
  /** Reads by unpack2x16float. */
  readonly unpacks: boolean;
  /** Results are certain where the distance is below. */
  readonly span: string;
}

const v = (word: string) => `vec4<u32>(${word})`;

/** `code`: f32_add, f32_sub or f32_mul of (a, b). `value`, `certain`: its float32 form. `unpack`: unpack2x16float is exact here. */
export const halfArithmetic = (
  code: string,
  value: string,
  certain: Certain,
  dtype: DType,
  unpack: boolean,
): HalfArithmetic => (dtype === 'bfloat16' ? brain(value, certain) : half(code, unpack));

/** bfloat16 is the upper half of a float32, so what makes the float32 result certain is all there is to know. */
function brain(value: string, certain: Certain): HalfArithmetic {
  const part = (widen: (words: string) => string, rest: string) => `      {
        let a = ${widen('words_a')};
        let b = ${widen('words_b')};
        let zeros = ${certain.zeros};
        let r = ${value};
        let rounded = r + ${v('0x7fffu')} + ((r >> ${v('16u')}) & ${v('1u')});
        ${rest}
      }
`;
  const distance = `select((r & ${v('0x7fffffffu')}) - ${v(certain.from)}, vec4<u32>(), zeros)`;
  return {
    unpacks: false,
    span: certain.span,
    step: (out, to) =>
      `      var packed = vec4<u32>();
${part((words) => `${words} << ${v('16u')}`, `packed = rounded >> ${v('16u')};\n        ${to} = ${distance};`)}` +
      part(
        (words) => `${words} & ${v('0xffff0000u')}`,
        `packed |= rounded & ${v('0xffff0000u')};\n        ${to} = max(${to}, ${distance});`,
      ) +
      `      ${out} = packed;\n`,
  };
}

/**
 * Two finite float16 values: their sum is a multiple of 2^-24 below 2^17, their product one of 2^-48 below 2^32, so no float32 subnormal and
 * no overflow takes part. Infinities and NaN have an exponent of all ones: adding one to it carries into the sign's place.
 */
function half(code: string, unpack: boolean): HalfArithmetic {
  const product = code.startsWith('f32_mul');
  const operands = product
    ? [`words_a & ${v('0x7fff7fffu')}`, `words_b & ${v('0x7fff7fffu')}`]
    : ['words_a', code.startsWith('f32_sub') ? `words_b ^ ${v('0x80008000u')}` : 'words_b'];
  // Which four of the eight: two words in full, or one half of each word.
  const four = unpack
    ? (words: string, k: number) =>
        `vec4<f32>(${['xy', 'zw'][k].replace(/./g, (lane) => `unpack2x16float(${words}.${lane}), `).slice(0, -2)})`
    : (words: string, k: number) => `f16x4_to_f32(${k === 0 ? words : `${words} >> ${v('16u')}`})`;
  const result = (k: number) =>
    product
      ? `      let r${k} = f16x4_from_sum(bitcast<vec4<u32>>(${four('operand_a', k)} * ${four('operand_b', k)}));\n`
      : `      let a${k} = ${four('operand_a', k)};
      let b${k} = ${four('operand_b', k)};
      let s${k} = bitcast<vec4<u32>>(a${k} + b${k});
      // A sum of zero is -0 only if both operands are.
      let r${k} = f16x4_from_sum(select(s${k}, bitcast<vec4<u32>>(a${k}) & bitcast<vec4<u32>>(b${k}) & ${v('0x80000000u')}, (s${k} << ${v('1u')}) == vec4<u32>()));
`;
  const packed = unpack
    ? `vec4<u32>(r0.xz, r1.xz) | (vec4<u32>(r0.yw, r1.yw) << ${v('16u')})`
    : `r0 | (r1 << ${v('16u')})`;
  const sign = product ? ` | ((words_a ^ words_b) & ${v('0x80008000u')})` : '';
  const carried = (words: string) => `((${words} & ${v('0x7c007c00u')}) + ${v('0x04000400u')})`;
  return {
    unpacks: unpack,
    span: '1u',
    step: (out, to) => `      let operand_a = ${operands[0]};
      let operand_b = ${operands[1]};
${result(0)}${result(1)}      ${out} = ${packed}${sign};
      ${to} = (${carried('words_a')} | ${carried('words_b')}) & ${v('0x80008000u')};
`,
  };
}
