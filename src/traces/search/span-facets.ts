import { SPAN_STATUSES, type SpanStatus } from '../../trace-conventions/index.js';
import { sizeOf } from './magnitude.js';
import type { SpanFindings } from './span-findings.js';
import { KIND_NAMES, type SearchedSpan } from './spans-to-search.queries.js';
import { facet, type FacetKind, type Measure } from './trace-facets.js';

export const STATUS_NAMES = Object.fromEntries(
  Object.entries(SPAN_STATUSES).map(([name, code]) => [code, name]),
) as Record<SpanStatus, string>;

/** The exact values of a span that are worth an index over all spans: those that many spans share. */
export function spanFacetsOf(workspaceId: number, span: SearchedSpan, { toolName, workflow }: SpanFindings): string[] {
  const { promptId, promptVersionNumber: version } = span;
  const values: [FacetKind, string | null][] = [
    ['name', span.name],
    ['type', span.spanType],
    ['kind', KIND_NAMES[span.kind]],
    ['status', STATUS_NAMES[span.status]],
    ['model', span.model],
    ['provider', span.provider],
    ['tool', toolName],
    ['prompt', promptId === null ? null : String(promptId)],
    ['prompt-version', promptId === null || version === null ? null : `${promptId}:${version}`],
    ...measuresOf(span).map(([measure, value]): [FacetKind, string] => [measure, String(sizeOf(value))]),
    ['workflow', workflow && workflow.id],
    ['workflow-version', workflow?.version ? `${workflow.id}:${workflow.version}` : null],
  ];
  return values.flatMap(([kind, value]) => (value === null ? [] : [facet(workspaceId, kind, value)]));
}

/** Milliseconds, tokens and US dollars, as far as they are known. */
function measuresOf({ startNs, endNs, inputTokens, outputTokens, cost }: SearchedSpan): [Measure, number][] {
  const measures: [Measure, number][] = [];
  if (endNs !== null) measures.push(['duration', Math.max(0, Number(endNs - startNs) / 1e6)]);
  if (inputTokens !== null || outputTokens !== null)
    measures.push(['tokens', (inputTokens ?? 0) + (outputTokens ?? 0)]);
  if (cost !== null) measures.push(['cost', cost]);
  return measures;
}
