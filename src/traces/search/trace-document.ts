import {
  addText,
  type DocumentTerms,
  facetTerm,
  INCOMPLETE,
  type IndexedDocument,
  type SegmentBuilder,
  START,
  WITH_ALL_WORDS,
} from '../../text-search/index.js';
import { floorDivide } from '../../rollups/index.js';
import { originTerms } from '../../requests/index.js';
import type { SpanFindings } from './span-findings.js';
import type { TraceTotals } from './spans-to-search.queries.js';
import type { TraceSummary } from './trace-digest.js';
import type { TraceSearchRow } from './search-rows.queries.js';

/**
 * The index of traces. A trace is a document. Its parts are its spans, and one more part for facts about the trace as a
 * whole. A facet is stored in the parts of the spans that have it.
 */
export const TRACES = 2;

/** The term of parts that are spans. */
export const SPAN = '#span';

/** The term of traces that have more facets than are kept. */
export const MORE_FACETS = '*facets';

/** Numbers of a trace by which traces are sorted or which are compared. Moments are in microseconds, rounded down. */
export const VALUES = {
  start: START,
  end: 'end',
  /** In nanoseconds; those of more than a hundred days are rounded. */
  duration: 'duration',
  cost: 'cost',
  tokens: 'tokens',
  inputTokens: 'input_tokens',
  outputTokens: 'output_tokens',
  spanCount: 'span_count',
  depth: 'depth',
  status: 'status',
  /** Decides between traces that are equal: see `tieOf`. */
  tie: 'tie',
} as const;

/** Alphabetically, as a text is sorted. */
const SORTED_STATUSES = ['ERROR', 'OK', 'UNSET'];

export const statusValue = (status: string): number => SORTED_STATUSES.indexOf(status);

export const microsOfNs = (ns: bigint): number => Number(floorDivide(ns, 1000n));

/**
 * The first 48 bits of an id, negated: where greater values come first, the smaller id comes first among equal traces.
 * Ids with the same beginning have the same value.
 */
export function tieOf(traceId: string): number {
  const bytes = Buffer.alloc(6);
  bytes.write(traceId);
  return -bytes.readUIntBE(0, 6);
}

type SearchedTexts = Pick<SpanFindings, 'input' | 'output' | 'answer'>;

/** Writes a trace into a segment, span by span. */
export class TraceDocument {
  private readonly ofSpans = new Set<string>();

  constructor(
    private readonly terms: Pick<SegmentBuilder, 'begin' | 'end'> & DocumentTerms,
    private readonly traceId: string,
  ) {
    terms.begin(traceId);
  }

  addSpan(name: string, { input, output, answer }: SearchedTexts, facets: readonly string[]): void {
    const { terms } = this;
    terms.nextPart();
    terms.addTerm(SPAN);
    for (const facet of facets) {
      this.ofSpans.add(facet);
      terms.addTerm(facetTerm(facet));
    }
    for (const text of [name, input, output, answer]) if (text !== null) addText(terms, text);
  }

  end({ summary, facets, facetsCut }: TraceSearchRow, totals: TraceTotals): void {
    const { terms } = this;
    terms.nextPart();
    for (const facet of facets) if (!this.ofSpans.has(facet)) terms.addTerm(facetTerm(facet));
    for (const term of originTerms(totals.origin)) terms.addTerm(term);
    if (facetsCut) for (const term of [MORE_FACETS, INCOMPLETE, WITH_ALL_WORDS]) terms.addTerm(term);
    terms.end(this.valuesOf(summary, totals));
  }

  private valuesOf({ depth, status }: TraceSummary, totals: TraceTotals): IndexedDocument['values'] {
    const { startNs, endNs, inputTokens, outputTokens } = totals;
    return {
      [VALUES.start]: microsOfNs(startNs),
      [VALUES.end]: endNs === null ? null : microsOfNs(endNs),
      [VALUES.duration]: endNs === null ? null : Math.max(0, Number(endNs - startNs)),
      [VALUES.cost]: totals.cost,
      [VALUES.tokens]: inputTokens + outputTokens,
      [VALUES.inputTokens]: inputTokens,
      [VALUES.outputTokens]: outputTokens,
      [VALUES.spanCount]: totals.spanCount,
      [VALUES.depth]: depth,
      [VALUES.status]: statusValue(status),
      [VALUES.tie]: tieOf(this.traceId),
    };
  }
}
