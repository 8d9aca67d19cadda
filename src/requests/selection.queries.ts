import { type EntityManager, In } from 'typeorm';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import { RequestLog } from './request-log.entity.js';
import { parseLogQuery, requestConditions } from './search/request-conditions.js';

export const REQUEST_SORTS = [
  'request_start_time',
  'input_tokens',
  'output_tokens',
  'cost',
  'latency_ms',
  'status',
] as const;
export type RequestSort = (typeof REQUEST_SORTS)[number];

/** Which request logs, in which order. */
export interface RequestSelection {
  /** Exactly these, in this order; everything but `limit` is then ignored. */
  ids?: number[] | null;
  filterGroup?: unknown;
  /** Free text. */
  q?: string | null;
  /** By default newest first. */
  sort?: { by: RequestSort; order: 'asc' | 'desc' } | null;
  limit: number;
}

const SORT_COLUMNS: Record<RequestSort, string> = {
  request_start_time: 'request_start_time',
  input_tokens: 'input_tokens',
  output_tokens: 'output_tokens',
  cost: 'price',
  latency_ms: 'latency_ms',
  status: 'status',
};

/** Throws what the filter grammar throws when the filter of a selection is not valid. */
export function checkSelection({ filterGroup, q }: RequestSelection): void {
  parseLogQuery({ filterGroup, q });
}

/** The ids of the selected logs. Ids that do not exist in the workspace are left out. */
export async function selectRequestLogIds(
  tx: EntityManager,
  workspaceId: number,
  selection: RequestSelection,
): Promise<number[]> {
  if (selection.ids) return selectKnown(tx, workspaceId, selection.ids.slice(0, selection.limit));
  const parameters = new SqlParameters();
  const { filterGroup, q } = selection;
  const conditions = await requestConditions(tx, workspaceId, { filterGroup, q }, parameters);
  const rows = await tx.query<{ id: string }[]>(
    `SELECT id FROM request_logs WHERE ${conditions}
      ORDER BY ${orderOf(selection)} LIMIT ${parameters.add(selection.limit)}`,
    parameters.values,
  );
  return rows.map((row) => Number(row.id));
}

/** Logs of the workspace by id, in the order of the ids; one deleted meanwhile is missing. */
export async function readRequestLogs(tx: EntityManager, workspaceId: number, ids: number[]): Promise<RequestLog[]> {
  const logs = await tx.find(RequestLog, { where: { workspaceId, id: In(ids.map(String)) } });
  const byId = new Map(logs.map((log) => [Number(log.id), log]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The names of all input variables of some logs, most used first. */
export async function readVariableNames(
  tx: EntityManager,
  workspaceId: number,
  ids: number[],
  limit: number,
): Promise<string[]> {
  const rows = await tx.query<{ name: string }[]>(
    `SELECT name FROM request_logs, jsonb_object_keys(prompt_input_variables) AS name
      WHERE workspace_id = $1 AND id = ANY($2::bigint[]) GROUP BY name ORDER BY count(*) DESC, name LIMIT $3`,
    [workspaceId, ids, limit],
  );
  return rows.map((row) => row.name);
}

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
