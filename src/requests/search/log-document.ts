import type { Prompt } from '../../llm/blueprint.js';
import { isAscii } from '../../platform/comparable-text.js';
import { type DocumentTerms, type IndexedDocument, START } from '../../text-search/index.js';
import { STATUSES } from '../logging/outcome.js';
import type { RequestStatus } from '../llm-call.js';
import { searchedTexts } from './derived.js';
import { textWords } from './text-words.js';
import { wordHash } from './word-runs.js';
import { endsOf } from './words.js';

/** The index of request logs. */
export const LOGS = 1;

/** Words of a log that are in the index: running ones, and different ones. Of what follows only that it is missing is known. */
const MOST_WORDS = 500_000;
const MOST_DIFFERENT_WORDS = 20_000;

/** The term of logs of which words are missing in the index. */
export const INCOMPLETE = '*';

/** A log as it is put into the index. */
export interface LogToIndex {
  logId: string;
  startMicros: number;
  input: Prompt;
  output: Prompt;
  facets: readonly string[];
  status: RequestStatus;
  price: number | null;
  latencyMs: number;
  inputTokens: number | null;
  outputTokens: number | null;
  /** Fields that are only ever compared for equality, by name. */
  plain: Readonly<Record<string, string | null>>;
}

/** Numbers of a log by which logs are sorted or which are compared; `START` and this one are different for all logs. */
export const ID = 'id';

/** Alphabetically, as a text is sorted. */
const SORTED_STATUSES: readonly RequestStatus[] = [...STATUSES].sort();

export const statusValue = (status: string): number => SORTED_STATUSES.indexOf(status as RequestStatus);

/** Whether a term is a word; the others begin with what no word holds. */
export const isWord = (term: string): boolean => !/^[=#*]/.test(term);

export const facetTerm = (facet: string): string => `=${facet}`;
/** Longer values are compared in the log itself. */
export const LONGEST_PLAIN = 200;
export const plainTerm = (field: string, value: string): string => `#${field}=${value.slice(0, LONGEST_PLAIN)}`;

export function documentOf(log: LogToIndex, onFailure: (error: unknown) => void): IndexedDocument {
  return {
    key: log.logId,
    values: {
      [START]: log.startMicros,
      [ID]: Number(log.logId),
      status: statusValue(log.status),
      cost: log.price,
      latency_ms: log.latencyMs,
      input_tokens: log.inputTokens,
      output_tokens: log.outputTokens,
    },
    write(terms) {
      for (const facet of log.facets) terms.addTerm(facetTerm(facet));
      for (const [field, value] of Object.entries(log.plain))
        if (value !== null) terms.addTerm(plainTerm(field, value));
      try {
        if (!addWords(terms, log)) terms.addTerm(INCOMPLETE);
      } catch (error) {
        // One log that cannot be read must not keep all others out of the index: it is looked at whenever somebody searches.
        onFailure(error);
        terms.addTerm(INCOMPLETE);
      }
    },
  };
}

/** False when there are too many. */
function addWords(terms: DocumentTerms, call: Pick<LogToIndex, 'input' | 'output'>): boolean {
  const { texts, answer, around } = searchedTexts(call);
  const left: Room = { words: MOST_WORDS, different: MOST_DIFFERENT_WORDS };
  return [...texts, around, ...(answer === around ? [] : [answer])].every((text) => addText(terms, text, left));
}

/** Words that may still be added. */
interface Room {
  words: number;
  different: number;
}

function addText(terms: DocumentTerms, text: string, left: Room): boolean {
  const words = textWords(text);
  const mayHaveEnds = !isAscii(text);
  while (words.next()) {
    if (left.words-- <= 0) return false;
    if (terms.addWord(words) && left.different-- <= 0) return false;
    if (mayHaveEnds) addEnds(terms, words.word);
  }
  terms.endText();
  return true;
}

function addEnds(terms: DocumentTerms, word: string): void {
  for (const end of endsOf(word)) {
    terms.addWord({ word: end, hash: wordHash(end), is: (other) => other === end }, true);
  }
}
