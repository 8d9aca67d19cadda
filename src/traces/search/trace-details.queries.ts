import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import type { Origin } from '../../llm/records/origin.js';
import type { SpanKind, SpanStatus } from '../../trace-conventions/index.js';
import type { Workflow } from './span-findings.js';
import type { TraceSummary } from './trace-digest.js';

/** A trace as it is shown. Columns of `trace_search` are null until a worker has read the trace. */
export interface TraceDetails {
  trace_id: string;
  start_ns: string;
  end_ns: string | null;
  span_count: number;
  error_count: number;
  input_tokens: string;
  output_tokens: string;
  cost: string;
  unpriced_count: number | null;
  root_name: string | null;
  closed_at: Date | null;
  origin: Origin;
  environment: string | null;
  name: string | null;
  status: string | null;
  depth: number | null;
  models_used: string[] | null;
  tool_names: string[] | null;
  prompt_ids: number[] | null;
  prompt_versions: string[] | null;
  workflows: Workflow[] | null;
  user_id: string | null;
  session_id: string | null;
  tags: string[] | null;
  metadata: Record<string, string> | null;
  first_input: string | null;
  last_output: string | null;
  scores: { name: string; score: number }[];
  root_id: string | null;
  root_span_id: string | null;
  root_span_name: string | null;
  root_span_type: string | null;
  root_kind: SpanKind | null;
  root_status: SpanStatus | null;
  root_start_ns: string | null;
  root_end_ns: string | null;
  root_request_log_id: string | null;
}

/**
 * Traces by id, in the order of the ids; one deleted meanwhile is missing. `read` are summaries of some of them that are newer than
 * those that are stored.
 */
export async function readTraceDetails(
  db: EntityManager,
  workspaceId: number,
  traceIds: string[],
  read: ReadonlyMap<string, TraceSummary> = new Map(),
): Promise<TraceDetails[]> {
  const rows = await db.query<TraceDetails[]>(
    `SELECT t.trace_id, t.start_ns, t.end_ns, t.span_count, t.error_count, t.input_tokens, t.output_tokens, t.cost,
            t.unpriced_count, t.root_name, t.closed_at, t.origin, t.environment, x.name, x.status, x.depth, x.models_used, x.tool_names, x.prompt_ids,
            x.prompt_versions, x.workflows, x.user_id, x.session_id, x.tags, x.metadata, x.first_input, x.last_output,
            coalesce((SELECT json_agg(json_build_object('name', c.name, 'score', c.score) ORDER BY c.name COLLATE "C")
                        FROM trace_scores c WHERE c.workspace_id = $1 AND c.trace_id = t.trace_id), '[]') AS scores,
            s.id AS root_id, s.span_id AS root_span_id, s.name AS root_span_name, s.span_type AS root_span_type,
            s.kind AS root_kind, s.status AS root_status, s.start_ns AS root_start_ns, s.end_ns AS root_end_ns,
            s.request_log_id AS root_request_log_id
       FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS k (trace_id, root_span_id, place)
       JOIN traces t ON t.workspace_id = $1 AND t.trace_id = k.trace_id AND t.span_count > 0
       LEFT JOIN trace_search x ON x.workspace_id = $1 AND x.trace_id = t.trace_id
       LEFT JOIN spans s ON s.workspace_id = $1 AND s.trace_id = t.trace_id
             AND s.span_id = coalesce(k.root_span_id, x.root_span_id, t.root_span_id)
      ORDER BY k.place`,
    [workspaceId, traceIds, traceIds.map((id) => read.get(id)?.rootSpanId)],
  );
  return rows.map((row) => withSummary(row, read.get(row.trace_id)));
}

function withSummary(row: TraceDetails, summary: TraceSummary | undefined): TraceDetails {
  if (!summary) return row;
  return {
    ...row,
    name: summary.name,
    status: summary.status,
    depth: summary.depth,
    models_used: summary.modelsUsed,
    tool_names: summary.toolNames,
    prompt_ids: summary.promptIds,
    prompt_versions: summary.promptVersions,
    workflows: summary.workflows,
    user_id: summary.userId,
    session_id: summary.sessionId,
    tags: summary.tags,
    metadata: summary.metadata,
    first_input: summary.firstInput,
    last_output: summary.lastOutput,
  };
}

const STANDING = new Statement<{ span_count: number; is_stored: boolean; is_waiting: boolean }>(`
  SELECT t.span_count,
         EXISTS (SELECT FROM trace_search x WHERE x.workspace_id = $1 AND x.trace_id = t.trace_id) AS is_stored,
         EXISTS (SELECT FROM trace_search_queue q WHERE q.workspace_id = $1 AND q.trace_id = t.trace_id) AS is_waiting
    FROM traces t WHERE t.workspace_id = $1 AND t.trace_id = $2 AND t.span_count > 0`);

/**
 * Size of a trace, whether its summary is stored, and whether it has changed since; null when the workspace has no span
 * of it.
 */
export async function findStanding(
  db: EntityManager,
  workspaceId: number,
  traceId: string,
): Promise<{ spanCount: number; isStored: boolean; isWaiting: boolean } | null> {
  const [row] = await STANDING.run(db, [workspaceId, traceId]);
  return row ? { spanCount: row.span_count, isStored: row.is_stored, isWaiting: row.is_waiting } : null;
}
