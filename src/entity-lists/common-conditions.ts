import { hasExternalId } from '../external-ids/index.js';
import type { SqlParameters } from '../platform/filters/sql-parameters.js';
import { toTime } from '../platform/filters/values.js';
import { type CommonListQuery, externalIdIn } from './common-list.dto.js';

/** The table a list reads. */
export interface ListedTable {
  /** It has `id`, `created_at`, `updated_at` and `created_by` (the id of a key). */
  alias: string;
  /** The workspace as SQL. */
  workspaceSql: string;
  idType: 'integer' | 'uuid';
  /** The type under which external ids are attached; without it nothing has any. */
  externalIdType?: string;
}

/** The SQL conditions of a query; their values go into `parameters`. Throws a ValidationProblem. */
export function commonConditions(query: CommonListQuery, table: ListedTable, parameters: SqlParameters): string[] {
  return [
    ...momentConditions(query, table, parameters),
    ...creatorConditions(query, table, parameters),
    ...externalIdConditions(query, table, parameters),
  ];
}

function momentConditions(query: CommonListQuery, { alias }: ListedTable, parameters: SqlParameters): string[] {
  const bounds: [comparison: string, moment: string | undefined][] = [
    ['created_at >=', toTime(query.created_after)?.first],
    ['created_at <=', toTime(query.created_before)?.last],
    ['updated_at >=', toTime(query.updated_after)?.first],
    ['updated_at <=', toTime(query.updated_before)?.last],
  ];
  return bounds.flatMap(([comparison, moment]) =>
    moment === undefined ? [] : [`${alias}.${comparison} ${parameters.add(moment)}::timestamptz`],
  );
}

function creatorConditions(
  { created_by_email: email }: CommonListQuery,
  { alias, workspaceSql }: ListedTable,
  parameters: SqlParameters,
): string[] {
  if (email === undefined) return [];
  return [
    `${alias}.created_by IN (SELECT k.id FROM api_keys k
      WHERE k.workspace_id = ${workspaceSql} AND lower(k.owner_email) = lower(${parameters.add(email)}::text))`,
  ];
}

function externalIdConditions(query: CommonListQuery, table: ListedTable, parameters: SqlParameters): string[] {
  const pair = externalIdIn(query);
  if (!pair) return [];
  const { externalIdType: type, alias, idType, workspaceSql } = table;
  if (!type) return ['false'];
  return [hasExternalId({ type, idSql: `${alias}.id`, idType, workspaceSql }, pair, parameters)];
}
