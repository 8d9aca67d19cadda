import type { EntityManager } from 'typeorm';
import { FilterSemanticsError } from '../../platform/filters/errors.js';
import { type FilterGroup, parse } from '../../platform/filters/grammar.js';
import { LOGICS } from '../../platform/filters/shape.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { type Asked, askForText, forgiveMisspelling, unaskedWordsOf } from '../../text-search/index.js';
import { findWordsWith, parseTextQuery, partsIn, type TextQuery, type WantedWord } from '../../words/index.js';
import { findPlainResourceKeys, resourceKeysIn } from './resource-keys.queries.js';
import { TRACE_FIELD_CLASSES, TRACE_FIELDS } from './trace-fields.js';
import { questionOfFilter, type SearchedWorkspace, textsIn } from './trace-questions.js';
import { TraceScope } from './trace-scope.js';
import { phraseConditions, wordConditions } from './trace-text.js';

/** A trace query as received from a caller. */
export interface TraceQuery {
  filterGroup?: unknown;
  /** Free text over the names, inputs and outputs of spans. */
  q?: string | null;
  /** Location of the group in the request, for errors. */
  at?: readonly (string | number)[];
}

/** A query that is well formed. */
export interface ReadTraceQuery {
  group: FilterGroup | null;
  text: TextQuery | null;
}

/** A query with the known words in it, and the question for the index. */
export interface UnderstoodTraceQuery extends ReadTraceQuery {
  workspace: SearchedWorkspace;
  questions: Asked[];
}

/** Throws FilterSyntaxError (422) and FilterSemanticsError (400). */
export function readTraceQuery({ filterGroup, q, at = ['body', 'filter_group'] }: TraceQuery): ReadTraceQuery {
  const text = parseTextQuery(q);
  if (filterGroup === null || filterGroup === undefined) return { group: null, text };
  const group = parse(filterGroup, { fields: TRACE_FIELD_CLASSES, logics: LOGICS, at });
  refuseTraceFieldsOfSpans(group, false);
  return { group, text };
}

export async function understandTraceQuery(
  db: EntityManager,
  workspaceId: number,
  { group, text: given }: ReadTraceQuery,
): Promise<UnderstoodTraceQuery> {
  const text = await forgiveMisspelling(db, workspaceId, given);
  const wordsWith = await findWordsWith(db, workspaceId, partsIn(group ? textsIn(group) : []));
  const plainResourceKeys = await findPlainResourceKeys(db, workspaceId, group ? resourceKeysIn(group) : []);
  const workspace = { workspaceId, wordsWith, plainResourceKeys };
  const questions = [...(group ? [questionOfFilter(workspace, group)] : []), ...(text ? [askForText(text)] : [])];
  return { group, text, workspace, questions };
}

/** Parts of a query that are checked in the rows of traces. */
export interface LookedAt {
  group: boolean;
  /** `unasked` are those that the index is not asked for. */
  words: 'all' | 'unasked' | 'none';
  phrases: boolean;
}

/**
 * The condition over `traces` t, the workspace included. Traces that search has not read yet match only by columns of
 * `traces`.
 */
export function conditionOf(
  { group, text, workspace }: UnderstoodTraceQuery,
  looked: LookedAt,
  parameters: SqlParameters,
): string {
  const scope = new TraceScope(workspace, parameters);
  const workspaceId = `${parameters.add(workspace.workspaceId)}::int`;
  const ofWorkspace = `t.workspace_id = ${workspaceId}`;
  const ofSpans = { workspaceId: workspace.workspaceId, parameters };
  const conditions = [
    ...(group && looked.group ? [scope.group(group)] : []),
    ...(text ? wordConditions(wordsToLookAt(text, looked), ofSpans) : []),
    ...(text && looked.phrases ? phraseConditions(text, ofSpans) : []),
  ];
  const filter = conditions.filter((condition) => condition !== 'TRUE').join(' AND ');
  if (filter === '') return ofWorkspace;
  if (!scope.searched) return `${ofWorkspace} AND ${filter}`;
  return (
    `${ofWorkspace} AND EXISTS (SELECT FROM trace_search x ` +
    `WHERE x.workspace_id = ${workspaceId} AND x.trace_id = t.trace_id AND ${filter} OFFSET 0)`
  );
}

function wordsToLookAt(text: TextQuery, { words }: LookedAt): readonly WantedWord[] {
  if (words === 'none') return [];
  return words === 'all' ? text.words : unaskedWordsOf(text);
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
