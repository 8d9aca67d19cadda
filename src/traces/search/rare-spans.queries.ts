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
const PATIENCE_MS = 60;
/** The planner may use the index of the facets and nothing else. */
const INDEX_ONLY = { enable_seqscan: 'off', enable_indexscan: 'off' };

/**
 * The traces with a span that may fulfil the group; null when there are too many to list them, or when the planner needs
 * no help.
 *
 * The planner takes values for independent of each other. Where two common ones never meet in a span, it would look
 * through all traces for the first page, newest first. The index tells within milliseconds that there is none.
 */
export async function findRareSpans(
  db: EntityManager,
  workspaceId: number,
  group: FilterGroup,
): Promise<string[] | null> {
  const facets = spanFacetsRequiredBy(workspaceId, group);
  if (facets.length < 2) return null;
  const parameters = new SqlParameters();
  const conditions = facets.map((set) => `d.facets && ${parameters.add(set)}::text[]`);
  const spans = `span_search d WHERE d.workspace_id = ${parameters.add(workspaceId)}::int AND ${conditions.join(' AND ')}`;
  if ((await expectedRows(db, { from: spans, values: parameters.values })) > COMMON) return null;
  const exact = spanSearchCondition(workspaceId, group, parameters);
  const sql = `SELECT d.trace_id FROM ${spans} AND ${exact} LIMIT ${RARE + 1}`;
  const read = (tx: EntityManager) => tx.query<{ trace_id: string }[]>(sql, parameters.values);
  const rows = await withinMoment(db, PATIENCE_MS, read, INDEX_ONLY);
  return rows === null || rows.length > RARE ? null : [...new Set(rows.map((row) => row.trace_id))];
}

/** The group itself, if `span_search` alone can tell; TRUE otherwise. */
function spanSearchCondition(workspaceId: number, group: FilterGroup, parameters: SqlParameters): string {
  if (!new SpanScope(workspaceId, new SqlParameters()).isAboutSearchOnly(group)) return 'TRUE';
  return new SpanScope(workspaceId, parameters).group(group);
}
