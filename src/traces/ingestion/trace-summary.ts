import type { TraceKey } from './incoming-span.js';
import { SPAN_STATUSES } from '../span.js';
import { type IncomingSpan, LOG_LINKS } from './incoming-span.js';
import type { LogPlan } from './log-plan.js';

/** What spans add to the summary of their trace. */
export interface TraceSummary extends TraceKey {
  spanCount: number;
  errorCount: number;
  inputTokens: number;
  outputTokens: number;
  /** US dollars, one per span that has a cost. */
  costs: number[];
  /** Calls of a model without a known price. */
  unpricedCount: number;
  startNs: bigint;
  endNs: bigint | null;
  /** The earliest span without a parent. */
  root: Root | null;
}

interface Root {
  startNs: bigint;
  spanId: string;
  name: string;
}

/**
 * Sums spans up, trace by trace, by the rules that `rollups.queries.ts` has for stored ones. Agent and chain spans repeat the
 * usage of their children: only spans with a request log count, and of those that share one only the span it was reported for.
 */
export class TraceSummaries {
  private readonly byKey = new Map<string, TraceSummary>();

  /** What several have summed up. */
  static of(parts: TraceSummaries[]): TraceSummaries {
    if (parts.length === 1) return parts[0]!;
    const all = new TraceSummaries();
    for (const part of parts) all.merge(part);
    return all;
  }

  get list(): TraceSummary[] {
    return [...this.byKey.values()];
  }

  /** @param hasLog whether the span has a request log, its own or one that was there */
  add({ traceKey, workspaceId, span, facts, cost }: IncomingSpan, { logLink }: LogPlan, hasLog: boolean): void {
    const { traceId, spanId, startNs, endNs, name } = span;
    const summary = this.of(traceKey, { workspaceId, traceId }, startNs);
    summary.spanCount++;
    if (span.statusCode === SPAN_STATUSES.ERROR) summary.errorCount++;
    if (hasLog && logLink !== LOG_LINKS.MANAGED) {
      summary.inputTokens += facts.inputTokens ?? 0;
      summary.outputTokens += facts.outputTokens ?? 0;
      if (cost === null) summary.unpricedCount++;
      else summary.costs.push(cost);
    }
    widen(summary, startNs, endNs);
    if (span.parentId === null) summary.root = earlier(summary.root, { startNs, spanId, name });
  }

  private merge({ byKey }: TraceSummaries): void {
    for (const [key, other] of byKey) {
      const summary = this.of(key, other, other.startNs);
      summary.spanCount += other.spanCount;
      summary.errorCount += other.errorCount;
      summary.inputTokens += other.inputTokens;
      summary.outputTokens += other.outputTokens;
      summary.costs = summary.costs.concat(other.costs);
      summary.unpricedCount += other.unpricedCount;
      widen(summary, other.startNs, other.endNs);
      if (other.root) summary.root = earlier(summary.root, other.root);
    }
  }

  private of(key: string, { workspaceId, traceId }: TraceKey, startNs: bigint): TraceSummary {
    let summary = this.byKey.get(key);
    if (!summary) {
      const counts = { spanCount: 0, errorCount: 0, inputTokens: 0, outputTokens: 0, costs: [], unpricedCount: 0 };
      summary = { workspaceId, traceId, ...counts, startNs, endNs: null, root: null };
      this.byKey.set(key, summary);
    }
    return summary;
  }
}

function widen(summary: TraceSummary, startNs: bigint, endNs: bigint | null): void {
  if (startNs < summary.startNs) summary.startNs = startNs;
  if (endNs === null) return;
  // Clocks that were set back end spans before they start.
  const ended = endNs > startNs ? endNs : startNs;
  if (summary.endNs === null || ended > summary.endNs) summary.endNs = ended;
}

/** Of roots that begin together the one with the smaller id. */
function earlier(known: Root | null, other: Root): Root {
  if (!known || other.startNs < known.startNs) return other;
  return other.startNs === known.startNs && other.spanId < known.spanId ? other : known;
}
