import type { TraceKey } from './incoming-span.js';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { fulfilled, writeInParts } from '../../platform/database/in-parts.js';
import { transactionOf } from '../../platform/database/joined-transaction.js';
import { retrying } from '../../platform/database/retrying.js';
import { Metrics } from '../../platform/telemetry/metrics.js';
import { type Aside, asidesOf } from '../receipts/asides.js';
import { batchOf, type Outcomes, tracesToClose, withoutRepeats } from './batch.js';
import { FastPath, type NewSpans } from './fast-path/index.js';
import type { Delivery, SpanOutcome } from './incoming-span.js';
import { mergeBatch } from './merge-batch.js';
import { SpanIds } from './span-ids.js';
import { SpanRows } from './span-rows.js';
import { SpanSources } from './span-sources.js';
import type { ReadSpan } from './with-log-events.js';
import { SpanPreparation } from './span-preparation.js';
import { closeTraces } from './spans.queries.js';
import { queueTraces } from '../search/trace-queue.queries.js';

/** Outcomes of the spans of a request, or the reason why it was not stored. */
type Settled = PromiseSettledResult<SpanOutcome[]>;

/** The spans of a request on their way into the database. */
export interface Submission {
  /** Rows for the fast path; null when it does not accept the spans. */
  taken: NewSpans | null;
  /** The spans themselves, decoded again if need be. */
  delivery: () => Delivery;
}

/** Writes requests of one workspace at a time, with request logs, trace summaries and receipts. */
@Injectable()
export class SpanBatchWriter {
  private readonly sources = new SpanSources();
  private readonly ids = new SpanIds();
  private readonly rows = new SpanRows(this.sources, this.ids);
  private readonly read: ReadSpan;
  readonly fastPath: FastPath;

  constructor(
    private readonly db: DataSource,
    preparation: SpanPreparation,
    private readonly metrics: Metrics,
  ) {
    this.read = (workspaceId, span, closeAfter) => preparation.read({ workspaceId }, span, closeAfter);
    this.fastPath = new FastPath(db, { sources: this.sources, ids: this.ids });
  }

  /**
   * Outcomes of each request. A span that the database refuses is isolated and the others are stored, unless its
   * delivery is atomic: then nothing of the delivery is stored and all its spans are refused.
   * A request is rejected when the database cannot be reached; spans stored by then are recognised when it is sent
   * again. Rejects when nothing of any request was stored.
   */
  async write(submissions: Submission[]): Promise<Settled[]> {
    const settled = new Map(await this.writeFast(submissions));
    const others = submissions.filter((submission) => !settled.has(submission));
    const merged = await this.merge(others.map(({ delivery }) => delivery()));
    for (const [index, submission] of others.entries()) settled.set(submission, merged[index]!);
    return submissions.map((submission) => settled.get(submission)!);
  }

  /** The requests that the fast path has written: all that it accepts, or none. */
  private async writeFast(submissions: Submission[]): Promise<[Submission, Settled][]> {
    const taken = submissions.filter((submission) => submission.taken !== null);
    if (taken.length === 0) return [];
    const outcomes = await this.fastPath.write(taken.map((submission) => submission.taken!));
    this.metrics.counters.spanBatches.inc({ path: outcomes ? 'fast' : 'refused' });
    return outcomes ? taken.map((submission, index) => [submission, fulfilled(outcomes[index]!)]) : [];
  }

  private async merge(deliveries: Delivery[]): Promise<Settled[]> {
    const settled: Settled[] = [];
    for (const part of withoutRepeats(deliveries)) {
      const written = await writeInParts<Delivery, SpanOutcome[]>(part, {
        together: (some) => this.mergeTogether(some),
        refuse: (delivery, error) => this.singleOut(delivery, error),
      });
      settled.push(...written);
    }
    return settled;
  }

  private async mergeTogether(deliveries: Delivery[]): Promise<Outcomes> {
    const { outcomes, allNew } = await mergeBatch(this.db, batchOf(deliveries), { rows: this.rows, read: this.read });
    this.metrics.counters.spanBatches.inc({ path: 'merged' });
    this.fastPath.learn(allNew);
    return outcomes;
  }

  private async singleOut(delivery: Delivery, error: Error): Promise<SpanOutcome[]> {
    const { spans } = delivery;
    const reason = error.message;
    if (delivery.atomic) return spans.map(() => ({ kind: 'refused', reason }));
    // A delivery without spans has no span to refuse.
    if (spans.length === 0) throw error;
    // Parts are stored one after the other: a trace that the first part closed would refuse the next.
    const closing = tracesToClose(spans);
    if (closing.length > 0) return this.closingLast(closing, () => this.singleOut(leftOpen(delivery), error));
    if (spans.length === 1) {
      await this.mergeOne({ ...delivery, spans: [], asides: withRefused(delivery, reason) });
      return [{ kind: 'refused', reason }];
    }
    const middle = Math.ceil(spans.length / 2);
    const first = await this.mergeOne(partOf(delivery, 0, middle));
    return [...first, ...(await this.mergeOne(partOf(delivery, middle, spans.length)))];
  }

  private async closingLast(traces: TraceKey[], work: () => Promise<SpanOutcome[]>): Promise<SpanOutcome[]> {
    const outcomes = await work();
    await retrying(() => transactionOf(this.db, [...closeTraces(traces), ...queueTraces(traces)]));
    return outcomes;
  }

  private async mergeOne(delivery: Delivery): Promise<SpanOutcome[]> {
    const [settled] = await this.merge([delivery]);
    if (settled!.status === 'rejected') throw settled!.reason;
    return settled!.value;
  }
}

const leftOpen = (delivery: Delivery): Delivery => ({
  ...delivery,
  spans: delivery.spans.map((span) => ({ ...span, closeAfter: false })),
});

function partOf(delivery: Delivery, from: number, to: number): Delivery {
  const { spans, asides } = delivery;
  return { ...delivery, spans: spans.slice(from, to), asides: asidesOf(asides, { from, to, of: spans.length }) };
}

/** Adds the only span of a delivery to its skipped spans, in its position. */
function withRefused({ spans: [incoming], asides }: Delivery, reason: string): Aside[] {
  const { traceId, spanId } = incoming!.span;
  const refused: Aside = { at: 0, traceId, spanId, status: 'rejected', reason, count: 1 };
  return [...asides.filter(({ at }) => at === 0), refused, ...asides.filter(({ at }) => at > 0)];
}
