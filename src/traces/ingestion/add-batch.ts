import type { TraceKey } from './incoming-span.js';
import type { DataSource } from 'typeorm';
import { isDataFailure } from '../../platform/database/failures.js';
import { transactionOf } from '../../platform/database/joined-transaction.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { copyLogRows, storeScores } from '../../requests/index.js';
import { storeReceipts } from '../receipts/receipts.queries.js';
import { queueTraces } from '../search/trace-queue.queries.js';
import type { Outcomes } from './batch.js';
import { refuseReported } from './links.queries.js';
import { refuseTold } from './log-events.queries.js';
import { refuseNested } from './nested/nested-calls.queries.js';
import type { NewSpans } from './new-spans.js';
import type { SpanIds } from './span-ids.js';
import { closeTraces, copySpanRows } from './spans.queries.js';
import { TraceSummaries } from './trace-summary.js';

/**
 * Writes requests of which every span is expected to be new and every trace to be open, as nearly always: then all
 * statements are known before the first is answered, and go to the server together. Where the expectation is wrong, or a
 * value is not accepted, the server refuses the transaction: null, and nothing is stored.
 */
export async function addBatch(db: DataSource, requests: NewSpans[], ids: SpanIds): Promise<Outcomes | null> {
  const spanIds = await ids.ofSpans.take(db.manager, total(requests.map(({ count }) => count)));
  const logIds = await ids.ofLogs.take(db.manager, total(requests.map(({ logCount }) => logCount)));
  const filled = requests.map((spans) => spans.fill(spanIds.splice(0, spans.count), logIds.splice(0, spans.logCount)));
  const summaries = TraceSummaries.of(requests.map((spans) => spans.summaries)).list;
  try {
    await transactionOf(db, [
      ...copySpanRows(
        requests.map(({ rows }) => rows),
        summaries,
      ),
      ...copyLogRows(
        requests.map(({ logRows }) => logRows),
        filled.flatMap(({ outcomes }, index) => logsOf(requests[index]!, outcomes)),
      ),
      ...storeScores(filled.flatMap(({ scores }) => scores)),
      ...queueTraces(summaries),
      ...closeTraces(tracesToClose(requests)),
      storeReceipts(requests.map(({ receipt }) => receipt)),
      refuseReported(
        workspaceOf(requests.map(({ head }) => head)),
        requests.flatMap(({ spanIds }) => spanIds),
      ),
      refuseTold(summaries),
      ...refuseNested(requests.flatMap(({ calls }) => calls.places)),
    ]);
  } catch (error) {
    if (isDataFailure(error)) return null;
    throw error;
  }
  return filled.map(({ outcomes }) => outcomes);
}

const total = (counts: number[]): number => counts.reduce((sum, count) => sum + count, 0);

function logsOf({ head: { workspaceId } }: NewSpans, outcomes: { requestLogId: number | null }[]) {
  return outcomes.flatMap(({ requestLogId: id }) => (id === null ? [] : [{ workspaceId, id }]));
}

const tracesToClose = (requests: NewSpans[]): TraceKey[] =>
  TraceSummaries.of(requests.filter((spans) => spans.closesTraces).map((spans) => spans.summaries)).list;
