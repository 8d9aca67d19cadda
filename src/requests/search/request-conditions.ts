import type { EntityManager } from 'typeorm';
import type { FilterGroup } from '../../platform/filters/grammar.js';
import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { findPromptIds } from '../../prompts/index.js';
import {
  type FilterScope,
  parseRequestFilter,
  promptNamesIn,
  requestFields,
  requestFilterSql,
} from '../shared/request-filters.js';
import { type Asked, forgiveMisspelling, type Waiting } from '../../text-search/index.js';
import { findWordsWith, parseTextQuery, partsIn, type TextQuery } from '../../words/index.js';
import { questionOfFilter } from './log-questions.js';
import { findWords } from './text-check.js';
import { readsTexts, textsRequiredBy } from './text-filters.js';
import { readWaiting } from './waiting-logs.js';

/** A query for request logs in the form of the request. */
export interface RequestLogQuery {
  filterGroup?: unknown;
  /** Further conditions, all of which must match besides the group. */
  filters?: unknown[] | null;
  /** Free text. */
  q?: string | null;
}

/** A parsed query. */
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

/** A query with the known words of the workspace, and the index query of each group. */
export interface UnderstoodQuery extends ParsedLogQuery {
  questions: Asked[];
  waiting: Waiting;
}

/** `which` of the logs that are not in the index yet are read. */
export async function understandLogQuery(
  db: EntityManager,
  workspaceId: number,
  { parsed, which }: { parsed: ParsedLogQuery; which: 'newest' | 'all' },
): Promise<UnderstoodQuery> {
  const { groups, text } = parsed;
  const texts = groups.flatMap(textsRequiredBy);
  // The order matters: the words of a log that has just been indexed are known only from then on.
  const waiting = await readWaiting(db, workspaceId, { which, readsTexts: text !== null || groups.some(readsTexts) });
  const words = await findWordsWith(db, workspaceId, partsIn(texts));
  const fields = requestFields(await scopeOf(db, workspaceId, groups));
  const questions = groups.map((group) => questionOfFilter(group, { fields, words }));
  const forgiven = await forgiveMisspelling(db, workspaceId, text, (unknown) =>
    findWords(db, workspaceId, { ids: waiting.ids, words: unknown }),
  );
  return { groups, text: forgiven, questions, waiting };
}

/** The conditions on `request_logs` except the free text, the workspace first. All must match. */
export async function filterConditions(
  db: EntityManager,
  workspaceId: number,
  groups: readonly FilterGroup[],
  parameters: SqlParameters,
): Promise<string[]> {
  const scope = await scopeOf(db, workspaceId, groups);
  const workspace = `workspace_id = ${parameters.add(workspaceId)}`;
  return [workspace, ...groups.map((group) => requestFilterSql(group, scope, parameters))];
}

async function scopeOf(db: EntityManager, workspaceId: number, groups: readonly FilterGroup[]): Promise<FilterScope> {
  return { workspaceId, promptIds: await findPromptIds(db, workspaceId, groups.flatMap(promptNamesIn)) };
}
