import type { DataSource } from 'typeorm';
import { isDataFailure, isRetryable } from '../../platform/database/failures.js';
import type { SpanSource } from '../span.js';
import { addBatch } from './add-batch.js';
import { batchOf, type Outcomes } from './batch.js';
import type { Delivery, DeliveryHead, IncomingSpan, SpanOutcome } from './incoming-span.js';
import { mergeBatch } from './merge-batch.js';
import { NewSpans } from './new-spans.js';
import { SpanIds } from './span-ids.js';
import { SpanRows } from './span-rows.js';
import { SpanSources } from './span-sources.js';

const ATTEMPTS = 5;
/** What one request of a workspace is like, the next ones are likely to be. */
const UNTRIED = 100;

/** The spans of a request on their way into the database. */
export interface Submission {
  /** null when they cannot be written as new ones. */
  asNew: NewSpans | null;
  /** The spans themselves, read again if need be. */
  delivery: () => Delivery;
}

/** Writes requests of any workspaces, with request logs, trace summaries and receipts. */
export class SpanBatchWriter {
  private readonly sources = new SpanSources();
  private readonly ids = new SpanIds();
  private readonly rows = new SpanRows(this.sources, this.ids);
  /** Whether the spans of the last batch were. */
  private wereNew = true;
  /** By workspace whose spans depended on what is stored: how many more of its requests are not tried as new ones. */
  private readonly untried = new Map<number, number>();

  constructor(private readonly db: DataSource) {}

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
   * The outcomes of each request. A span the database refuses is singled out and the others are stored, unless its
   * delivery is atomic: then nothing of that one is stored and all its spans are refused.
   * Throws when the database cannot be reached; what was stored by then is found there when it is sent again.
   */
  async write(submissions: Submission[]): Promise<Outcomes> {
    const outcomes = new Map(await this.add(submissions));
    const others = submissions.filter((submission) => !outcomes.has(submission));
    const merged = others.length > 0 ? await this.merge(others.map(({ delivery }) => delivery())) : [];
    for (const [index, submission] of others.entries()) outcomes.set(submission, merged[index]!);
    return submissions.map((submission) => outcomes.get(submission)!);
  }

  /** Those of the requests that turned out to hold nothing but new spans: all that are expected to, or none. */
  private async add(submissions: Submission[]): Promise<[Submission, SpanOutcome[]][]> {
    const expected = submissions.filter(({ asNew }) => asNew !== null);
    if (expected.length === 0) return [];
    const requests = expected.map(({ asNew }) => asNew!);
    const outcomes = await withRetries(() => addBatch(this.db, requests, this.ids));
    this.wereNew = outcomes !== null;
    return outcomes ? expected.map((submission, index) => [submission, outcomes[index]!]) : [];
  }

  private async merge(deliveries: Delivery[]): Promise<Outcomes> {
    try {
      const { outcomes, allNew } = await withRetries(() => mergeBatch(this.db, batchOf(deliveries), this.rows));
      this.wereNew = allNew;
      return outcomes;
    } catch (error) {
      if (!isDataFailure(error)) throw error;
      return deliveries.length > 1 ? this.mergeHalves(deliveries) : this.singleOut(deliveries[0]!, error as Error);
    }
  }

  private async mergeHalves(deliveries: Delivery[]): Promise<Outcomes> {
    const middle = Math.ceil(deliveries.length / 2);
    const first = await this.merge(deliveries.slice(0, middle));
    return [...first, ...(await this.merge(deliveries.slice(middle)))];
  }

  private async singleOut(delivery: Delivery, { message: reason }: Error): Promise<Outcomes> {
    const { spans } = delivery;
    if (delivery.atomic) return [spans.map(() => ({ kind: 'refused', reason }))];
    if (spans.length === 1) {
      const [outcome] = await this.merge([
        { ...delivery, spans: [], refused: [...delivery.refused, { reason, count: 1 }] },
      ]);
      return [[...outcome!, { kind: 'refused', reason }]];
    }
    const middle = Math.ceil(spans.length / 2);
    const [first] = await this.merge([{ ...delivery, spans: spans.slice(0, middle) }]);
    const [second] = await this.merge([{ ...delivery, spans: spans.slice(middle), refused: [] }]);
    return [[...first!, ...second!]];
  }
}

async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
