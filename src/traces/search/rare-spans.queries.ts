import type { EntityManager } from 'typeorm';
import type { FilterGroup } from '../../platform/filters/grammar.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { spanFacetsRequiredBy } from './requirements.js';
import { SpanScope } from './span-scope.js';

/** Spans that are looked up at most: as many traces are quickly looked at one by one. */
const RARE = 2000;
/** Where the planner expects more spans than this, some are found soon by looking at the newest traces. */
const COMMON = 150_000;

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
  if ((await expectedRows(db, spans, [...parameters.values])) > COMMON) return null;
  const exact = spanSearchCondition(workspaceId, group, parameters);
  const rows = await byIndexOnly(db, (tx) =>
    tx.query<{ trace_id: string }[]>(
      `SELECT d.trace_id FROM ${spans} AND ${exact} LIMIT ${RARE + 1}`,
      parameters.values,
    ),
  );
  return rows.length > RARE ? null : [...new Set(rows.map((row) => row.trace_id))];
}

/** The group itself, if `span_search` alone can tell; TRUE otherwise. */
function spanSearchCondition(workspaceId: number, group: FilterGroup, parameters: SqlParameters): string {
  if (!new SpanScope(workspaceId, new SqlParameters()).isAboutSearchOnly(group)) return 'TRUE';
  return new SpanScope(workspaceId, parameters).group(group);
}

async function expectedRows(db: EntityManager, source: string, values: unknown[]): Promise<number> {
  const [row] = await db.query<[{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }]>(
    `EXPLAIN (FORMAT JSON) SELECT FROM ${source}`,
    values,
  );
  return row['QUERY PLAN'][0].Plan['Plan Rows'];
}

const SWITCHES = ['enable_seqscan', 'enable_indexscan'];

/** Runs a statement for which the planner may use the index of the facets and nothing else. */
function byIndexOnly<T>(db: EntityManager, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  const set = (tx: EntityManager, value: string) =>
    tx.query(`SELECT ${SWITCHES.map((name) => `set_config('${name}', '${value}', true)`).join(', ')}`);
  return db.transaction(async (tx) => {
    await set(tx, 'off');
    const result = await work(tx);
    // The transaction may be part of a larger one.
    await set(tx, 'on');
    return result;
  });
}
