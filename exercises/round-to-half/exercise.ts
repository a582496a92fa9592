import fc from 'fast-check';
import { float16, float32, fromBits, toBits, ulpDistance } from '../../engine/formats/float-format';
import { numberText } from '../kit/compare';
import { type Call, type Check, defineExercise, type Finding, type Outcome } from '../kit/schema';
import { hex } from '../kit/values';

/** Fields of a pattern as Python would write them, so that the lanes of the input can be read: 0|10001110|111… */
function lanes(bits: number): string {
  const pattern = bits.toString(2).padStart(32, '0');
  return `sign ${pattern[0]}, exponent ${pattern.slice(1, 9)}, significand ${pattern.slice(9)}`;
}

const roundCall = (bits: number): Call => ({
  function: 'round_to_half',
  arguments: [{ kind: 'number', type: 'int', value: bits }],
  shown: `round_to_half(0x${hex(bits, 'float32')})  # ${fromBits(bits, float32)}: ${lanes(bits)}`,
});

const isNaN16 = (bits: number): boolean => (bits & 0x7fff) > 0x7c00;

/** Exact: the nearest value is one, and ties are decided. NaN may have any sign and payload, as IEEE 754 leaves both open. */
function judgeBits(bits: number, outcome: Outcome): Finding | null {
  const call = roundCall(bits).shown as string;
  if (outcome.kind === 'raised') {
    return {
      message: `It raised ${outcome.type}: ${outcome.message}`,
      line: outcome.line,
      counterexample: { call },
    };
  }
  const { value } = outcome;
  if (value.kind !== 'number' || value.type !== 'int') {
    const what = value.kind === 'none' ? 'None: is there a return?' : value.kind === 'number' ? value.type : value.kind;
    return { message: `It should return an int, but returned ${what}`, counterexample: { call } };
  }
  const got = Number(value.value);
  if (got < 0 || got > 0xffff) {
    return {
      message: `It returned ${value.value}, which is not a pattern of 16 bits: a field ran over, or went negative.`,
      counterexample: { call },
    };
  }
  const exact = fromBits(bits, float32);
  const expected = toBits(exact, float16);
  if (Number.isNaN(exact) ? isNaN16(got) : got === expected) return null;
  const shown = (pattern: number) => ({
    text: numberText(fromBits(pattern, float16)),
    bits: hex(pattern, 'float16'),
    dtype: 'float16' as const,
  });
  return {
    message: Number.isNaN(exact) ? 'A NaN came in and a number went out.' : 'This is not the nearest float16.',
    counterexample: {
      call,
      expected: shown(expected),
      got: shown(got),
      ...(Number.isFinite(exact) && Math.abs(exact) < 65520 && (got & 0x7c00) !== 0x7c00
        ? { ulps: ulpDistance(fromBits(expected, float16), fromBits(got, float16), float16) }
        : {}),
    },
  };
}

const SIGN = 0x80000000;
const float32Bits = (x: number): number => toBits(x, float32);
/** Both signs of each magnitude. */
const bothSigns = (magnitudes: readonly number[]): number[] => magnitudes.flatMap((b) => [b, b + SIGN]);
const withSign = (magnitude: fc.Arbitrary<number>): fc.Arbitrary<number> =>
  fc.tuple(magnitude, fc.boolean()).map(([b, negative]) => (negative ? b + SIGN : b));

/** A finite float16 pattern and the one above it: their midpoint is a float32, since 24 bits hold 11 and one more. */
const midpoint = (pattern: number): number =>
  // The successor of the largest finite value counts as 2^16: that is where rounding to infinity is decided.
  float32Bits((fromBits(pattern, float16) + (pattern === 0x7bff ? 65536 : fromBits(pattern + 1, float16))) / 2);

/**
 * Midpoints of every class within float16 exponent fields `from` to `to`: below an even and an odd neighbour, and below a power of two, where
 * rounding up carries into the exponent; each with the float32 just below and just above it.
 */
function midpointClasses(from: number, to: number): number[] {
  const found: number[] = [];
  for (let field = from; field <= to; field++) {
    for (const significand of [0, 1, 512, 1022, 1023]) {
      const at = midpoint((field << 10) | significand);
      found.push(at, at - 1, at + 1);
    }
  }
  return found;
}

const judged = (
  id: string,
  task: string,
  title: string,
  rule: string,
  inputs: fc.Arbitrary<number>,
  examples: readonly number[],
  runs = 40,
): Check => ({
  id,
  task,
  title,
  rule,
  run: ({ forAll }) => forAll({ inputs, examples, runs, call: roundCall, judge: judgeBits }),
});

