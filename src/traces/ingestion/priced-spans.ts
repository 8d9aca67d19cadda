import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { sendTogether } from '../../platform/database/send-together.js';
import { Statement } from '../../platform/database/statement.js';
import { TraceSearchNotifier } from '../search/trace-search-notifier.js';
import { queueTraces } from '../search/trace-queue.queries.js';
import { LOG_LINKS } from './incoming-span.js';
import { recomputeRollups } from './rollups.queries.js';

/** A request log with its trace. */
export interface TraceOfLog {
  id: string;
  traceId: string | null;
}

/** Includes closed traces: they accept no spans, but the cost of their calls may become known later. */
const LOCK = new Statement(`
  SELECT FROM traces WHERE workspace_id = $1 AND trace_id = ANY($2::text[]) ORDER BY trace_id COLLATE "C" FOR UPDATE`);

const PRICE = new Statement(`
  UPDATE spans s SET cost = l.price
    FROM unnest($2::bigint[]) AS k (id)
    JOIN request_logs l ON l.workspace_id = $1 AND l.id = k.id
   WHERE s.workspace_id = $1 AND s.trace_id = l.trace_id AND s.request_log_id = l.id AND s.log_link <> ${LOG_LINKS.MANAGED}`);

/** Spans of calls whose request logs were priced later. */
@Injectable()
export class PricedSpans {
  constructor(private readonly notifier: TraceSearchNotifier) {}

  /** Traces are locked before their logs, as ingestion does it. */
  async lock(tx: EntityManager, workspaceId: number, logs: TraceOfLog[]): Promise<void> {
    const ids = tracesOf(logs);
    if (ids.length > 0) await LOCK.run(tx, [workspaceId, textArray(ids)]);
  }

  /** Copies the prices of these logs to their spans and recomputes their traces. Call `notify` after the commit. */
  async show(tx: EntityManager, workspaceId: number, logs: TraceOfLog[]): Promise<void> {
    const traces = tracesOf(logs).map((traceId) => ({ workspaceId, traceId }));
    if (traces.length === 0) return;
    const ids = int8Array(logs.map(({ id }) => BigInt(id)));
    await sendTogether(tx, [PRICE.with([workspaceId, ids]), ...recomputeRollups(traces), ...queueTraces(traces)]);
  }

  notify(): void {
    this.notifier.notify();
  }
}

const tracesOf = (logs: TraceOfLog[]): string[] =>
  [...new Set(logs.flatMap(({ traceId }) => (traceId === null ? [] : [traceId])))].toSorted();
