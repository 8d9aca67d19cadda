import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import {
  incompleteLexeme,
  type RequiredWord,
  type TextQuery,
  toTsquery,
  withoutApostrophes,
} from '../../requests/index.js';

/**
 * The condition over `traces` t and `trace_search` x for free text: every word begins a word of a name, an input or an
 * output of some span; phrases stand in one text. A trace with too many words for the index is looked at itself.
 */
export function textCondition(workspaceId: number, { words, phrases }: TextQuery, parameters: SqlParameters): string {
  const conditions = phrases.map((phrase) => someText(`ILIKE ${parameters.add(containing(phrase))}::text`));
  if (words.length > 0) conditions.unshift(wordCondition(workspaceId, words, parameters));
  return `(${conditions.join(' AND ')})`;
}

/** Over `trace_search` x: holds for every trace that has the words and for few others. */
export function mayHaveWords(workspaceId: number, words: readonly RequiredWord[], parameters: SqlParameters): string {
  return `x.words @@ ${parameters.add(wordsOrIncomplete(workspaceId, words))}::tsquery`;
}

/** As a tsquery: all the words, or the mark of a trace with too many of them for the index. */
function wordsOrIncomplete(workspaceId: number, words: readonly RequiredWord[]): string {
  return `(${toTsquery(workspaceId, words)}) | '${incompleteLexeme(workspaceId)}'`;
}

function wordCondition(workspaceId: number, words: TextQuery['words'], parameters: SqlParameters): string {
  const query = `${parameters.add(toTsquery(workspaceId, words))}::tsquery`;
  const inTexts = words
    .map(({ word, prefix }) => someText(`~* ${parameters.add(`\\m${word}${prefix ? '' : '\\M'}`)}::text`))
    .join(' AND ');
  return `(${mayHaveWords(workspaceId, words, parameters)} AND (x.words @@ ${query} OR (${inTexts})))`;
}

function someText(test: string): string {
  const texts = ['d.name', 'd.input', 'd.output'].map((column) => `${withoutApostrophes(column)} ${test}`);
  return (
    `EXISTS (SELECT FROM span_search d WHERE d.workspace_id = t.workspace_id AND d.trace_id = t.trace_id ` +
    `AND (${texts.join(' OR ')}))`
  );
}

const containing = (phrase: string): string => `%${phrase.replace(/['’‘ʼ]/g, '').replace(/[\\%_]/g, '\\$&')}%`;