const nearestRule =
  'IEEE 754, roundTiesToEven: the float16 nearest to the value; of two equally near ones, the one whose last significand bit is 0. One result is legal.';

const SMALLEST_NORMAL = float32Bits(2 ** -14);
const HALF_OF_SMALLEST_SUBNORMAL = float32Bits(2 ** -25);
const OVERFLOW = float32Bits(65520);
const INFINITY = 0x7f800000;

/** One probe for each thing that can go wrong, so that no two mistakes give the same list. */
const PROBES = [
  0x3f800000,
  0x3eaaaaab,
  0x3f801000, // halfway above 1: to the even one, down
  0x3f803000, // halfway above 1 + 2^-10: up
  0x3ffff000, // the last midpoint below 2: up, with a carry
  0x477fe001, // just above 65504
  0x477ff000,
  0x49742400, // 1e6
  0x33000001,
  0x387fc001, // below 2^-14
  0x38005fff, // just below the midpoint above an odd subnormal: rounding to 11 bits first makes it a tie
  0x80000001,
  0x7f800000,
  0x7f800001,
  0x7fc00000,
];

export default defineExercise({
  title: 'Round to float16 by hand',
  summary: 'From the bits of a float32 to the bits of the nearest float16, with integers only.',
  kind: 'implement',
  minutes: 25,
  level: 'hard',
  prerequisites: ['range-versus-precision'],
  teaches: ['round to nearest even', 'subnormals', 'where float16 overflows'],
  version: 1,
  functions: ['round_to_half'],
  tasks: [
    { id: 'normal', title: 'Normal numbers' },
    { id: 'edges', title: 'Both ends of the range' },
    { id: 'specials', title: 'Zeros, infinities, NaN' },
  ],
  hints: [
    'Take a value between 1 and 2 first. How many significand bits are dropped, and what does the dropped part have to be compared with?',
    'Put the implicit 1 back in front of the significand before you shift. Then rounding up may turn 0b11111111111 into 0b100000000000: add the exponent so that this carry does the right thing by itself.',
    'A subnormal float16 is an integer times 2^-24. How far do you have to shift the 24-bit significand, given its exponent, so that its last kept bit weighs 2^-24?',
    'Do not test for overflow before rounding: round first, and look whether the result has reached the pattern of infinity.',
    'A NaN may carry its only 1 among the bits that you drop.',
  ],
  checks: [
    judged(
      'exact',
      'normal',
      'A value that float16 has stays what it is',
      nearestRule,
      withSign(fc.integer({ min: 0x0400, max: 0x7bff }).map((p) => float32Bits(fromBits(p, float16)))),
      [float32Bits(1), float32Bits(-2), float32Bits(65504), SMALLEST_NORMAL],
    ),
    judged(
      'nearest',
      'normal',
      'Between two neighbours, the nearer one',
      nearestRule,
      withSign(
        fc
          .tuple(
            fc.integer({ min: 113, max: 141 }),
            fc.integer({ min: 0, max: 1022 }),
            fc.integer({ min: 1, max: 8191 }),
          )
          .filter(([, , rest]) => rest !== 4096)
          .map(([exponent, kept, rest]) => exponent * 2 ** 23 + kept * 8192 + rest),
      ),
      [0x3eaaaaab, 0x3f801001, 0x3f800fff],
    ),
    judged(
      'ties',
      'normal',
      'Exactly halfway, the even one',
      nearestRule,
      withSign(
        fc
          .tuple(fc.integer({ min: 113, max: 141 }), fc.integer({ min: 0, max: 1022 }))
          .map(([exponent, kept]) => exponent * 2 ** 23 + kept * 8192 + 4096),
      ),
      [0x3f801000, 0x3f803000, 0xbf801000],
    ),
    judged(
      'carry',
      'normal',
      'Rounding up to the next power of two carries into the exponent',
      nearestRule,
      withSign(
        fc
          .tuple(fc.integer({ min: 113, max: 141 }), fc.integer({ min: 4096, max: 8191 }))
          .map(([exponent, rest]) => exponent * 2 ** 23 + 1023 * 8192 + rest),
      ),
      [0x3ffff000, 0x3fffffff],
      16,
    ),
    judged(
      'midpoints',
      'normal',
      'Every class of midpoint, at every exponent, and both of its sides',
      nearestRule,
      withSign(
        fc
          .tuple(fc.integer({ min: 0x0400, max: 0x7bfe }), fc.integer({ min: -1, max: 1 }))
          .map(([p, side]) => midpoint(p) + side),
      ),
      bothSigns(midpointClasses(1, 29)),
    ),
    judged(
      'overflow',
      'edges',
      'Infinity from 65520 on, and not before',
      `${nearestRule} The largest float16 is 65504; its successor would be 65536. Halfway, 65520, the even one is 65536: infinity.`,
      withSign(
        fc.oneof(
          fc.integer({ min: OVERFLOW - 9000, max: OVERFLOW + 9000 }),
          fc.integer({ min: OVERFLOW, max: INFINITY - 1 }),
        ),
      ),
      bothSigns([0x477fe000, 0x477fe001, OVERFLOW - 1, OVERFLOW, OVERFLOW + 1, 0x47800000, 0x49742400, INFINITY - 1]),
    ),
    judged(
      'subnormals',
      'edges',
      'Below 2^-14, the nearest multiple of 2^-24',
      `${nearestRule} It is rounded once: rounding to 11 bits first, and then to a multiple of 2^-24, is not the same.`,
      withSign(
        fc.oneof(
          fc.integer({ min: HALF_OF_SMALLEST_SUBNORMAL, max: SMALLEST_NORMAL - 1 }),
          fc
            .tuple(fc.integer({ min: 0, max: 0x3ff }), fc.integer({ min: -1, max: 1 }))
            .map(([p, side]) => midpoint(p) + side),
        ),
      ),
      bothSigns([
        ...midpointClasses(0, 0),
        ...[1, 2, 3, 1023].map((p) => float32Bits(fromBits(p, float16))),
        SMALLEST_NORMAL - 1,
        0x38005fff,
      ]),
    ),
    judged(
      'tiny',
      'edges',
      'Up to 2^-25 it is zero, with its sign',
      `${nearestRule} 2^-25 is halfway between 0 and the smallest subnormal, and 0 is even.`,
      withSign(fc.integer({ min: 0, max: HALF_OF_SMALLEST_SUBNORMAL })),
      bothSigns([0, 1, 0x007fffff, 0x00800000, HALF_OF_SMALLEST_SUBNORMAL - 1, HALF_OF_SMALLEST_SUBNORMAL]),
      24,
    ),
    judged(
      'infinities',
      'specials',
      'Infinities stay',
      'Infinity has all exponent bits set and no significand bit.',
      withSign(fc.constant(INFINITY)),
      bothSigns([INFINITY]),
      2,
    ),
    judged(
      'nan',
      'specials',
      'A NaN stays a NaN',
      'All exponent bits set and any significand bit: that must hold after rounding too. Sign and payload are left open by IEEE 754.',
      withSign(fc.integer({ min: INFINITY + 1, max: 0x7fffffff })),
      bothSigns([0x7fc00000, INFINITY + 1, INFINITY + 0x1fff, INFINITY + 0x2000, 0x7fffffff]),
      24,
    ),
    judged(
      'any',
      'specials',
      'Any float32 at all',
      nearestRule,
      // nat(2^32 - 1) is spread evenly over patterns, so over exponents
      fc.oneof(fc.nat(0xffffffff), withSign(fc.integer({ min: 0x33000000, max: 0x477fffff }))),
      [],
      150,
    ),
  ],
  forbidden: {
    ops: [],
    names: [
      'torch',
      'struct',
      'numpy',
      'float',
      'math',
      'array',
      'ctypes',
      'memoryview',
      'decimal',
      'fractions',
      'eval',
      'exec',
      '__import__',
      'importlib',
    ],
    message: 'The point is to do it with integers: shifts, masks, comparisons, additions.',
  },
  mistakes: {
    truncates: {
      fails: 'nearest',
      message:
        'Your bits are those of truncation: the 13 low bits are cut off. That is round toward zero, with up to a whole ulp of error instead of half of one, and every error in the same direction.',
    },
    ties_away_from_zero: {
      fails: 'ties',
      message:
        'Your bits are those of rounding halves up. Ties go to the even neighbour, so that the errors of many roundings do not all pull the same way.',
    },
    ties_toward_zero: {
      fails: 'ties',
      message:
        'Your bits are those of rounding halves down. Ties go to the even neighbour: up from an odd last bit, down from an even one.',
    },
    carry_lost: {
      fails: 'carry',
      message:
        'Your bits are those of a lost carry: when all kept bits are 1 and it rounds up, the significand becomes 0 and the exponent has to grow. Adding the rounded significand to the exponent field, instead of masking and or-ing it, does that by itself.',
    },
    overflows_above_65504: {
      fails: 'overflow',
      message:
        'Your bits are those of infinity for everything above 65504. Up to (not including) 65520, 65504 is the nearest: infinity begins where rounding reaches 65536.',
    },
    saturates: {
      fails: 'overflow',
      message:
        'Your bits are those of a conversion that saturates at 65504. float16 has an infinity and IEEE rounding uses it; the 8-bit format e4m3fn is the one that saturates.',
    },
    flushes_subnormals: {
      fails: 'subnormals',
      message:
        'Your bits are those of flushing everything below 2^-14 to zero. float16 goes on to 2^-24 with subnormals, and half of the gradients that people lose sleep over are in there.',
    },
    rounds_twice: {
      fails: 'subnormals',
      message:
        'Your bits are those of rounding twice: first to 11 bits, then to a multiple of 2^-24. The first rounding can land on a midpoint of the second, and the tie then goes the wrong way. Shift once, by the whole distance.',
    },
    tiny_loses_its_sign: {
      fails: 'tiny',
      message:
        'Your bits are those of a positive zero for every tiny value. -0 is a different pattern: 1 / -0 is -inf, and the sign of a vanished gradient is kept.',
    },
    nan_becomes_inf: {
      fails: 'nan',
      message:
        'Your bits are those of infinity for every NaN: all exponent bits set means infinity only if the significand is 0.',
    },
    nan_payload_shifted_out: {
      fails: 'nan',
      message:
        'Your bits are those of shifting the significand of a NaN: where its only 1 is among the 13 dropped bits, infinity is left. Set a bit that you keep.',
    },
    uses_struct: { fails: 'own-work', message: 'Your function lets struct do the rounding.' },
  },
  probes: PROBES.map(roundCall),
  stages: [
    {
      title: 'Take the float apart, and let the specials go',
      why: 'All exponent bits set means infinity or NaN, and needs no rounding. Below 2^-25 everything is nearer to 0 than to the smallest subnormal. Both leave early, with their sign.',
      code: `    sign = (bits >> 16) & 0x8000
    exponent = (bits >> 23) & 0xFF
    fraction = bits & 0x7FFFFF
    if exponent == 0xFF:
        return sign | (0x7E00 if fraction else 0x7C00)
    if exponent < 102:  # below 2**-25, half of the smallest subnormal
        return sign`,
    },
    {
      title: 'How many bits go',
      why: 'With the implicit 1 in place, a normal result keeps 11 bits of 24. A subnormal result is a multiple of 2^-24, so the smaller the value, the more bits go: one shift for both, hence one rounding.',
      code: `    significand = fraction | 0x800000
    # Normal results keep 11 of 24 bits. Below 2**-14 (exponent 113) the last kept bit weighs 2**-24 whatever the exponent.
    dropped = 13 if exponent >= 113 else 126 - exponent`,
    },
    {
      title: 'Round once, to nearest, ties to even',
      why: 'Compare what is dropped with the middle. Exactly in the middle, the last kept bit decides: up from an odd one, not from an even one.',
      code: `    kept = significand >> dropped
    rest = significand & ((1 << dropped) - 1)
    middle = 1 << (dropped - 1)
    if rest > middle or (rest == middle and kept & 1):
        kept += 1`,
    },
    {
      title: 'Put it together by adding',
      why: 'Patterns of floats are ordered like integers, so a carry out of the significand is the next exponent, and a carry out of the largest finite value is infinity. Adding does what masking and or-ing would lose.',
      code: `    # kept holds the implicit 1, which adds one to the exponent field; a carry out of the significand adds another.
    base = (exponent - 113) << 10 if exponent >= 113 else 0
    return sign | min(base + kept, 0x7C00)`,
    },
  ],
  followUps: [
    {
      question: 'What changes for bfloat16?',
      answer:
        'Only the number of dropped bits: it has float32’s exponent, so 16 low bits are rounded away and the carry does the rest. (bits + 0x7fff + ((bits >> 16) & 1)) >> 16, with NaN treated apart. Subnormals and overflow need no code of their own.',
    },
    {
      question: 'torch.tensor(65519.9999999999).half() starts from a Python float. What is it?',
      answer:
        'inf. The double is rounded to float32 first, which is 65520 exactly, and that rounds to infinity. Rounding once, from the double, would have given 65504: double rounding in the wild.',
    },
    {
      question: 'What would stochastic rounding do differently?',
      answer:
        'Instead of comparing the dropped bits with the middle, add 13 random bits to them and keep the carry: it rounds up with a probability equal to the fraction. The expectation is then exact, which lets small updates move a low-precision weight on average.',
    },
  ],
});
