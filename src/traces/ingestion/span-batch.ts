import type { DataSource, EntityManager } from 'typeorm';
import { isDataFailure, isRetryable } from '../../platform/database/failures.js';
import { IdBlocks } from '../../platform/database/id-blocks.js';
import type { PromptLink, PromptReference } from '../../llm/prompt-reference.js';
import { resolvePromptReferences } from '../../prompts/index.js';
import { type NewRequestLog, upsertRequestLogs } from '../../requests/index.js';
import { type IncomingSpan, type SpanOutcome, spanKeyOf, traceKeyOf } from './incoming-span.js';
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

/** Writes a batch of spans of any workspaces, with their request logs and trace summaries, in one transaction. */
export class SpanBatchWriter {
  private readonly sources = new SpanSources();
  private readonly spanIds = new IdBlocks('span_ids');
  private readonly logIds = new IdBlocks('request_log_ids');

  constructor(private readonly db: DataSource) {}

  /**
   * One outcome per span, in order. A span the database refuses is singled out and the others are stored.
   * Throws when the database cannot be reached: then nothing is stored.
   */
  async write(spans: IncomingSpan[]): Promise<SpanOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.writeOnce(spans);
      } catch (error) {
        if (isRetryable(error) && attempt < ATTEMPTS) continue;
        if (!isDataFailure(error)) throw error;
        return this.writeHalves(spans, error as Error);
      }
    }
  }

  private async writeHalves(spans: IncomingSpan[], error: Error): Promise<SpanOutcome[]> {
    if (spans.length === 1) return [{ kind: 'refused', reason: error.message }];
    const middle = Math.ceil(spans.length / 2);
    const first = await this.write(spans.slice(0, middle));
    return [...first, ...(await this.write(spans.slice(middle)))];
  }

  private async writeOnce(spans: IncomingSpan[]): Promise<SpanOutcome[]> {
    const latest = latestOfEach(spans);
    // Sorted by key: overlapping batches of several processes would deadlock otherwise.
    const sorted = [...latest.values()].sort(bySpanKey);
    const { open, stored, remember } = await this.db.transaction((tx) => this.store(tx, sorted));
    remember();
    return spans.map((span) => {
      if (latest.get(span.spanKey) !== span) return { kind: 'superseded' };
      if (!open.has(span.traceKey)) return { kind: 'closed' };
      const row = stored.get(span.spanKey);
      return row ? { kind: 'stored', id: row.id, requestLogId: row.requestLogId } : { kind: 'unchanged' };
    });
  }

  private async store(tx: EntityManager, spans: IncomingSpan[]) {
    const open = new Set(
      (await lockOpenTraces(tx, distinctTraces(spans))).map((trace) => traceKeyOf(trace.workspaceId, trace.traceId)),
    );
    const accepted = spans.filter((span) => open.has(span.traceKey));
    const remember = await this.sources.store(tx, accepted);
    const rows = await this.withIds(tx, accepted);
    const stored = new Map(rows.length > 0 ? (await upsertSpans(tx, rows)).map((row) => [storedKey(row), row]) : []);
    await upsertRequestLogs(tx, requestLogs(rows, stored));
    await recomputeRollups(tx, tracesWithReplacedSpans(stored));
    await closeTraces(tx, distinctTraces(accepted.filter((span) => span.closeAfter)));
    return { open, stored, remember };
  }

  private async withIds(tx: EntityManager, spans: IncomingSpan[]): Promise<SpanRow[]> {
    const links = await linkPrompts(tx, spans);
    const ids = await this.spanIds.take(tx, spans.length);
    const logIds = await this.logIds.take(tx, spans.filter((span) => span.call).length);
    // The spans become the rows: copying them would be a good part of the work of a batch.
    return spans.map((span, index) =>
      Object.assign(span, {
        id: ids[index],
        newLogId: span.call ? logIds.pop()! : null,
        sourceHash: this.sources.hashOf(span.span.source),
        promptLink: links.get(span) ?? null,
      }),
    );
  }
}

/** The versions of prompts that spans name. Few spans do: usually this asks nothing. */
async function linkPrompts(tx: EntityManager, spans: IncomingSpan[]): Promise<Map<IncomingSpan, PromptLink>> {
  const naming = spans.filter((span) => span.facts.prompt !== null);
  if (naming.length === 0) return new Map();
  const keys = naming.map(({ workspaceId, facts }) => JSON.stringify([workspaceId, facts.prompt]));
  const distinct = [...new Set(keys)];
  const references = distinct.map((key) => {
    const [workspaceId, reference] = JSON.parse(key) as [number, PromptReference];
    return { workspaceId, ...reference };
  });
  const links = await resolvePromptReferences(tx, references);
  const byKey = new Map(distinct.map((key, index) => [key, links[index]]));
  return new Map(
    naming.flatMap((span, index) => {
      const link = byKey.get(keys[index]);
      return link ? [[span, link] as const] : [];
    }),
  );
}

/** The log of every span that was stored or replaced, under the id its span already had if it had one. */
function requestLogs(rows: SpanRow[], stored: Map<string, StoredSpan>): NewRequestLog[] {
  return rows.flatMap((row) => {
    const id = stored.get(row.spanKey)?.requestLogId;
    if (!row.call || id === null || id === undefined) return [];
    const { span, workspaceId, cost, call } = row;
    const startMs = Number(span.startNs) / 1e6;
    const endMs = Number(span.endNs ?? span.startNs) / 1e6;
    const latencyMs = span.endNs === null ? 0 : Number(span.endNs - span.startNs) / 1e6;
    const { traceId, spanId, sanitized } = span;
    const times = { startMs, endMs, latencyMs };
    return [{ workspaceId, id, traceId, spanId, ...times, price: cost, sanitized, call, promptLink: row.promptLink }];
  });
}

function tracesWithReplacedSpans(stored: Map<string, StoredSpan>): TraceKey[] {
  const replaced = [...stored.values()].filter((row) => !row.inserted);
  return [...new Map(replaced.map((row) => [traceKeyOf(row.workspaceId, row.traceId), row])).values()];
}

/** The same span twice in one batch: the last one counts. */
function latestOfEach(spans: IncomingSpan[]): Map<string, IncomingSpan> {
  return new Map(spans.map((span) => [span.spanKey, span]));
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
