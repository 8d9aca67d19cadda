import type { TraceKey } from './incoming-span.js';
import type { DataSource } from 'typeorm';
import { fulfilled, writeInParts } from '../../platform/database/in-parts.js';
import { transactionOf } from '../../platform/database/joined-transaction.js';
import { retrying } from '../../platform/database/retrying.js';
import { type Aside, asidesOf } from '../receipts/asides.js';
import type { SpanSource } from '../span.js';
import { addBatch } from './add-batch.js';
import { batchOf, type Outcomes, tracesToClose, withoutRepeats } from './batch.js';
import type { Delivery, DeliveryHead, IncomingSpan, SpanOutcome } from './incoming-span.js';
import { mergeBatch } from './merge-batch.js';
import { NewSpans } from './new-spans.js';
import { SpanIds } from './span-ids.js';
import { SpanRows } from './span-rows.js';
import { SpanSources } from './span-sources.js';
import type { ReadSpan } from './with-log-events.js';
import { closeTraces } from './spans.queries.js';

/** What one request of a workspace is like, the next ones are likely to be. */
const UNTRIED = 100;

/** What became of the spans of a request, or why it was not stored. */
type Settled = PromiseSettledResult<SpanOutcome[]>;

/** The spans of a request on their way into the database. */
export interface Submission {
  /** null when they cannot be written as new ones. */
  asNew: NewSpans | null;
  /** The spans themselves, read again if need be. */
  delivery: () => Delivery;
}

/** Writes requests of one workspace at a time, with request logs, trace summaries and receipts. */
export class SpanBatchWriter {
  private readonly sources = new SpanSources();
  private readonly ids = new SpanIds();
  private readonly rows = new SpanRows(this.sources, this.ids);
  /** Whether the spans of the last batch were. */
  private wereNew = true;
  /** By workspace whose spans depended on what is stored: how many more of its requests are not tried as new ones. */
  private readonly untried = new Map<number, number>();

  constructor(
    private readonly db: DataSource,
    private readonly read: ReadSpan,
  ) {}

  /** Whether the spans of a request, which come from these sources, are worth trying as new ones. */
  expectsNew({ workspaceId }: DeliveryHead, sources: Set<SpanSource>): boolean {
    const untried = this.untried.get(workspaceId) ?? 0;
    if (untried > 1) this.untried.set(workspaceId, untried - 1);
    else this.untried.delete(workspaceId);
    return (
      untried === 0 &&
      this.wereNew &&
      this.sources.areStored(Array.from(sources, (source) => ({ workspaceId, source })))
    );
  }

  /** The spans of a request as new ones; null where one depends on what is stored. */
  asNew(head: DeliveryHead, spans: Iterable<IncomingSpan>): NewSpans | null {
    const asNew = new NewSpans(head, (source) => this.sources.hashOf(source));
    for (const span of spans) {
      if (asNew.add(span)) continue;
      this.untried.set(head.workspaceId, UNTRIED);
      return null;
    }
    return asNew;
  }

  /**
   * What became of each request. A span the database refuses is singled out and the others are stored, unless its
   * delivery is atomic: then nothing of that one is stored and all its spans are refused.
   * A request is rejected when the database cannot be reached; what was stored of it by then is found there when it is sent
   * again. Rejects when nothing of any request was stored.
   */
  async write(submissions: Submission[]): Promise<Settled[]> {
    const settled = new Map(await this.add(submissions));
    const others = submissions.filter((submission) => !settled.has(submission));
    const merged = await this.merge(others.map(({ delivery }) => delivery()));
    for (const [index, submission] of others.entries()) settled.set(submission, merged[index]!);
    return submissions.map((submission) => settled.get(submission)!);
  }

  /** Those of the requests that turned out to hold nothing but new spans: all that are expected to, or none. */
  private async add(submissions: Submission[]): Promise<[Submission, Settled][]> {
    const expected = submissions.filter(({ asNew }) => asNew !== null);
    if (expected.length === 0) return [];
    const requests = expected.map(({ asNew }) => asNew!);
    const outcomes = await retrying(() => addBatch(this.db, requests, this.ids));
    this.wereNew = outcomes !== null;
    return outcomes ? expected.map((submission, index) => [submission, fulfilled(outcomes[index]!)]) : [];
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
    this.wereNew = allNew;
    return outcomes;
  }

  private async singleOut(delivery: Delivery, error: Error): Promise<SpanOutcome[]> {
    const { spans } = delivery;
    const reason = error.message;
    if (delivery.atomic) return spans.map(() => ({ kind: 'refused', reason }));
    // Without spans there is nothing of theirs to refuse.
    if (spans.length === 0) throw error;
    // The parts are stored one after the other: a trace that the first one closed would refuse the next.
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
    await retrying(() => transactionOf(this.db, closeTraces(traces)));
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

/** Of a delivery of one span, which becomes an aside between the others. */
function withRefused({ spans: [incoming], asides }: Delivery, reason: string): Aside[] {
  const { traceId, spanId } = incoming!.span;
  const refused: Aside = { at: 0, traceId, spanId, status: 'rejected', reason, count: 1 };
  return [...asides.filter(({ at }) => at === 0), refused, ...asides.filter(({ at }) => at > 0)];
}
