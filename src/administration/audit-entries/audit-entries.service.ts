import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { toTime } from '../../platform/filters/values.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, readingOrder } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { type Caller, INSTALLATION } from '../../access/index.js';

/** Filters of entries; without filters all. */
export interface AuditFilters {
  action?: string[];
  entityType?: string;
  entityId?: string;
  keyId?: number;
  /** The user of a membership or of personal keys. */
  userId?: number;
  requestId?: string;
  source?: 'api' | 'operator';
  occurredAfter?: string;
  occurredBefore?: string;
}

/** An entry with the key that acted, if it still exists. */
export interface ReadEntry {
  id: string;
  workspace_id: number;
  occurred_at: Date;
  action: string;
  entity_id: string;
  key_id: number | null;
  key_name: string | null;
  key_last_4: string | null;
  request_id: string;
  details: JsonObject;
}

@Injectable()
export class AuditEntriesService {
  constructor(private readonly db: DataSource) {}

  /** Up to `limit + 1` entries: the extra one shows that there are more. */
  list(
    { workspaceId }: Pick<Caller, 'workspaceId'>,
    filters: AuditFilters,
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<ReadEntry[]> {
    const { cursor, limit } = page;
    const position = cursor ? decodePosition(auditOrder(page.order, filters), cursor, ['number']) : null;
    const order = readingOrder(page.order, position);
    const parameters = new SqlParameters();
    const conditions = [auditCondition(workspaceId, filters, parameters)];
    if (position) {
      conditions.push(`e.id ${order === 'asc' ? '>' : '<'} ${parameters.add(position.values[0])}::bigint`);
    }
    return this.db.query<ReadEntry[]>(
      `SELECT e.id, e.workspace_id, e.occurred_at, e.action, e.entity_id, e.key_id, e.request_id, e.details,
              k.name AS key_name, k.last_four AS key_last_4
         FROM audit_entries e LEFT JOIN api_keys k ON k.workspace_id = e.workspace_id AND k.id = e.key_id
        WHERE ${conditions.join(' AND ')} ORDER BY e.id ${order} LIMIT ${parameters.add(limit + 1)}::integer`,
      parameters.values,
    );
  }
}

/** The condition for entries `e` of the workspace with the parameter that is added first. */
export function auditCondition(workspaceId: number, filters: AuditFilters, parameters: SqlParameters): string {
  const workspace = parameters.add(workspaceId);
  const { userId, ...others } = filters;
  const ofUser = workspaceId === INSTALLATION ? aboutUser : byKeysOf;
  return [
    `e.workspace_id = ${workspace}`,
    ...conditionsOf(others, parameters),
    ...(userId === undefined ? [] : [ofUser(workspace, parameters.add(userId))]),
  ].join(' AND ');
}

const byKeysOf = (workspace: string, user: string): string =>
  `e.key_id IN (SELECT id FROM api_keys WHERE workspace_id = ${workspace} AND user_id = ${user}::integer)`;

/** Users have no keys in the installation: entries about them are theirs. */
const aboutUser = (_workspace: string, user: string): string =>
  `(split_part(e.action, '.', 1) = 'user' AND e.entity_id = ${user}::text)`;

function conditionsOf(filters: Omit<AuditFilters, 'userId'>, parameters: SqlParameters): string[] {
  const { action, entityType, entityId, keyId, requestId, source, occurredAfter, occurredBefore } = filters;
  const compare = (sql: (placeholder: string) => string, value: unknown) =>
    value === undefined ? [] : [sql(parameters.add(value))];
  return [
    ...compare((names) => `e.action = ANY (${names}::text[])`, action),
    ...compare((type) => `split_part(e.action, '.', 1) = ${type}::text`, entityType),
    ...compare((id) => `e.entity_id = ${id}::text`, entityId),
    ...compare((id) => `e.key_id = ${id}::integer`, keyId),
    ...compare((id) => `e.request_id = ${id}::text`, requestId),
    ...(source === undefined ? [] : [`e.key_id IS ${source === 'api' ? 'NOT NULL' : 'NULL'}`]),
    ...compare((moment) => `e.occurred_at >= ${moment}::timestamptz`, toTime(occurredAfter)?.first),
    ...compare((moment) => `e.occurred_at <= ${moment}::timestamptz`, toTime(occurredBefore)?.last),
  ];
}

export function auditOrder(order: Order, filters: AuditFilters): ListOrder {
  return { sort: 'id', order, filters };
}
