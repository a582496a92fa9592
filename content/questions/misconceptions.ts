/**
 * The misconceptions that wrong answers stand for. Each is a sentence that somebody believes; generators say what it leads to, and the record of
 * what a learner has met is kept under these ids, so an id is never renamed.
 */

export interface Misconception {
  /** The belief, as its holder would say it. */
  readonly belief: string;
  /** Slug of the lesson that mends it. */
  readonly lesson: string;
}

export const misconceptions = {
  // Rounding
  'sums-are-exact': {
    belief: 'The sum of two representable numbers is representable.',
    lesson: 'range-versus-precision',
  },
  'rounding-cuts-off': {
    belief: 'Bits that do not fit are cut off.',
    lesson: 'range-versus-precision',
  },
  'ties-go-up': {
    belief: 'Halfway cases round up, as at school.',
    lesson: 'range-versus-precision',
  },
  'small-addend-vanishes': {
    belief: 'Once a number is large, adding something small does nothing.',
    lesson: 'range-versus-precision',
  },
  'implicit-bit-forgotten': {
    belief: 'A format has as many significant bits as it stores.',
    lesson: 'range-versus-precision',
  },
  'formats-swapped': {
    belief: 'float16 and bfloat16 are interchangeable 16-bit floats.',
    lesson: 'range-versus-precision',
  },
  'accumulates-wide': {
    belief: 'A loop of additions rounds once, at the end.',
    lesson: 'range-versus-precision',
  },
  // Range
  saturates: {
    belief: 'What is too large is stored as the largest value.',
    lesson: 'three-failures',
  },
  'no-subnormals': {
    belief: 'Everything below the smallest normal number is zero.',
    lesson: 'range-versus-precision',
  },
  'never-zero': {
    belief: 'A nonzero result is never rounded to zero.',
    lesson: 'three-failures',
  },
  'clamps-to-normal': {
    belief: 'What is too small is stored as the smallest normal number.',
    lesson: 'range-versus-precision',
  },
  'small-is-precise': {
    belief: 'Subnormal numbers are as precise as all others.',
    lesson: 'range-versus-precision',
  },
  'infinities-cancel': {
    belief: 'inf / inf is 1.',
    lesson: 'stable-softmax',
  },
  'infinity-stays-infinity': {
    belief: 'Once there is an inf, the result is inf.',
    lesson: 'stable-softmax',
  },
  'nan-everywhere': {
    belief: 'One NaN and everything is NaN.',
    lesson: 'stable-softmax',
  },
  'failed-rows-even-out': {
    belief: 'A softmax row that fails falls back to equal probabilities.',
    lesson: 'stable-softmax',
  },
  'softmax-is-stable': {
    belief: 'Softmax is stable, however it is written.',
    lesson: 'stable-softmax',
  },
  // Loss scaling
  'scale-repairs-afterwards': {
    belief: 'The scale is applied to the gradient once it is there.',
    lesson: 'three-failures',
  },
  'unscale-restores': {
    belief: 'Dividing by the scale gives back exactly the true gradient.',
    lesson: 'three-failures',
  },
  'scaling-overflows': {
    belief: 'A scale of thousands overflows float16.',
    lesson: 'three-failures',
  },
  'optimizer-gets-scaled': {
    belief: 'The optimizer works with scaled gradients.',
    lesson: 'three-failures',
  },
  'clean-steps-add-up': {
    belief: 'Clean steps are counted over the whole run; a skip does not reset the count.',
    lesson: 'gradscaler-ordering',
  },
  'grows-one-later': {
    belief: 'The scale grows after more than growth_interval clean steps.',
    lesson: 'gradscaler-ordering',
  },
  'skip-keeps-scale': {
    belief: 'A skipped step skips the update of the scale too.',
    lesson: 'gradscaler-ordering',
  },
  'scale-never-grows': {
    belief: 'The scale only ever falls.',
    lesson: 'gradscaler-ordering',
  },
  'order-is-style': {
    belief: 'Clipping and unscaling may change places.',
    lesson: 'gradscaler-ordering',
  },
  'threshold-is-scaled': {
    belief: 'The clipping threshold is scaled along with the gradients.',
    lesson: 'gradscaler-ordering',
  },
  'clips-each-value': {
    belief: 'clip_grad_norm_ limits each element.',
    lesson: 'gradscaler-ordering',
  },
  'clip-sets-norm': {
    belief: 'clip_grad_norm_ gives every gradient the norm max_norm.',
    lesson: 'gradscaler-ordering',
  },
  'backward-unscales': {
    belief: 'backward already leaves true gradients.',
    lesson: 'gradscaler-ordering',
  },
  // dtypes
  'autocast-casts-all': {
    belief: 'Inside autocast everything is 16-bit.',
    lesson: 'three-failures',
  },
  'autocast-keeps-dtypes': {
    belief: 'Autocast changes how an op computes, not what it returns.',
    lesson: 'three-failures',
  },
  'only-matmul-is-lowered': {
    belief: 'Matrix products run in 16 bits, everything else in float32.',
    lesson: 'three-failures',
  },
  'policy-reversed': {
    belief: 'Matrix products are protected, elementwise ops are lowered.',
    lesson: 'three-failures',
  },
  'widest-wins': {
    belief: 'The widest dtype wins, even a 0-dim tensor or a Python number.',
    lesson: 'range-versus-precision',
  },
  'first-operand-wins': {
    belief: 'The first operand decides the dtype.',
    lesson: 'range-versus-precision',
  },
  'second-operand-wins': {
    belief: 'The second operand decides the dtype.',
    lesson: 'range-versus-precision',
  },
  'mixing-gives-default': {
    belief: 'Whatever is mixed becomes the default dtype, float32.',
    lesson: 'range-versus-precision',
  },
  'widens-until-exact': {
    belief: 'Promotion widens until the result is exact.',
    lesson: 'range-versus-precision',
  },
  'numbers-are-float64': {
    belief: 'A Python float is a double, so the result is a double.',
    lesson: 'range-versus-precision',
  },
} as const satisfies Readonly<Record<string, Misconception>>;

export type MisconceptionId = keyof typeof misconceptions;
