/** Limits of a run, and the words that a learner reads when one is reached. */

/** Milliseconds of wall time. */
export const TIME_LIMIT = 30_000;
/** Characters of output. */
export const OUTPUT_LIMIT = 200_000;
/** Characters of an error's text where output is limited: more than any readable traceback has. */
const ERROR_LIMIT = 20_000;

export function timeReason(timeLimit: number): string {
  return `Stopped: the run took longer than ${timeLimit / 1000} seconds. Look for a loop that never ends, or do fewer steps.`;
}

/** `cut`: characters beyond the limit that Python had already written, where known. */
export function outputReason(outputLimit: number, cut?: number): string {
  const more = cut ? `; ${cut.toLocaleString('en')} more were cut` : '; the rest was cut';
  return `Stopped: the output passed ${outputLimit.toLocaleString('en')} characters${more}. Print less, for example every 100th step.`;
}

/** An error's text, without its middle where it is too long to be shown: it begins with where and ends with what. */
export function shortened(text: string): string {
  if (text.length <= ERROR_LIMIT) return text;
  const kept = ERROR_LIMIT / 2;
  const left = (text.length - 2 * kept).toLocaleString('en');
  return `${text.slice(0, kept)}\n[${left} characters are not shown]\n${text.slice(-kept)}`;
}
