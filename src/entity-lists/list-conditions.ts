import { comparableText } from '../platform/comparable-text.js';
import type { SqlParameters } from '../platform/filters/sql-parameters.js';
import { tagConditions } from '../platform/http/tags-query.js';
import { commonConditions, type ListedTable } from './common-conditions.js';
import type { CommonListQuery } from './common-list.dto.js';

/** A query of a list of entities with names. A list without a filter leaves it out. */
export interface ListQuery extends CommonListQuery {
  name?: string;
  tags?: string[];
  status?: 'active' | 'deleted' | 'all';
}

/**
 * The conditions that a query stands for, that of the workspace included, joined with AND; their values go into `parameters`. The
 * table has `name` and `deleted_at` besides.
 */
export function listConditions(query: ListQuery, table: ListedTable, parameters: SqlParameters): string {
  const { status = 'active', name, tags } = query;
  const { alias, workspaceSql } = table;
  const conditions = [`${alias}.workspace_id = ${workspaceSql}`];
  if (status !== 'all') conditions.push(`${alias}.deleted_at IS ${status === 'deleted' ? 'NOT NULL' : 'NULL'}`);
  if (name) {
    const text = `lower(${parameters.add(comparableText(name))}::text)`;
    conditions.push(`strpos(lower(comparable_text(${alias}.name)), ${text}) > 0`);
  }
  conditions.push(...tagConditions(`${alias}.tags`, tags, parameters), ...commonConditions(query, table, parameters));
  return conditions.join(' AND ');
}
