import { BinaryRows, LATER } from '../../../platform/database/binary-rows.js';
import { LogStore, type NewScore } from '../../../requests/index.js';
import { Receipt } from '../../receipts/receipts.queries.js';
import type { SpanSource } from '../../../trace-conventions/index.js';
import type { DeliveryHead, IncomingSpan, SpanOutcome } from '../incoming-span.js';
import { type LogPlan, planLog } from '../log-plan.js';
import { type SummedSpan, summedSpan } from '../rollups.queries.js';
import { writeSpan } from '../spans.queries.js';
import { scoreOf, toRequestLog } from '../store-logs.js';
import { NewCalls } from './new-calls.js';

/** Even the longest values are copied, because their buffers are released as soon as the rows are written. */
const ALWAYS_COPIED = Infinity;

type Stored = Extract<SpanOutcome, { id: number }>;

interface Filled {
  outcomes: Stored[];
  scores: NewScore[];
}

/**
 * The spans of a request, all expected to be new, as rows for COPY, with everything else that is written for them,
 * except ids. Until their batch is written, nothing else of the spans is kept: as objects they would be moved twice by
 * the garbage collector and cause repeated collections of the whole heap.
 */
export class NewSpans {
  readonly rows = new BinaryRows(ALWAYS_COPIED);
  readonly logRows = new BinaryRows(ALWAYS_COPIED);
  /** The values of each span that its trace sums up. */
  readonly spans: SummedSpan[] = [];
  readonly receipt: Receipt;
  readonly calls = new NewCalls();
  closesTraces = false;
  private readonly scores: { index: number; score: Omit<NewScore, 'logId'> }[] = [];

  constructor(
    readonly head: DeliveryHead,
    private readonly hashOf: (source: SpanSource) => Buffer,
  ) {
    this.receipt = new Receipt(head);
  }

  /**
   * Adds a span; false where its rows depend on stored data: on the prompt that it names, or on a log that was reported
   * for it. The same holds where two calls may be one.
   */
  add(incoming: IncomingSpan): boolean {
    if (incoming.requestSpanId !== null || incoming.facts.prompt !== null) return false;
    const { span, closeAfter } = incoming;
    const plan = planLog(incoming);
    if (plan.writesLog && !this.calls.add(incoming)) return false;
    this.write(incoming, plan);
    this.closesTraces ||= closeAfter;
    this.receipt.add(span, { kind: 'stored' });
    for (const score of scoreOf(incoming)) this.scores.push({ index: this.spans.length, score });
    this.spans.push(summedSpan(incoming, plan, plan.writesLog));
    return true;
  }

  get logCount(): number {
    return this.spans.filter(hasLog).length;
  }

  /** Puts the ids into the rows: one for each span, and one for each log. */
  fill(ids: number[], logIds: number[]): Filled {
    let used = 0;
    const outcomes = this.spans.map((span, index): Stored => {
      const wroteLog = hasLog(span);
      const requestLogId = wroteLog ? logIds[used++]! : null;
      return { kind: 'stored', id: ids[index]!, requestLogId, wroteLog };
    });
    this.rows.fill(outcomes.flatMap(({ id, requestLogId }) => (requestLogId === null ? [id] : [id, requestLogId])));
    this.logRows.fill(logIds);
    const scores = this.scores.map(({ index, score }) => ({ ...score, logId: outcomes[index]!.requestLogId! }));
    return { outcomes, scores };
  }

  private write(incoming: IncomingSpan, plan: LogPlan): void {
    const { writesLog } = plan;
    const sourceHash = this.hashOf(incoming.span.source);
    writeSpan({ incoming, plan, id: LATER, logId: writesLog ? LATER : null, sourceHash, promptLink: null }, this.rows);
    if (writesLog) LogStore.writeRow(toRequestLog(incoming, LATER, null), this.logRows);
  }
}

const hasLog = ({ logLink }: SummedSpan): boolean => logLink !== null;
