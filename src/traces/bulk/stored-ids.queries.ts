import type { EntityManager } from 'typeorm';
import type { NormalizedSpan } from '../../trace-conventions/index.js';

export interface StoredIds {
  id: number;
  requestLogId: number | null;
}

/** The ids of spans that are stored already. */
export async function readStoredIds(
  tx: EntityManager,
  workspaceId: number,
  spans: NormalizedSpan[],
): Promise<Map<NormalizedSpan, StoredIds>> {
  if (spans.length === 0) return new Map();
  const rows = await tx.query<{ at: string; id: string; request_log_id: string | null }[]>(
    `SELECT n.at, s.id, s.request_log_id
       FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS n (trace_id, span_id, at)
       JOIN spans s ON s.workspace_id = $1 AND s.trace_id = n.trace_id AND s.span_id = n.span_id`,
    [workspaceId, spans.map((span) => span.traceId), spans.map((span) => span.spanId)],
  );
  return new Map(
    rows.map((row) => [
      spans[Number(row.at) - 1],
      { id: Number(row.id), requestLogId: row.request_log_id === null ? null : Number(row.request_log_id) },
    ]),
  );
}
