import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import {
  beginningsOf,
  incompleteLexeme,
  mayHaveRuns,
  phraseStandsIn,
  startsWithHangul,
  type TextQuery,
  toTsquery,
  withoutApostrophes,
} from '../../requests/index.js';
import type { RequiredTexts } from './requirements.js';
import { someSpanOf } from './span-scope.js';

/**
 * The condition over `traces` t and `trace_search` x for free text: every word begins a word of a name, an input or an
 * output of some span; phrases stand in one text. A trace with too many words for the index is looked at itself.
 * `narrows`: false for traces that are known to fulfil `mayHaveTexts`.
 */
export function textCondition(
  workspaceId: number,
  query: TextQuery,
  { parameters, narrows }: { parameters: SqlParameters; narrows: boolean },
): string {
  const oneByOne = !narrows;
  const conditions = query.phrases.map((phrase) =>
    someText((text) => phraseStandsIn(text, phrase, parameters), { oneByOne }),
  );
  if (query.words.length > 0) {
    conditions.unshift(wordCondition(workspaceId, query, { parameters, oneByOne }));
    if (narrows) conditions.unshift(mayHaveTexts(workspaceId, query, parameters));
  }
  return `(${conditions.join(' AND ')})`;
}

/** Over `trace_search` x: holds for every trace that has the words beside each other, and for few others. */
export function mayHaveTexts(workspaceId: number, { words, runs }: RequiredTexts, parameters: SqlParameters): string {
  const wanted = `(${toTsquery(workspaceId, words)}) | '${incompleteLexeme(workspaceId)}'`;
  const hasWords = `x.words @@ ${parameters.add(wanted)}::tsquery`;
  if (runs.length === 0) return hasWords;
  return `${hasWords} AND (SELECT ${mayHaveRuns('r', runs)} FROM trace_word_runs r
    WHERE r.workspace_id = x.workspace_id AND r.trace_id = x.trace_id)`;
}

function wordCondition(
  workspaceId: number,
  query: TextQuery,
  { parameters, oneByOne }: { parameters: SqlParameters; oneByOne: boolean },
): string {
  const words = `${parameters.add(toTsquery(workspaceId, query.words))}::tsquery`;
  const inTexts = query.words
    .map((wanted) => {
      const start = startsWithHangul(wanted.word) ? '' : '\\m';
      const pattern = parameters.add(`${start}(${beginningsOf(wanted).join('|')})${wanted.prefix ? '' : '\\M'}`);
      return someText((text) => `${text} ~* ${pattern}::text`, { oneByOne });
    })
    .join(' AND ');
  return `(x.words @@ ${words} OR (${inTexts}))`;
}

/** Over `traces` t. `test` is SQL over a text without apostrophes. */
function someText(test: (text: string) => string, options: { oneByOne: boolean }): string {
  const texts = ['d.name', 'd.input', 'd.output'].map((column) =>
    test(withoutApostrophes(`comparable_text(${column})`)),
  );
  const ofTrace = 'd.workspace_id = t.workspace_id AND d.trace_id = t.trace_id';
  return someSpanOf(`span_search d WHERE ${ofTrace} AND (${texts.join(' OR ')})`, options);
}
