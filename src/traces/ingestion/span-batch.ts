import type { DataSource, EntityManager } from 'typeorm';
import { isDataFailure, isRetryable } from '../../platform/database/failures.js';
import { IdBlocks } from '../../platform/database/id-blocks.js';
import { linkPrompts } from './prompt-links.js';
import { storeReceipts } from '../receipts/receipts.queries.js';
import { type Delivery, type IncomingSpan, type SpanOutcome, spanKeyOf, traceKeyOf } from './incoming-span.js';
import { queueTraces } from '../search/trace-queue.queries.js';
import { claimLogs } from './links.queries.js';
import { planLog } from './log-plan.js';
import { storeLogs } from './store-logs.js';
import { recomputeRollups } from './rollups.queries.js';
import { SpanSources } from './span-sources.js';
import {
  closeTraces,
  lockOpenTraces,
  type SpanRow,
  type StoredSpan,
  type TraceKey,
  upsertSpans,
} from './spans.queries.js';

const ATTEMPTS = 5;

/** One outcome per span of each delivery, in order. */
type Outcomes = SpanOutcome[][];

/** Writes deliveries of any workspaces, with request logs, trace summaries and receipts, in one transaction. */
export class SpanBatchWriter {
  private readonly sources = new SpanSources();
  private readonly spanIds = new IdBlocks('span_ids');
  private readonly logIds = new IdBlocks('request_log_ids');

  constructor(private readonly db: DataSource) {}

  /**
   * The outcomes of each delivery. A span the database refuses is singled out and the others are stored, unless its
   * delivery is atomic: then nothing of that one is stored and all its spans are refused.
   * Throws when the database cannot be reached: then nothing is stored.
   */
  async write(deliveries: Delivery[]): Promise<Outcomes> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.writeOnce(deliveries);
      } catch (error) {
        if (isRetryable(error) && attempt < ATTEMPTS) continue;
        if (!isDataFailure(error)) throw error;
        return deliveries.length > 1 ? this.writeHalves(deliveries) : this.singleOut(deliveries[0]!, error as Error);
      }
    }
  }

  private async writeHalves(deliveries: Delivery[]): Promise<Outcomes> {
    const middle = Math.ceil(deliveries.length / 2);
    const first = await this.write(deliveries.slice(0, middle));
    return [...first, ...(await this.write(deliveries.slice(middle)))];
  }

  private async singleOut(delivery: Delivery, { message: reason }: Error): Promise<Outcomes> {
    const { spans } = delivery;
    if (delivery.atomic) return [spans.map(() => ({ kind: 'refused', reason }))];
    if (spans.length === 1) {
      const [outcome] = await this.write([
        { ...delivery, spans: [], refused: [...delivery.refused, { reason, count: 1 }] },
      ]);
      return [[...outcome!, { kind: 'refused', reason }]];
    }
    const middle = Math.ceil(spans.length / 2);
    const [first] = await this.write([{ ...delivery, spans: spans.slice(0, middle) }]);
    const [second] = await this.write([{ ...delivery, spans: spans.slice(middle), refused: [] }]);
    return [[...first!, ...second!]];
  }

  private async writeOnce(deliveries: Delivery[]): Promise<Outcomes> {
    const spans = deliveries.flatMap((delivery) => delivery.spans);
    const latest = new Map(spans.map((span) => [span.spanKey, span]));
    // Sorted by key: overlapping batches of several processes would deadlock otherwise.
    const sorted = [...latest.values()].sort(bySpanKey);
    const { outcomes, remember } = await this.db.transaction(async (tx) => {
      const written = await this.store(tx, sorted);
      const made = deliveries.map((delivery) => delivery.spans.map((span) => outcomeOf(span, latest, written)));
      await storeReceipts(tx, deliveries, made);
      return { outcomes: made, remember: written.remember };
    });
    remember();
    return outcomes;
  }

  private async store(tx: EntityManager, spans: IncomingSpan[]): Promise<Written> {
    if (spans.length === 0) return NOTHING_WRITTEN;
    const open = new Set(
      (await lockOpenTraces(tx, distinctTraces(spans))).map((trace) => traceKeyOf(trace.workspaceId, trace.traceId)),
    );
    const accepted = spans.filter((span) => open.has(span.traceKey));
    const remember = await this.sources.store(tx, accepted);
    const rows = await this.toRows(tx, accepted);
    const changed = rows.length > 0 ? await upsertSpans(tx, rows) : [];
    const stored = new Map(changed.map((row) => [storedKey(row), row]));
    const logged = await storeLogs(tx, rows, stored);
    await recomputeRollups(tx, tracesWithReplacedSpans(changed));
    await queueTraces(tx, changed);
    await closeTraces(tx, distinctTraces(accepted.filter((span) => span.closeAfter)));
    return { open, stored, logged, remember };
  }

  private async toRows(tx: EntityManager, spans: IncomingSpan[]): Promise<SpanRow[]> {
    const claimed = await claimLogs(tx, spans);
    const links = await linkPrompts(tx, spans);
    const plans = spans.map((span) => planLog(span, claimed.get(span), links.get(span)));
    const ids = await this.spanIds.take(tx, spans.length);
    const logIds = await this.logIds.take(tx, plans.filter((plan) => plan.writesLog).length);
    return spans.map((incoming, index) => {
      const plan = plans[index]!;
      const logId = plan.writesLog ? logIds.pop()! : plan.logId;
      const sourceHash = this.sources.hashOf(incoming.span.source);
      return { incoming, plan, id: ids[index]!, logId, sourceHash, promptLink: links.get(incoming) ?? null };
    });
  }
}

interface Written {
  /** Keys of the traces that take spans. */
  open: Set<string>;
  /** The spans that were new or changed, by key. */
  stored: Map<string, StoredSpan>;
  /** Keys of the spans whose request log was written. */
  logged: Set<string>;
  /** To be called after the commit. */
  remember: () => void;
}

const NOTHING_WRITTEN: Written = {
  open: new Set(),
  stored: new Map(),
  logged: new Set(),
  remember: () => undefined,
};

/** `latest` has the span that counts of those with one key. */
function outcomeOf(span: IncomingSpan, latest: Map<string, IncomingSpan>, written: Written): SpanOutcome {
  if (!written.open.has(span.traceKey)) return { kind: 'closed' };
  if (latest.get(span.spanKey) !== span) return { kind: 'superseded' };
  const row = written.stored.get(span.spanKey);
  if (!row) return { kind: 'unchanged' };
  const { id, requestLogId } = row;
  return { kind: row.inserted ? 'stored' : 'merged', id, requestLogId, wroteLog: written.logged.has(span.spanKey) };
}

function tracesWithReplacedSpans(stored: StoredSpan[]): TraceKey[] {
  const replaced = stored.filter((row) => !row.inserted);
  return [...new Map(replaced.map((row) => [traceKeyOf(row.workspaceId, row.traceId), row])).values()];
}

function distinctTraces(spans: IncomingSpan[]): TraceKey[] {
  const traces = new Map(
    spans.map((span) => [span.traceKey, { workspaceId: span.workspaceId, traceId: span.span.traceId }]),
  );
  return [...traces.values()];
}

function storedKey({ workspaceId, traceId, spanId }: StoredSpan): string {
  return spanKeyOf(traceKeyOf(workspaceId, traceId), spanId);
}

function bySpanKey(a: IncomingSpan, b: IncomingSpan): number {
  return a.spanKey < b.spanKey ? -1 : a.spanKey > b.spanKey ? 1 : 0;
}
