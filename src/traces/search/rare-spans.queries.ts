import type { EntityManager } from 'typeorm';
import { expectedRows } from '../../platform/database/query-plan.js';
import { withinMoment } from '../../platform/database/within-time.js';
import type { FilterGroup } from '../../platform/filters/grammar.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { spanFacetsRequiredBy } from './requirements.js';
import { SpanScope } from './span-scope.js';

/** Spans that are looked up at most: as many traces are quickly looked at one by one. */
const RARE = 2000;
/** Where the planner expects more spans than this, some are found soon by looking at the newest traces. */
const COMMON = 150_000;
/** The index tells within milliseconds, unless it has to join many common values. */
const PATIENCE_MS = { expected: 60, thorough: 500 };
/** The planner may use the index of the facets and nothing else. */
const INDEX_ONLY = { enable_seqscan: 'off', enable_indexscan: 'off' };

/**
 * Which groups are looked up, and how patiently: those only that the planner expects few spans to fulfil, or all that may
 * be worth it.
 */
export type Listing = keyof typeof PATIENCE_MS;

/**
 * The traces with a span that may fulfil the group; `many` when there are too many to list them, or when the planner needs
 * no help, and `untried` when another listing may tell.
 *
 * The planner takes values for independent of each other. Where two common ones never meet in a span, it would look
 * through all traces for the first page, newest first. The index tells within milliseconds that there is none.
 */
export async function findRareSpans(
  db: EntityManager,
  { workspaceId, group, listing }: { workspaceId: number; group: FilterGroup; listing: Listing },
): Promise<string[] | 'many' | 'untried'> {
  const facets = spanFacetsRequiredBy(workspaceId, group);
  if (facets.length < 2) return 'many';
  const parameters = new SqlParameters();
  const conditions = facets.map((set) => `d.facets && ${parameters.add(set)}::text[]`);
  const spans = `span_search d WHERE d.workspace_id = ${parameters.add(workspaceId)}::int AND ${conditions.join(' AND ')}`;
  const expected = await expectedRows(db, { from: spans, values: parameters.values });
  if (expected > COMMON) return 'many';
  if (expected > RARE && listing === 'expected') return 'untried';
  const exact = spanSearchCondition(workspaceId, group, parameters);
  const sql = `SELECT d.trace_id FROM ${spans} AND ${exact} LIMIT ${RARE + 1}`;
  const read = (tx: EntityManager) => tx.query<{ trace_id: string }[]>(sql, parameters.values);
  const rows = await withinMoment(db, PATIENCE_MS[listing], read, INDEX_ONLY);
  if (rows === null) return listing === 'thorough' ? 'many' : 'untried';
  return rows.length > RARE ? 'many' : [...new Set(rows.map((row) => row.trace_id))];
}

/** The group itself, if `span_search` alone can tell; TRUE otherwise. */
function spanSearchCondition(workspaceId: number, group: FilterGroup, parameters: SqlParameters): string {
  if (!new SpanScope(workspaceId, new SqlParameters()).isAboutSearchOnly(group)) return 'TRUE';
  return new SpanScope(workspaceId, parameters).group(group);
}
