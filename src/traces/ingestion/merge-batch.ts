import type { DataSource } from 'typeorm';
import { joinedTransaction } from '../../platform/database/joined-transaction.js';
import { Receipt, storeReceipts } from '../receipts/receipts.queries.js';
import { queueTraces } from '../search/trace-queue.queries.js';
import { type Batch, byKey, distinct, distinctTraces, type Outcomes, outcomesOf, tracesToClose } from './batch.js';
import { changedCalls } from './changed-calls.js';
import { traceKeyOf } from './incoming-span.js';
import { recomputeRollups } from './rollups.queries.js';
import { findLogEvents, toLogEvents } from './log-events.queries.js';
import { showLogs } from './links.queries.js';
import { moveLogs } from './nested/nested-calls.queries.js';
import type { SpanRows } from './span-rows.js';
import {
  addSpans,
  closeTraces,
  findSpans,
  lockOpenTraces,
  replaceSpans,
  type SpanRow,
  toFound,
  toStored,
} from './spans.queries.js';
import { prepareLogs } from './store-logs.js';
import { addLogEvents, type ReadSpan } from './with-log-events.js';

interface Merged {
  outcomes: Outcomes;
  /** True when no span existed and no trace was closed. */
  allNew: boolean;
}

/** Writes any batch: locks its traces, replaces the spans that are there, adds the others, refuses those of closed traces. */
export async function mergeBatch(
  db: DataSource,
  batch: Batch,
  { rows: spanRows, read }: { rows: SpanRows; read: ReadSpan },
): Promise<Merged> {
  const { spans, deliveries } = batch;
  const { remember, ...merged } = await joinedTransaction(db, async (tx) => {
    const traces = distinctTraces(spans);
    const [openTraces, existing, told] = await tx.begin([
      lockOpenTraces(traces),
      findSpans(traces, spans),
      findLogEvents(spans),
    ]);
    const found = toFound(existing);
    const open = new Set(openTraces.map((trace) => traceKeyOf(trace.workspace_id, trace.trace_id)));
    const accepted = spans.filter((span) => open.has(span.traceKey));
    const events = toLogEvents(told);
    for (const span of accepted) addLogEvents(span, events.get(span.spanKey) ?? [], read);
    const { rows, joined, remember } = await spanRows.of(tx.manager, accepted, found);
    const isThere = ({ incoming }: SpanRow) => found.has(incoming.spanKey);
    const added = rows.filter((row) => !isThere(row));
    const known = rows.filter(isThere);
    const replaced = await replaceSpans(tx.manager, known, await changedCalls(tx.manager, known));
    const stored = byKey([...added.map(toStored), ...replaced]);
    const logs = await prepareLogs(tx.manager, { rows, joined }, stored);
    const tracesOfLogs = joined.logs.flatMap(({ workspaceId, traceId }) =>
      traceId === null ? [] : { workspaceId, traceId },
    );
    const changed = distinct([...replaced, ...joined.moves, ...tracesOfLogs]);
    const outcomes = outcomesOf(batch, { isOpen: (key) => open.has(key), stored, logged: logs.spanKeys });
    await tx.commit([
      ...addSpans(added),
      ...logs.steps,
      ...moveLogs(joined.moves),
      ...showLogs(joined.logs),
      ...recomputeRollups(changed),
      ...queueTraces(distinct([...stored.values(), ...changed])),
      ...closeTraces(tracesToClose(accepted)),
      storeReceipts(deliveries.map((delivery, index) => Receipt.of(delivery, outcomes[index]!))),
    ]);
    return { outcomes, allNew: found.size === 0 && open.size === traces.length, remember };
  });
  remember();
  return merged;
}
