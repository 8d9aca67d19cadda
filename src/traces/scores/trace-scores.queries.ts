import type { EntityManager } from 'typeorm';
import { int2Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';

/** A score about to be stored, 0 to 100. */
export interface NewTraceScore {
  traceId: string;
  name: string;
  score: number;
}

const STORE = new Statement(`
  INSERT INTO trace_scores (workspace_id, trace_id, name, score)
  SELECT $1, t.trace_id, n.name, n.score
    FROM unnest($2::text[], $3::text[], $4::smallint[]) AS n (trace_id, name, score)
    JOIN LATERAL (SELECT trace_id FROM traces WHERE workspace_id = $1 AND trace_id = n.trace_id FOR KEY SHARE) t ON true
   ORDER BY t.trace_id, n.name
  ON CONFLICT (workspace_id, trace_id, name) DO UPDATE SET score = excluded.score, updated_at = excluded.updated_at`);

/** Stores scores of traces. One of the same name is replaced; scores of traces that are gone are ignored. */
export async function publishTraceScores(
  tx: EntityManager,
  workspaceId: number,
  scores: readonly NewTraceScore[],
): Promise<void> {
  if (scores.length === 0) return;
  await STORE.run(tx, [
    workspaceId,
    textArray(scores.map(({ traceId }) => traceId)),
    textArray(scores.map(({ name }) => name)),
    int2Array(scores.map(({ score }) => score)),
  ]);
}

/** Input and output of the root of a trace; where the root has none, of the first or last span that has one. */
export interface TraceTexts {
  traceId: string;
  input: string | null;
  output: string | null;
  /** The message of the first span that failed. */
  error: string | null;
}

/** OFFSET 0 makes PostgreSQL look each span up by its key: before a large trace is in its statistics, a join compares all with all. */
const spanText = (what: string, order: 'ASC' | 'DESC'): string => `(
    SELECT found.text FROM spans s CROSS JOIN LATERAL (
        SELECT ${what} AS text FROM span_search d
         WHERE d.workspace_id = $1 AND d.trace_id = s.trace_id AND d.span_id = s.span_id OFFSET 0) AS found
     WHERE s.workspace_id = $1 AND s.trace_id = k.trace_id AND found.text IS NOT NULL ORDER BY s.start_ns ${order} LIMIT 1)`;

const TEXTS = new Statement<TraceTexts>(`
  SELECT k.trace_id AS "traceId", coalesce(r.input, ${spanText('d.input', 'ASC')}) AS input,
         coalesce(r.answer, r.output, ${spanText('coalesce(d.answer, d.output)', 'DESC')}) AS output,
         ${spanText('d.exception', 'ASC')} AS error
    FROM unnest($2::text[]) AS k (trace_id)
    LEFT JOIN trace_search x ON x.workspace_id = $1 AND x.trace_id = k.trace_id
    LEFT JOIN span_search r ON r.workspace_id = $1 AND r.trace_id = x.trace_id AND r.span_id = x.root_span_id`);

/** By id of the trace. */
export async function readTraceTexts(
  tx: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<Map<string, TraceTexts>> {
  const rows = await TEXTS.run(tx, [workspaceId, textArray(ids)]);
  return new Map(rows.map((row) => [row.traceId, row]));
}
