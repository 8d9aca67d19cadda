import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { isDataFailure, isRefusal } from '../../../platform/errors/failures.js';
import { transactionOf } from '../../../platform/database/joined-transaction.js';
import { retrying } from '../../../platform/database/retrying.js';
import { SpentMemory } from '../../../platform/discard.js';
import { LogStore } from '../../../requests/index.js';
import { storeReceipts } from '../../receipts/receipts.queries.js';
import { queueTraces } from '../../search/trace-queue.queries.js';
import type { NormalizedSpan, SpanSource } from '../../../trace-conventions/index.js';
import { distinct, type Outcomes } from '../batch.js';
import type { DeliveryHead, IncomingSpan } from '../incoming-span.js';
import type { SpanIds } from '../span-ids.js';
import type { SpanSources } from '../span-sources.js';
import { closeTraces, copySpanRows } from '../spans.queries.js';
import { refuseKnown } from './guards.queries.js';
import { NewSpans } from './new-spans.js';

/**
 * Requests of a workspace that skip the fast path after one that failed there, because similar ones are likely to
 * follow.
 */
const UNTRIED = 100;

/**
 * Writes requests whose spans are all expected to be new, in open traces, as nearly always: then all statements are
 * known before the first is answered, and are sent to PostgreSQL together. Where the expectation is wrong, PostgreSQL
 * refuses the transaction, and the requests must be written step by step.
 */
export class FastPath {
  private readonly log = new Logger(FastPath.name);
  /** Whether the spans of the last batch were new. */
  private wereNew = true;
  /** Number of requests that still skip the fast path, by workspace whose spans depended on stored rows. */
  private readonly untried = new Map<number, number>();

  constructor(
    private readonly db: DataSource,
    private readonly shared: { sources: SpanSources; ids: SpanIds },
  ) {}

  /** Whether the spans of a request are worth trying. */
  expectsNew({ workspaceId }: DeliveryHead, spans: Pick<NormalizedSpan, 'source'>[]): boolean {
    const untried = this.untried.get(workspaceId) ?? 0;
    if (untried > 1) this.untried.set(workspaceId, untried - 1);
    else this.untried.delete(workspaceId);
    if (untried > 0 || !this.wereNew) return false;
    const sources = new Set<SpanSource>(spans.map(({ source }) => source));
    return this.shared.sources.areStored(Array.from(sources, (source) => ({ workspaceId, source })));
  }

  /** Records whether the spans of a batch that was written step by step were new. */
  learn(wereNew: boolean): void {
    this.wereNew = wereNew;
  }

  /** The rows of a request; null where a span depends on stored rows. */
  take(head: DeliveryHead, spans: Iterable<IncomingSpan>): NewSpans | null {
    const taken = new NewSpans(head, (source) => this.shared.sources.hashOf(source));
    for (const span of spans) {
      if (taken.add(span)) continue;
      this.untried.set(head.workspaceId, UNTRIED);
      return null;
    }
    return taken;
  }

  /** Like `take`, for spans that are read one by one. The spans are used up, whatever the result. */
  takeReading(
    head: DeliveryHead,
    spans: (NormalizedSpan | null)[],
    read: (span: NormalizedSpan) => IncomingSpan,
  ): NewSpans | null {
    return this.take(head, eachOf(spans, read));
  }

  /** Outcomes of the spans; null, with nothing stored, where PostgreSQL refused them. */
  async write(requests: NewSpans[]): Promise<Outcomes | null> {
    try {
      const outcomes = await retrying(() => this.tryToWrite(requests));
      this.wereNew = true;
      return outcomes;
    } catch (error) {
      if (!isRefusal(error) && !isDataFailure(error)) throw error;
      this.log.debug(
        `The fast path refused new spans, which are stored by the general path: ${(error as Error).message}`,
      );
      this.wereNew = false;
      return null;
    }
  }

  private async tryToWrite(requests: NewSpans[]): Promise<Outcomes> {
    const { ofSpans, ofLogs } = this.shared.ids;
    const spanIds = await ofSpans.take(this.db.manager, total(requests.map(({ spans }) => spans.length)));
    const logIds = await ofLogs.take(this.db.manager, total(requests.map(({ logCount }) => logCount)));
    const filled = requests.map((request) =>
      request.fill(spanIds.splice(0, request.spans.length), logIds.splice(0, request.logCount)),
    );
    const spans = requests.flatMap((request) => request.spans);
    const traces = distinct(spans);
    await transactionOf(this.db, [
      ...copySpanRows(
        requests.map(({ rows }) => rows),
        spans,
      ),
      ...LogStore.add({
        rows: requests.flatMap(({ logRows, logCount }) => (logCount > 0 ? [logRows] : [])),
        scores: filled.flatMap(({ scores }) => scores),
      }),
      ...queueTraces(traces),
      ...closeTraces(distinct(requests.flatMap((request) => (request.closesTraces ? request.spans : [])))),
      storeReceipts(requests.map(({ receipt }) => receipt)),
      ...refuseKnown({ spans, traces, calls: requests.flatMap(({ calls }) => calls.places) }),
    ]);
    return filled.map(({ outcomes }) => outcomes);
  }
}

const total = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Reads spans one by one. A span must not be used after the next one was requested. */
function* eachOf(
  spans: (NormalizedSpan | null)[],
  read: (span: NormalizedSpan) => IncomingSpan,
): Generator<IncomingSpan> {
  const spent = new SpentMemory();
  for (const [index, span] of spans.entries()) {
    spans[index] = null;
    const incoming = read(span!);
    yield incoming;
    if (Buffer.isBuffer(incoming.attributes)) spent.add(incoming.attributes);
  }
  spent.discard();
}
