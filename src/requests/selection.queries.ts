import type { EntityManager } from 'typeorm';
import { int8Array } from '../platform/database/binary-arrays.js';
import type { JsonValue } from '../platform/json.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { RequestLog } from './shared/request-log.entity.js';
import type { RequestSort } from './shared/request-sorts.js';
import { requestConditions } from './search/all-matches.js';
import { parseLogQuery } from './search/request-conditions.js';

/** Which request logs, in which order. */
export type RequestSelection = {
  /** Exactly these, in this order; everything but `limit` is then ignored. */
  ids?: number[] | null;
  filterGroup?: JsonValue;
  /** Free text. */
  q?: string | null;
  /** By default newest first. */
  sort?: { by: RequestSort; order: 'asc' | 'desc' } | null;
  /** Further conditions on logs that are searched for. */
  among?: LogsAmong | null;
  limit: number;
};

/** Conditions that callers state by ids of the prompt registry and by time. All that are given must hold. */
export type LogsAmong = {
  promptId?: number | null;
  promptVersionId?: number | null;
  /** The version the label is on when the logs are searched for. */
  promptLabelId?: number | null;
  /** Milliseconds since the epoch; logs that began then or later. */
  from?: number | null;
  /** Logs that began then or earlier. */
  to?: number | null;
};

const SORT_COLUMNS: Record<RequestSort, string> = {
  request_start_time: 'request_start_time',
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  cost: 'price',
  latency_ms: 'latency_ms',
  status: 'status',
};

function amongConditions(workspaceId: number, among: LogsAmong, parameters: SqlParameters): string[] {
  const versions = (table: string, number: string, id: number) =>
    `(prompt_id, prompt_version_number) = (SELECT prompt_id, ${number} FROM ${table}
       WHERE workspace_id = ${parameters.add(workspaceId)} AND id = ${parameters.add(id)})`;
  const time = (ms: number) => `to_timestamp(${parameters.add(ms)}::float8 / 1000)`;
  const { promptId, promptVersionId, promptLabelId, from, to } = among;
  return [
    promptId ? `prompt_id = ${parameters.add(promptId)}` : null,
    promptVersionId ? versions('prompt_versions', 'number', promptVersionId) : null,
    promptLabelId ? versions('prompt_labels', 'version_number', promptLabelId) : null,
    isGiven(from) ? `request_start_time >= ${time(from)}` : null,
    isGiven(to) ? `request_start_time <= ${time(to)}` : null,
  ].filter((condition) => condition !== null);
}

const isGiven = (value: number | null | undefined): value is number => value !== null && value !== undefined;

/** A request log of which only some parts were read. `scores` are its scores by name. */
export type LogParts = RequestLog & { scores: Record<string, number> };
export type LogPart = Exclude<keyof LogParts, 'tracked'>;

const SCORES = `coalesce((SELECT jsonb_object_agg(s.name, s.score ORDER BY s.name) FROM request_scores s
  WHERE s.workspace_id = $1 AND s.log_id = l.id), '{}')`;

/** Statements that read the names in logs as `name`. */
const NAMES = {
  variables: `SELECT name FROM request_logs, jsonb_object_keys(prompt_input_variables) AS name
    WHERE workspace_id = $1 AND id = ANY($2::bigint[])`,
  metadata: `SELECT name FROM request_logs, jsonb_object_keys(metadata) AS name
    WHERE workspace_id = $1 AND id = ANY($2::bigint[])`,
  scores: 'SELECT name FROM request_scores WHERE workspace_id = $1 AND log_id = ANY($2::bigint[])',
};

