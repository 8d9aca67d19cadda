import type { SqlParameters } from '../../platform/filters/sql-parameters.js';
import {
  phraseStandsIn,
  type TextQuery,
  type WantedWord,
  withoutApostrophes,
  wordStandsIn,
} from '../../words/index.js';
import { someSpanOf } from './span-scope.js';

/** The workspace whose spans are searched, and the parameters that values are added to. */
interface SpansOf {
  workspaceId: number;
  parameters: SqlParameters;
}

/** The conditions over `traces` t of a free text: every word begins a word of a name, an input or an output of some span. */
export function wordConditions(words: readonly WantedWord[], of: SpansOf): string[] {
  return words.map((wanted) => someText((text) => wordStandsIn(text, wanted, of.parameters), of));
}

/** Each phrase of a free text must occur in one of these texts. */
export function phraseConditions({ phrases }: TextQuery, of: SpansOf): string[] {
  return phrases.map((phrase) => someText((text) => phraseStandsIn(text, phrase, of.parameters), of));
}

/** `test` is SQL over a text without apostrophes. */
function someText(test: (text: string) => string, { workspaceId, parameters }: SpansOf): string {
  const texts = ['d.name', 'd.input', 'd.output', 'd.answer'].map((column) =>
    test(withoutApostrophes(`comparable_text(${column})`)),
  );
  const ofTrace = `d.workspace_id = ${parameters.add(workspaceId)}::int AND d.trace_id = t.trace_id`;
  return someSpanOf(`span_search d WHERE ${ofTrace} AND (${texts.join(' OR ')})`);
}
