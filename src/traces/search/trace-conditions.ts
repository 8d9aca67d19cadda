import type { ReadTraceQuery } from './read-trace-query.js';
import type { EntityManager } from 'typeorm';
import { FilterSemanticsError } from '../../platform/filters/errors.js';
import { type FilterGroup, parse } from '../../platform/filters/grammar.js';
import { LOGICS } from '../../platform/filters/shape.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { findWordsWith, forgiveMisspelling, parseTextQuery, partsIn } from '../../requests/index.js';
import { findRareSpans, type Listing } from './rare-spans.queries.js';
import { asksForIds, testsColumns, textsIn } from './requirements.js';
import { findPlainResourceKeys, resourceKeysIn } from './resource-keys.queries.js';
import { type Candidates, candidatesOf } from './trace-candidates.js';
import { TRACE_FIELD_CLASSES, TRACE_FIELDS } from './trace-fields.js';
import { TraceScope } from './trace-scope.js';
import { textCondition } from './trace-text.js';

/** What a caller asks of traces, as it came over the wire. */
export interface TraceQuery {
  filterGroup?: unknown;
  /** Free text over the names, inputs and outputs of spans. */
  q?: string | null;
  /** Where the group stands in the request; for the place of faults. */
  at?: readonly (string | number)[];
}

/** How the traces of a query are found. */
export interface TraceSelection {
  /** Over `traces` t, the workspace included. */
  condition: string;
  candidates: Candidates | null;
  /** The same as `condition`, with values of its own, for traces that are among the candidates. */
  ofCandidates: { condition: string; values: readonly unknown[] };
  /** Whether the condition looks at the spans of every trace it is tested with. */
  testsSpans: boolean;
  /** Whether the condition also asks for what no index of `trace_search` tells, but columns of the trace: its start, its sums. */
  testsColumns: boolean;
  /** Whether there may be few traces that match and are not listed: groups about a span that were not looked up to the end. */
  mayBeRare: boolean;
  /** Whether the traces are found by ids, as the planner knows. There are no candidates then. */
  asksForIds: boolean;
}

/** The condition of `selectTraces`. Throws FilterSyntaxError (422) and FilterSemanticsError (400). */
export async function traceConditions(
  db: EntityManager,
  workspaceId: number,
  query: TraceQuery,
  parameters: SqlParameters,
): Promise<string> {
  return (await selectTraces(db, { workspaceId, listing: 'thorough' }, readTraceQuery(query), parameters)).condition;
}

/**
 * What selects the traces that a query matches. The values of the condition go into `parameters`. Traces that search has
 * not read yet are found by what `traces` tells alone. `db` is asked for the words that parts of words belong to, for what
 * resources have and for the traces of rare spans; use the selection soon.
 */
export async function selectTraces(
  db: EntityManager,
  { workspaceId, listing }: { workspaceId: number; listing: Listing },
  { group, text }: ReadTraceQuery,
  parameters: SqlParameters,
): Promise<TraceSelection> {
  const query = { group, text: await forgiveMisspelling(db, workspaceId, text) };
  const wordsWith = await findWordsWith(db, workspaceId, partsIn(group ? textsIn(group) : []));
  const plainResourceKeys = await findPlainResourceKeys(db, workspaceId, group ? resourceKeysIn(group) : []);
  const workspace = { workspaceId, wordsWith, plainResourceKeys };
  const byIds = group !== null && asksForIds(group);
  const { listed, mayBeRare } = await listTraces(db, { workspaceId, listing }, byIds ? null : group);
  const scope = new TraceScope(workspace, parameters, listed);
  const own = new SqlParameters();
  // Candidates that are listed have been looked up for the groups about one span and for nothing else.
  const ofCandidates = new TraceScope(workspace, own, listed, listed.size > 0);
  return {
    condition: conditionOf(scope, query, parameters),
    ofCandidates: { condition: conditionOf(ofCandidates, query, own), values: own.values },
    candidates: byIds ? null : candidatesOf(workspace, query, [...listed.values()]),
    testsSpans: scope.testsSpans || readsTexts(query),
    testsColumns: group !== null && testsColumns(workspace, group),
    mayBeRare,
    asksForIds: byIds,
  };
}

function conditionOf(scope: TraceScope, { group, text }: ReadTraceQuery, parameters: SqlParameters): string {
  const { workspaceId, narrows } = scope;
  const workspace = `t.workspace_id = ${parameters.add(workspaceId)}::int`;
  const conditions = [
    ...(group ? [scope.group(group)] : []),
    ...(text ? [textCondition(workspaceId, text, { parameters, narrows })] : []),
  ];
  const filter = conditions.filter((condition) => condition !== 'TRUE').join(' AND ');
  if (filter === '') return workspace;
  if (text === null && !scope.searched) return `${workspace} AND ${filter}`;
  return (
    `${workspace} AND EXISTS (SELECT FROM trace_search x ` +
    `WHERE x.workspace_id = t.workspace_id AND x.trace_id = t.trace_id AND ${filter})`
  );
}

/** Whether the texts of spans are read, which takes milliseconds for each trace. */
export const readsTexts = ({ text }: ReadTraceQuery): boolean => text !== null && text.phrases.length > 0;

/** Throws what `traceConditions` throws. */
export function readTraceQuery({ filterGroup, q, at = ['body', 'filter_group'] }: TraceQuery): ReadTraceQuery {
  const text = parseTextQuery(q);
  if (filterGroup === null || filterGroup === undefined) return { group: null, text };
  const group = parse(filterGroup, { fields: TRACE_FIELD_CLASSES, logics: LOGICS, at });
  refuseTraceFieldsOfSpans(group, false);
  return { group, text };
}

/** Looks up the groups about one span that must all hold, those that few traces fulfil. */
async function listTraces(
  db: EntityManager,
  { workspaceId, listing }: { workspaceId: number; listing: Listing },
  group: FilterGroup | null,
): Promise<{ listed: Map<FilterGroup, string[]>; mayBeRare: boolean }> {
  const listed = new Map<FilterGroup, string[]>();
  let mayBeRare = false;
  for (const ofSpan of group ? requiredSpanGroups(group) : []) {
    const found = await findRareSpans(db, { workspaceId, group: ofSpan, listing });
    if (typeof found !== 'string') listed.set(ofSpan, found);
    else if (found === 'untried') mayBeRare = true;
  }
  return { listed, mayBeRare };
}

function requiredSpanGroups(group: FilterGroup): FilterGroup[] {
  if (group.logic.startsWith('SPAN_')) return [group];
  if (group.logic !== 'AND' && group.filters.length > 1) return [];
  return group.filters.flatMap((item) => ('filters' in item ? requiredSpanGroups(item) : []));
}

function refuseTraceFieldsOfSpans(group: FilterGroup, inSpan: boolean): void {
  const ofOneSpan = inSpan || group.logic.startsWith('SPAN_');
  for (const item of group.filters) {
    if ('filters' in item) refuseTraceFieldsOfSpans(item, ofOneSpan);
    else if (ofOneSpan && TRACE_FIELDS[item.field]!.level === 'trace') {
      throw new FilterSemanticsError(
        `The field "${item.field}" is about a whole trace and cannot stand in a SPAN_AND or SPAN_OR group.`,
      );
    }
  }
}
