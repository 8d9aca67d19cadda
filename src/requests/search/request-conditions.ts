import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { requestFilter, requestTextFilter } from '../request-filters.js';

/** What a caller asks of request logs, as it came over the wire. */
export interface RequestLogQuery {
  filterGroup?: unknown;
  /** Further conditions, all of which must hold beside the group. */
  filters?: unknown[] | null;
  /** Free text. */
  q?: string | null;
}

/**
 * The SQL condition over `request_logs` (without an alias) that selects what a query matches, the workspace included.
 * Its values go into `parameters`. It is for reading everything that matches (analytics, exports); a page in time order
 * is found faster by the search itself. Throws FilterSyntaxError (422) and FilterSemanticsError (400).
 */
export async function requestConditions(
  _db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
  parameters: SqlParameters,
): Promise<string> {
  const at = ['body', 'filter_group'];
  const conditions = [
    `workspace_id = ${parameters.add(workspaceId)}`,
    requestFilter(query.filterGroup, at, parameters),
    requestFilter(query.filters && { filters: query.filters }, ['body', 'filters'], parameters),
    requestTextFilter(query.q, parameters),
  ];
  return Promise.resolve(conditions.filter((condition) => condition !== 'TRUE').join(' AND '));
}
