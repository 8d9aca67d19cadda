import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { ScimErrors } from '../shared/scim.errors.js';
import { parseFilter } from './filter.js';
import { type FilterSource, toCondition } from './filter-sql.js';
import { pageOf, type ScimListQuery, type ScimPage } from './http.js';
import { resolvePath } from './schemas.js';

/** The parts of the statements of a list. */
export interface ListStatement {
  where: string;
  orderBy: string;
  page: ScimPage;
  parameters: SqlParameters;
}

/** Throws scim_filter_invalid, and scim_path_invalid for an attribute that lists cannot be sorted by. */
export function listStatement(
  source: FilterSource,
  sorts: Record<string, string>,
  query: ScimListQuery,
): ListStatement {
  const parameters = new SqlParameters();
  const where = query.filter?.trim() ? toCondition(parseFilter(query.filter), source, parameters) : 'true';
  return { where, orderBy: orderOf(source, sorts, query), page: pageOf(query), parameters };
}

/** Sorts by the id last, which makes the order unique: pages neither overlap nor leave gaps. */
function orderOf({ type }: FilterSource, sorts: Record<string, string>, query: ScimListQuery): string {
  const { sortBy = 'id', sortOrder } = query;
  const name = resolvePath(type, sortBy)
    ?.map((each) => each.name)
    .join('.');
  const column = name !== undefined && Object.hasOwn(sorts, name) ? sorts[name]! : null;
  if (column === null) throw ScimErrors.scim_path_invalid(sortBy.slice(0, 100));
  const direction = sortOrder === 'descending' ? 'DESC' : 'ASC';
  const id = sorts.id!;
  return column === id ? `${id} ${direction}` : `${column} ${direction}, ${id} ${direction}`;
}
