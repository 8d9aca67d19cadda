import type { EntityManager } from 'typeorm';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import type { BinaryRows } from '../../platform/database/binary-rows.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import { parseExactly } from '../../platform/exact-integers.js';
import type { JsonObject } from '../../platform/json.js';
import type { RequestStatus } from '../../llm/records/llm-call.js';
import type { Origin } from '../../llm/records/origin.js';
import type { PricedBy } from '../shared/request-log.entity.js';
import { COLUMNS, copyLogs, type NewRequestLog, REPLACE, type WrittenLog } from '../shared/request-logs.queries.js';
import { keepTracked } from './keep-tracked.js';
import { type NewScore, storeScores } from './scores.queries.js';
import { readFacts } from '../../llm/records/conversation-facts.js';
import { readJson } from '../../platform/read-json.js';

/** A stored log, in the form in which it can be stored again. */
export interface StoredLog extends NewRequestLog {
  /** Somebody scored it, tracked something for it or put it into a group. */
  hasAdditions: boolean;
}

interface LogKey {
  workspaceId: number;
  id: number;
}

interface LogRow {
  workspace_id: number;
  id: string;
  trace_id: string | null;
  span_id: string | null;
  start_ms: number;
  end_ms: number;
  latency_ms: number;
  price: number | null;
  priced_by: PricedBy | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number | null;
  cache_write_tokens: number | null;
  thinking_tokens: number | null;
  sanitized: boolean;
  group_id: number | null;
  origin: Origin;
  environment: string | null;
  provider: string;
  model: string;
  api_type: string | null;
  function_name: string;
  status: RequestStatus;
  error_type: string | null;
  error_message: string | null;
  tags: string[];
  metadata: Record<string, string>;
  parameters: string;
  variables: string;
  input: string;
  output: string;
  has_additions: boolean;
}

const READ = new Statement<LogRow>(`
  SELECT l.workspace_id, l.id, l.trace_id, l.span_id,
         extract(epoch FROM l.request_start_time)::float8 * 1000 AS start_ms,
         extract(epoch FROM l.request_end_time)::float8 * 1000 AS end_ms,
         l.latency_ms, l.price, l.priced_by, l.input_tokens, l.output_tokens, l.cached_tokens, l.cache_write_tokens,
         l.thinking_tokens, l.sanitized, l.group_id, l.origin, l.environment, l.provider, l.model, l.api_type, l.function_name, l.status, l.error_type, l.error_message,
         l.tags, l.metadata, l.parameters::text AS parameters, l.prompt_input_variables::text AS variables,
         l.input::text AS input, l.output::text AS output,
         l.tracked IS NOT NULL OR l.group_id IS NOT NULL OR EXISTS (
           SELECT FROM request_scores s WHERE s.workspace_id = $1 AND s.log_id = l.id) AS has_additions
    FROM unnest($2::bigint[]) AS n (id)
    JOIN request_logs l ON l.workspace_id = $1 AND l.id = n.id`);

const SIZES = new Statement<{ id: string; size: number }>(`
  SELECT id, ${['input', 'output', 'prompt_input_variables', 'metadata'].map((column) => `pg_column_size(${column})`).join(' + ')} AS size
    FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[])`);

const DELETE_CLAIMS = new Statement(`
  DELETE FROM log_claims c USING unnest($2::bigint[]) AS n (id)
    JOIN request_logs l ON l.workspace_id = $1 AND l.id = n.id
   WHERE c.workspace_id = l.workspace_id AND c.span_id = l.span_id AND c.log_id = l.id`);

const DELETE_LOGS = new Statement(`
  DELETE FROM request_logs l USING unnest($2::bigint[]) AS n (id)
   WHERE l.workspace_id = $1 AND l.id = n.id`);

/** Logs of one workspace, for those who store them in a transaction of their own. Call the `SearchNotifier` after the commit. */
export const LogStore = {
  /** Writes the row of a log that is new. `add` takes it. */
  writeRow(log: WrittenLog, rows: BinaryRows): void {
    COLUMNS.append(log, rows);
  },

  /** Stores new logs, and those whose rows are written, with the scores that calls come with. */
  add({ logs = [], rows = [], scores }: { logs?: NewRequestLog[]; rows?: BinaryRows[]; scores: NewScore[] }): Step[] {
    const all = logs.length > 0 ? [...rows, COLUMNS.encode(logs)] : rows;
    return [...(all.length > 0 ? [copyLogs(all)] : []), ...storeScores(scores)];
  },

  /**
   * Brings logs up to date that are there, because their spans were sent again, but for their groups and what clients have added to
   * them since. Locks them until the end of the transaction.
   */
  async replace(tx: EntityManager, logs: NewRequestLog[]): Promise<Step[]> {
    if (logs.length === 0) return [];
    await keepTracked(tx, logs);
    return [REPLACE.with(COLUMNS.values(logs))];
  },

  /** Logs by their ids; those that are gone are missing. Their prompts are left to `replace`. */
  async read(tx: EntityManager, keys: LogKey[]): Promise<StoredLog[]> {
    if (keys.length === 0) return [];
    return (await READ.run(tx, valuesOf(keys))).map(toStoredLog);
  },

  /** Bytes that logs take on disk, by id, without reading what lies out of line. */
  async readSizes(tx: EntityManager, workspaceId: number, ids: number[]): Promise<Map<number, number>> {
    const rows = await SIZES.run(tx, [workspaceId, int8Array(ids)]);
    return new Map(rows.map(({ id, size }) => [Number(id), size]));
  },

  /** Deletes logs with their scores and claims on spans. Workers take them out of the index of words. */
  async delete(tx: EntityManager, keys: LogKey[]): Promise<void> {
    if (keys.length === 0) return;
    for (const statement of [DELETE_CLAIMS, DELETE_LOGS]) await statement.run(tx, valuesOf(keys));
  },
};

const valuesOf = (keys: LogKey[]): unknown[] => [workspaceOf(keys), int8Array(keys.map(({ id }) => id))];

function toStoredLog(row: LogRow): StoredLog {
  const conversation = {
    input: readJson<Prompt>(row.input),
    output: readJson<Prompt>(row.output),
  };
  return {
    workspaceId: row.workspace_id,
    id: Number(row.id),
    traceId: row.trace_id,
    spanId: row.span_id,
    startMs: row.start_ms,
    endMs: row.end_ms,
    latencyMs: row.latency_ms,
    price: row.price,
    sanitized: row.sanitized,
    groupId: row.group_id,
    origin: row.origin,
    environment: row.environment,
    promptLink: null,
    hasAdditions: row.has_additions,
    call: {
      provider: row.provider,
      model: row.model,
      apiType: row.api_type,
      functionName: row.function_name,
      input: row.input,
      output: row.output,
      facts: readFacts(conversation),
      parameters: parseExactly(row.parameters) as JsonObject,
      usage: {
        input: row.input_tokens,
        output: row.output_tokens,
        cached: row.cached_tokens,
        cacheWrite: row.cache_write_tokens,
        thinking: row.thinking_tokens,
        cacheExclusive: false,
      },
      reportedPrice: row.priced_by === 'reported' ? row.price : null,
      status: row.status,
      errorType: row.error_type,
      errorMessage: row.error_message,
      tags: row.tags,
      metadata: row.metadata,
      promptInputVariables: parseExactly(row.variables) as JsonObject,
      prompt: null,
    },
  };
}
