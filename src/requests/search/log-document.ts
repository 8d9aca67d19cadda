import type { Prompt } from '../../llm/shared/blueprint.js';
import { addText, type DocumentTerms, facetTerm, INCOMPLETE, type IndexedDocument } from '../../text-search/index.js';
import { STATUSES } from '../../llm/records/outcome.js';
import type { RequestStatus } from '../../llm/records/llm-call.js';
import type { Origin } from '../../llm/records/origin.js';
import { searchedTexts } from '../../llm/records/conversation-facts.js';
import { NUMBERS } from './indexed-fields.js';
import { originTerms } from './origin-questions.js';

/** The index of request logs. */
export const LOGS = 1;

/** A log in the form that the index takes. */
export interface LogToIndex {
  logId: string;
  startMicros: number;
  input: Prompt;
  output: Prompt;
  facets: readonly string[];
  origin: Origin;
  status: RequestStatus;
  price: number | null;
  latencyMs: number;
  inputTokens: number | null;
  outputTokens: number | null;
  /** The `TERMS`, by field. */
  plain: Readonly<Record<string, string | null>>;
}

/** Alphabetically, as a text is sorted. */
const SORTED_STATUSES: readonly RequestStatus[] = [...STATUSES].sort();

export const statusValue = (status: string): number => SORTED_STATUSES.indexOf(status as RequestStatus);

/** Longer values are compared in the log itself. */
export const LONGEST_PLAIN = 200;
export const plainTerm = (field: string, value: string): string => `#${field}=${value.slice(0, LONGEST_PLAIN)}`;

export function documentOf(log: LogToIndex, onFailure: (error: unknown) => void): IndexedDocument {
  return {
    key: log.logId,
    values: {
      [NUMBERS.request_start_time]: log.startMicros,
      [NUMBERS.pl_id]: Number(log.logId),
      [NUMBERS.status]: statusValue(log.status),
      [NUMBERS.cost]: log.price,
      [NUMBERS.latency_ms]: log.latencyMs,
      [NUMBERS.input_tokens]: log.inputTokens,
      [NUMBERS.output_tokens]: log.outputTokens,
    },
    write(terms) {
      for (const facet of log.facets) terms.addTerm(facetTerm(facet));
      for (const term of originTerms(log.origin)) terms.addTerm(term);
      for (const [field, value] of Object.entries(log.plain))
        if (value !== null) terms.addTerm(plainTerm(field, value));
      try {
        addWords(terms, log);
      } catch (error) {
        // One unreadable log must not keep all others out of the index. It is read again at every search.
        onFailure(error);
        terms.addTerm(INCOMPLETE);
      }
    },
  };
}

function addWords(terms: DocumentTerms, call: Pick<LogToIndex, 'input' | 'output'>): void {
  const { texts, answer, around } = searchedTexts(call);
  for (const text of [...texts, around, ...(answer === around ? [] : [answer])]) addText(terms, text);
}
