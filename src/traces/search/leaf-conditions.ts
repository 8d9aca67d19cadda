import type { FilterLeaf } from '../../platform/filters/grammar.js';
import type { Bound } from '../../platform/filters/operators.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { leafSql } from '../../platform/filters/to-sql.js';
import type { FacetedWorkspace, TraceField } from './trace-fields.js';

/** The values of a leaf as the database has them. */
export function normalized(leaf: FilterLeaf, { normalize }: TraceField): FilterLeaf {
  const { condition } = leaf;
  if (!normalize || condition.kind !== 'one_of') return leaf;
  return { ...leaf, condition: { kind: 'one_of', values: condition.values.map(normalize) } };
}

/** Facets of which a trace must have at least one to match a leaf; null when facets cannot decide. */
export function facetsOf(workspace: FacetedWorkspace, leaf: FilterLeaf, field: TraceField): string[] | null {
  const { condition, nestedKey } = leaf;
  if (!field.facet || condition.kind !== 'one_of') return null;
  const { facet } = field;
  const facets = condition.values.map((value) => facet(workspace, value, nestedKey));
  return facets.every((entry) => entry !== null) ? facets : null;
}

/** A positive condition over the columns of a field, without facets. */
export function plainLeafSql(leaf: FilterLeaf, { field, paths }: TraceField, parameters: SqlParameters): string {
  const { condition, nestedKey } = leaf;
  if (field.class === 'datetime' && condition.kind === 'bounds') {
    return `(${condition.bounds.map((bound) => nanosecondBound(field.sql, bound, parameters)).join(' AND ')})`;
  }
  const sql = leafSql(leaf, field, parameters);
  if (condition.kind !== 'filled' || !paths || nestedKey === null) return sql;
  const start = parameters.add(`${nestedKey}.`);
  return `(${sql} OR EXISTS (SELECT FROM jsonb_object_keys(${paths}) AS path WHERE starts_with(path, ${start}::text)))`;
}

/**
 * Filters compare microseconds, and times are stored in nanoseconds. A bound includes its whole microsecond, or none of
 * it.
 */
function nanosecondBound(column: string, { comparison, value }: Bound, parameters: SqlParameters): string {
  const text = String(value);
  const micros = BigInt(Date.parse(text)) * 1000n + BigInt(text.slice(-4, -1));
  const wholeMicrosecond = comparison === '<=' || comparison === '>' ? 999n : 0n;
  const limit = clamped(micros * 1000n + wholeMicrosecond);
  return `${column} ${comparison} ${parameters.add(String(limit))}::bigint`;
}

const INT8_MAX = 2n ** 63n - 1n;

/** Times of spans fit an int8, which ends in 2262. */
function clamped(ns: bigint): bigint {
  return ns > INT8_MAX ? INT8_MAX : ns < -INT8_MAX ? -INT8_MAX : ns;
}
