/** The report as Markdown, for export. */
import type { InterviewEvent, InterviewState } from './machine';
import type { EvidenceRequest, Interview } from './schema';
import { DIMENSION_NAMES, evidenceReport, percent, type Score } from './score';
import { expertPath, timeline } from './timeline';

const clock = (milliseconds: number): string => {
  const s = Math.floor(milliseconds / 1000);
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
};

export function reportMarkdown(
  interview: Interview,
  state: InterviewState,
  events: readonly InterviewEvent[],
  made: Score,
  describe: (request: EvidenceRequest) => string,
): string {
  const lines: string[] = [
    `# ${interview.title}: ${made.verdict}`,
    '',
    `${state.format} minutes, ${state.mode}, seed ${state.seed}, ${new Date(state.beganAt).toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
    '',
    ...made.held.map((h) => `- ${h}`),
  ];
  for (const d of made.dimensions) {
    lines.push('', `## ${DIMENSION_NAMES[d.dimension]}${d.score === null ? '' : `: ${percent(d.score)}`}`, '');
    for (const p of d.parts) {
      lines.push(
        `- **${p.title}**${p.selfAssessed ? ' (self-assessed, not in the verdict)' : ''}: ${percent(p.earned)}. ${p.because}`,
      );
    }
  }
  lines.push('', '## Evidence', '');
  for (const g of evidenceReport(interview, state)) lines.push(`- ${g.question}: ${g.says} (${g.standing})`);
  lines.push('', '## Timeline', '');
  for (const m of timeline(interview, events)) {
    const what = m.request
      ? `asked: ${describe(m.request)} (${m.cost} min${m.relevant ? '' : ', bears on nothing that was asked'})`
      : `${m.kind}: ${m.text}`;
    lines.push(`- ${clock(m.at)} ${what}`);
  }
  lines.push('', '## An expert’s path', '');
  for (const e of expertPath(interview, state.opening?.facts ?? {})) lines.push(`- ${describe(e.request)}: ${e.why}`);
  if (made.misconceptions.length > 0) {
    lines.push('', '## Misconceptions', '');
    for (const m of made.misconceptions)
      lines.push(`- **${m.title}** (${m.where}): ${m.text} Read: lesson ${m.lesson}.`);
  }
  for (const q of interview.questions) {
    const last = state.questions[q.id]?.answers.at(-1);
    if (last?.kind === 'fix') lines.push('', '## The code', '', '```python', last.graded.code.trimEnd(), '```');
    if (last?.kind === 'explain') lines.push('', `## ${q.title}`, '', last.text);
  }
  return `${lines.join('\n')}\n`;
}
