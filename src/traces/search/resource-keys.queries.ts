import type { EntityManager } from 'typeorm';
import { withinMoment } from '../../platform/database/within-time.js';
import type { FilterGroup } from '../../platform/filters/grammar.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';

/**
 * Time limit. A workspace has few resources, unless each process has its own; after this time no key counts as plain.
 */
const PATIENCE_MS = 50;

/** The keys by which a group asks for attributes of resources. */
export function resourceKeysIn(group: FilterGroup): string[] {
  return group.filters.flatMap((item) => {
    if ('filters' in item) return resourceKeysIn(item);
    return item.field === 'span_resource' && item.nestedKey !== null ? [item.nestedKey] : [];
  });
}

/**
 * The keys at which a resource of the workspace can only have an attribute with just this name: no attribute name is a
 * prefix of the key, up to a dot. Almost all keys are such; `service.name` is one, unless some resource has an
 * attribute `service`.
 */
export async function findPlainResourceKeys(
  db: EntityManager,
  workspaceId: number,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const parameters = new SqlParameters();
  const workspace = `${parameters.add(workspaceId)}::int`;
  const plain = [...new Set(keys)].map(
    (key) => `SELECT ${parameters.add(key)}::text AS key WHERE NOT EXISTS (SELECT FROM span_sources
       WHERE workspace_id = ${workspace} AND resource -> 'attributes' ?| ${parameters.add(beginningsOf(key))}::text[])`,
  );
  const read = (tx: EntityManager) => tx.query<{ key: string }[]>(plain.join(' UNION ALL '), parameters.values);
  return new Set((await withinMoment(db, PATIENCE_MS, read))?.map((row) => row.key));
}

/** `a.b.c` begins with `a` and `a.b`. */
function beginningsOf(key: string): string[] {
  return [...key.matchAll(/\./g)].map(({ index }) => key.slice(0, index));
}
