import type { EntityManager } from 'typeorm';
import type { FilterGroup } from '../../platform/filters/grammar.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { findPromptIds } from '../../prompts/index.js';
import { type FilterScope, parseRequestFilter, promptNamesIn, requestFilterSql } from '../request-filters.js';
import { findRequiredWords, type RequiredWords } from './required-words.js';
import { forgiveMisspelling } from './spelling.js';
import { mayHaveWords, prepareTextConditions, wholeTextCondition } from './text-conditions.js';
import { parseTextQuery, type TextQuery } from './text-query.js';

/** What a caller asks of request logs, as it came over the wire. */
export interface RequestLogQuery {
  filterGroup?: unknown;
  /** Further conditions, all of which must hold beside the group. */
  filters?: unknown[] | null;
  /** Free text. */
  q?: string | null;
}

/** A query that was understood. */
export interface ParsedLogQuery {
  groups: FilterGroup[];
  text: TextQuery | null;
}

/** Throws FilterSyntaxError (422) and FilterSemanticsError (400). */
export function parseLogQuery({ filterGroup, filters, q }: RequestLogQuery): ParsedLogQuery {
  const groups = [
    parseRequestFilter(filterGroup, ['body', 'filter_group']),
    parseRequestFilter(filters && { filters }, ['body']),
  ];
  return { groups: groups.filter((group) => group !== null), text: parseTextQuery(q) };
}

/**
 * The SQL condition over `request_logs` (without an alias) that selects what a query matches, the workspace included.
 * Its values go into `parameters`. It is for reading everything that matches (analytics, exports); a page in time order
 * is found faster by the search itself. Throws FilterSyntaxError (422) and FilterSemanticsError (400).
 */
export async function requestConditions(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
  parameters: SqlParameters,
): Promise<string> {
  return wholeCondition(db, workspaceId, { ...(await understandLogQuery(db, workspaceId, query)), parameters });
}

/** A query with what is known of its words. */
export interface UnderstoodQuery extends ParsedLogQuery {
  required: RequiredWords;
}

/** Throws what `parseLogQuery` throws. */
export async function understandLogQuery(
  db: EntityManager,
  workspaceId: number,
  query: RequestLogQuery,
): Promise<UnderstoodQuery> {
  const { groups, text } = parseLogQuery(query);
  const required = await findRequiredWords(db, workspaceId, groups);
  return { groups, text: await forgiveMisspelling(db, workspaceId, text), required };
}

/** The same for a query of which it is known what words it requires. */
export async function wholeCondition(
  db: EntityManager,
  workspaceId: number,
  { text, parameters, ...filter }: FilterParts & { text: TextQuery | null },
): Promise<string> {
  const conditions = await filterConditions(db, workspaceId, { ...filter, parameters });
  if (text) {
    const found = await prepareTextConditions(db, workspaceId, { query: text, parameters });
    conditions.push(wholeTextCondition(workspaceId, found, parameters));
  }
  return conditions.join(' AND ');
}

interface FilterParts {
  groups: FilterGroup[];
  /** The words that the groups require; null when the caller looks them up. */
  required: RequiredWords | null;
  parameters: SqlParameters;
}

/** The conditions over `request_logs` of everything but the free text, the workspace first. All must hold. */
export async function filterConditions(
  db: EntityManager,
  workspaceId: number,
  { groups, required, parameters }: FilterParts,
): Promise<string[]> {
  const scope: FilterScope = {
    workspaceId,
    promptIds: await findPromptIds(db, workspaceId, groups.flatMap(promptNamesIn)),
  };
  const conditions = [
    `workspace_id = ${parameters.add(workspaceId)}`,
    ...(required && required.words.length > 0 ? [mayHaveWords(workspaceId, required, parameters)] : []),
    ...groups.map((group) => requestFilterSql(group, scope, parameters)),
  ];
  return conditions.filter((condition) => condition !== 'TRUE');
}
