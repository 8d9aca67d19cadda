import type { FilterField, FilterFields } from '../../platform/filters/fields.js';
import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import type { Bound } from '../../platform/filters/operators.js';
import { facetsOfLeaf } from '../../platform/filters/to-sql.js';
import { type Question, START } from '../../text-search/index.js';
import { facetTerm, ID, LONGEST_PLAIN, plainTerm } from './log-document.js';
import { INDEXED_FIELDS, literalOf } from './phrase-prefilter.js';
import { beginningsOf, type TextQuery, type WantedWord } from './text-query.js';
import type { WordsWith } from './vocabulary.queries.js';
import { sequencesIn } from './word-sequences.js';
import { foldText, startsWithHangul } from './words.js';

/** What the index is asked. */
export interface LogQuestion {
  /** True of all logs that match. */
  question: Question;
  /** Whether it is true of no others. */
  isExact: boolean;
  /** Whether it asks for words of texts. */
  words: boolean;
}

/** True of all logs. */
const ANY: LogQuestion = { question: { all: [] }, isExact: false, words: false };

const exactly = (question: Question): LogQuestion => ({ question, isExact: true, words: false });

/** Whether it is true of all logs. */
export const saysNothing = ({ question }: LogQuestion): boolean => 'all' in question && question.all.length === 0;

/** All of them must be true. */
export function allOf(questions: readonly LogQuestion[]): LogQuestion {
  const telling = questions.filter((each) => !saysNothing(each));
  return {
    question: telling.length === 1 ? telling[0]!.question : { all: telling.map(({ question }) => question) },
    isExact: questions.every(({ isExact }) => isExact),
    words: questions.some(({ words }) => words),
  };
}

/** One of them is enough. Nothing is known when nothing is known of one. */
function anyOf(questions: readonly LogQuestion[]): LogQuestion {
  if (questions.some(saysNothing)) return ANY;
  return {
    question: { any: questions.map(({ question }) => question) },
    isExact: questions.every(({ isExact }) => isExact),
    words: questions.some(({ words }) => words),
  };
}

/** Beginnings of one or two letters stand for very many words: they are asked for only where there is nothing better. */
const SHORT = 2;

/** Of a free text. */
export function questionOfText({ words, phrases, sequences }: TextQuery): LogQuestion {
  const isSelective = ({ word, prefix }: WantedWord) => !prefix || word.length > SHORT || startsWithHangul(word);
  const selective = words.filter(isSelective);
  const asked = selective.length > 0 ? selective : words;
  const all: Question[] = [
    ...asked.map(questionOfWord),
    ...sequences.filter(({ length }) => length > 1).map((phrase) => ({ phrase })),
  ];
  if (all.length === 0) return ANY;
  return {
    question: { all },
    isExact: phrases.length === 0 && asked.length === words.length,
    words: true,
  };
}

function questionOfWord(wanted: WantedWord): Question {
  if (!wanted.prefix) return { term: wanted.word };
  const beginnings = beginningsOf(wanted).map((beginning) => ({ beginning }));
  return beginnings.length === 1 ? beginnings[0]! : { any: beginnings };
}

/** What is known of the words of a workspace, for filters on texts. */
export interface FilterContext {
  fields: FilterFields;
  /** The words that have a part; see `partsIn`. */
  words: WordsWith;
}

/** Of a filter. */
export function questionOfFilter(group: FilterGroup, context: FilterContext): LogQuestion {
  if (group.filters.length === 0) return { ...ANY, isExact: true };
  const questions = group.filters.map((item) =>
    'filters' in item ? questionOfFilter(item, context) : questionOfLeaf(item, context),
  );
  return group.logic === 'AND' ? allOf(questions) : anyOf(questions);
}

function questionOfLeaf(leaf: FilterLeaf, context: FilterContext): LogQuestion {
  const positive = questionOfPositive(leaf, context);
  if (!leaf.negated || saysNothing(positive)) return leaf.negated ? ANY : positive;
  return positive.isExact ? { ...positive, question: { not: positive.question } } : ANY;
}

/** The values of the index, by field. */
const VALUES: ReadonlyMap<string, string> = new Map([
  ['pl_id', ID],
  ['cost', 'cost'],
  ['latency_ms', 'latency_ms'],
  ['input_tokens', 'input_tokens'],
  ['output_tokens', 'output_tokens'],
  ['request_start_time', START],
]);

/** Fields with a term for each value, by what they are called in `LogToIndex.plain`. */
export const PLAIN_FIELDS = ['api_type', 'function_name', 'error_type', 'trace_id', 'span_id', 'group_id'] as const;
const PLAIN: ReadonlySet<string> = new Set(PLAIN_FIELDS);

function questionOfPositive(leaf: FilterLeaf, { fields, words }: FilterContext): LogQuestion {
  const { field: name, condition } = leaf;
  const field = fields[name]!;
  const facets = facetsOfLeaf(leaf, field);
  if (facets) return exactly({ anyOf: facets.map(facetTerm) });
  if (condition.kind === 'matches' && INDEXED_FIELDS.has(name)) return questionInside(condition.pattern, words);
  const value = VALUES.get(name);
  if (condition.kind === 'bounds' && value) return questionOfBounds(value, condition.bounds);
  if (condition.kind !== 'one_of') return ANY;
  if (name === 'pl_id') {
    return exactly({ any: condition.values.map((id) => ({ value: ID, from: Number(id), to: Number(id) })) });
  }
  return PLAIN.has(name) ? questionOfPlain(name, field, condition.values) : ANY;
}

function questionOfPlain(name: string, field: FilterField, values: string[]): LogQuestion {
  const spellings = field.class === 'string' && field.spellings ? values.flatMap(field.spellings) : values;
  return {
    question: { anyOf: spellings.map((value) => plainTerm(name, value)) },
    isExact: spellings.every(({ length }) => length < LONGEST_PLAIN),
    words: false,
  };
}

/** Of a LIKE pattern that a text must fulfil. */
function questionInside(pattern: string, words: WordsWith): LogQuestion {
  const text = literalOf(pattern);
  const sequences = sequencesIn(foldText(text), { first: words.get(text) ?? 'unknown' });
  if (sequences.length === 0) return ANY;
  const all = sequences.map((phrase) => (phrase.length === 1 ? phrase[0]! : { phrase }));
  return { question: { all }, isExact: false, words: true };
}

function questionOfBounds(value: string, bounds: readonly Bound[]): LogQuestion {
  return allOf(bounds.map((bound) => questionOfBound(value, bound)));
}

function questionOfBound(value: string, { comparison, value: given }: Bound): LogQuestion {
  const limit = value === START ? microsOf(given) : Number(given);
  if (limit === null || Number.isNaN(limit)) return ANY;
  const from = comparison === '=' || comparison.startsWith('>') ? limit : null;
  const to = comparison === '=' || comparison.startsWith('<') ? limit : null;
  const isOpen = comparison === '<' || comparison === '>';
  return exactly({ value, from, to, isOpen });
}

const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?(Z|[+-]\d\d:?\d\d)$/;

/** Microseconds since the epoch; null when the moment is written in another way. Fractions of them are left out. */
export function microsOf(moment: number | string): number | null {
  const [, seconds, fraction = '', zone] = DATE.exec(String(moment)) ?? [];
  if (!seconds) return null;
  return Date.parse(seconds + zone) * 1000 + Number(fraction.padEnd(6, '0'));
}
