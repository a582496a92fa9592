import { type EvidenceRequest, type Interview, PROBE } from '@/content/interviews/kit/schema';

/** A request as people say it: "Finite check at a module: fields, step 12". */
export function describeRequest(interview: Interview, { evidence, parameters }: EvidenceRequest): string {
  if (evidence === PROBE) return `A probe of your own: ${firstLine(parameters.code ?? '')}`;
  const entry = interview.evidence.find((e) => e.id === evidence);
  if (!entry) return evidence;
  const chosen = entry.parameters.map((p) => {
    const value = parameters[p.name] ?? '';
    if (p.kind === 'step') return `step ${value}`;
    return p.options.find((o) => o.id === value)?.title ?? value;
  });
  return chosen.length === 0 ? entry.title : `${entry.title}: ${chosen.join(', ')}`;
}

function firstLine(code: string): string {
  const line = code.split('\n').find((l) => l.trim() !== '' && !/^\s*(#|import\b|from\b)/.test(l)) ?? '';
  return line.length > 40 ? `${line.trim().slice(0, 40)}…` : line.trim();
}