/** Reads request logs of a selection. */
export const LogSelection = {
  /** Throws what the filter grammar throws when the filter of a selection is not valid. */
  check({ filterGroup, q }: RequestSelection): void {
    parseLogQuery({ filterGroup, q });
  },

  /** The ids of the selected logs, without those that do not exist in the workspace. */
  async readIds(tx: EntityManager, workspaceId: number, selection: RequestSelection): Promise<number[]> {
    if (selection.ids) return selectKnown(tx, workspaceId, selection.ids.slice(0, selection.limit));
    const parameters = new SqlParameters();
    const { filterGroup, q, among } = selection;
    const search = await requestConditions(tx, workspaceId, { filterGroup, q }, parameters);
    const conditions = [search, ...amongConditions(workspaceId, among ?? {}, parameters)].join(' AND ');
    const rows = await tx.query<{ id: string }[]>(
      `SELECT id FROM request_logs WHERE ${conditions}
        ORDER BY ${orderOf(selection)} LIMIT ${parameters.add(selection.limit)}`,
      parameters.values,
    );
    return rows.map((row) => Number(row.id));
  },

  /**
   * Some parts of logs of the workspace, by id; one deleted meanwhile is missing. One statement, and no entity per log:
   * making those would take longer than reading them.
   */
  async readParts(
    tx: EntityManager,
    workspaceId: number,
    ids: number[],
    parts: LogPart[],
  ): Promise<Map<number, LogParts>> {
    const entity = tx.connection.getMetadata(RequestLog);
    const sqlOf = (part: LogPart) =>
      part === 'scores' ? SCORES : `l.${entity.findColumnWithPropertyName(part)!.databaseName}`;
    const columns = parts.map((part) => `${sqlOf(part)} AS "${part}"`);
    const rows = await tx.query<(LogParts & { key: string })[]>(
      `SELECT ${['l.id AS key', ...columns].join(', ')} FROM request_logs l
        WHERE l.workspace_id = $1 AND l.id = ANY($2::bigint[])`,
      [workspaceId, int8Array(ids)],
    );
    return new Map(rows.map((row) => [Number(row.key), row]));
  },

  /** The names of all input variables, keys of metadata or scores of some logs, most used first. */
  async readNames(
    tx: EntityManager,
    workspaceId: number,
    { ids, of, limit }: { ids: number[]; of: keyof typeof NAMES; limit: number },
  ): Promise<string[]> {
    const rows = await tx.query<{ name: string }[]>(
      `SELECT name FROM (${NAMES[of]}) named GROUP BY name ORDER BY count(*) DESC, name LIMIT $3`,
      [workspaceId, int8Array(ids), limit],
    );
    return rows.map((row) => row.name);
  },

  /** Whether any of these logs has an error message. */
  async haveErrors(tx: EntityManager, workspaceId: number, ids: number[]): Promise<boolean> {
    const [answer] = await tx.query<{ has: boolean }[]>(
      `SELECT EXISTS (SELECT FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[])
          AND coalesce(nullif(error_message, ''), nullif(error_type, '')) IS NOT NULL) AS has`,
      [workspaceId, int8Array(ids)],
    );
    return answer!.has;
  },

  /** The versions of prompts that some logs were made with, each once. */
  readPromptVersions(
    tx: EntityManager,
    workspaceId: number,
    ids: number[],
  ): Promise<{ promptId: number; versionNumber: number }[]> {
    return tx.query(
      `SELECT DISTINCT prompt_id AS "promptId", prompt_version_number AS "versionNumber" FROM request_logs
        WHERE workspace_id = $1 AND id = ANY($2::bigint[]) AND prompt_id IS NOT NULL AND prompt_version_number IS NOT NULL`,
      [workspaceId, int8Array(ids)],
    );
  },
};

async function selectKnown(tx: EntityManager, workspaceId: number, ids: number[]): Promise<number[]> {
  const rows = await tx.query<{ id: string }[]>(
    'SELECT id FROM request_logs WHERE workspace_id = $1 AND id = ANY($2::bigint[])',
    [workspaceId, ids],
  );
  const known = new Set(rows.map((row) => Number(row.id)));
  return [...new Set(ids)].filter((id) => known.has(id));
}

function orderOf({ sort }: RequestSelection): string {
  const { by, order } = sort ?? { by: 'request_start_time' as const, order: 'desc' as const };
  return `${SORT_COLUMNS[by]} ${order} NULLS LAST, id ${order}`;
}
