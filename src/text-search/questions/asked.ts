import type { Bound } from '../../platform/filters/operators.js';
import { INCOMPLETE, LISTED, WITH_ALL_WORDS } from '../segments/segment-builder.js';
import {
  beginningsOf,
  foldText,
  isLoneWord,
  literalOf,
  sequencesIn,
  startsWithHangul,
  type TextQuery,
  type WantedWord,
  type WordSequence,
  type WordsWith,
} from '../../words/index.js';
import type { Question } from './question.js';

/** The question to an index for a query. */
export interface Asked {
  /** Holds for all matching documents. */
  question: Question;
  /** Whether it holds for no others. */
  isExact: boolean;
  /** Hold for documents whose terms for the question may be missing in the index. Rarely non-empty. */
  mayMiss: readonly Question[];
}

/** Holds for documents with words that may be missing in the index. */
export const MISSES_WORDS: Question = { all: [{ term: INCOMPLETE }, { not: { term: WITH_ALL_WORDS } }] };

/** Holds for all documents. */
export const ANY: Asked = { question: { all: [] }, isExact: false, mayMiss: [] };

export const exactly = (question: Question): Asked => ({ question, isExact: true, mayMiss: [] });

/** Whether the question holds for all documents. */
export const saysNothing = ({ question }: Asked): boolean => 'all' in question && question.all.length === 0;

/** All of the questions must hold. */
export function allOf(questions: readonly Asked[]): Asked {
  const telling = questions.filter((each) => !saysNothing(each));
  return {
    question: telling.length === 1 ? telling[0]!.question : { all: telling.map(({ question }) => question) },
    isExact: questions.every(({ isExact }) => isExact),
    mayMiss: missedBy(questions),
  };
}

/** One of the questions must hold. It is unrestricted if one of them is. */
export function anyOf(questions: readonly Asked[]): Asked {
  if (questions.some(saysNothing)) return ANY;
  return {
    question: { any: questions.map(({ question }) => question) },
    isExact: questions.every(({ isExact }) => isExact),
    mayMiss: missedBy(questions),
  };
}

const missedBy = (questions: readonly Asked[]): Question[] => [...new Set(questions.flatMap(({ mayMiss }) => mayMiss))];

/** The question must not hold. Unrestricted if it is not exact. */
export function noneOf(asked: Asked): Asked {
  return asked.isExact && !saysNothing(asked) ? { ...asked, question: { not: asked.question } } : ANY;
}

/** Beginnings of one or two letters match very many words: they are used only without a better one. */
const SHORT = 2;

/** Marks that occur only next to characters that are words by themselves, such as "ー". */
const BESIDE_LONE = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u;

/** A character that is a word by itself has an entry of its own, however short it is. */
function isSelective({ word, prefix }: WantedWord): boolean {
  return !prefix || word.length > SHORT || startsWithHangul(word) || isLoneWord(word) || BESIDE_LONE.test(word);
}

function askedOf(words: readonly WantedWord[]): readonly WantedWord[] {
  const selective = words.filter(isSelective);
  return selective.length > 0 ? selective : words;
}

/** Words of a free text that are not part of the question: they must be looked up in the texts. */
export function unaskedWordsOf({ words }: TextQuery): WantedWord[] {
  const asked = new Set(askedOf(words));
  return words.filter((word) => !asked.has(word));
}

/** The question for a free text. */
export function askForText({ words, phrases, sequences }: TextQuery): Asked {
  const asked = askedOf(words);
  const all: Question[] = [
    ...asked.map(questionOfWord),
    ...sequences.filter(({ length }) => length > 1).map((phrase) => ({ phrase })),
  ];
  if (all.length === 0) return ANY;
  return {
    question: { all },
    isExact: phrases.length === 0 && asked.length === words.length,
    mayMiss: [MISSES_WORDS],
  };
}

function questionOfWord(wanted: WantedWord): Question {
  if (!wanted.prefix) return { term: wanted.word };
  const beginnings = beginningsOf(wanted).map((beginning) => ({ beginning }));
  return beginnings.length === 1 ? beginnings[0]! : { any: beginnings };
}

/** The question for a LIKE pattern; `words` are the result of `findWordsWith` for its literal. */
export function askForPattern(pattern: string, words: WordsWith): Asked {
  const text = literalOf(pattern);
  const [folded, known] = [foldText(text), words.get(text)];
  const sequences = sequencesIn(folded, { first: known ?? 'unknown' });
  if (sequences.length === 0) return ANY;
  const question = standBesideEachOther(sequences);
  const ofListed = { all: [{ term: LISTED }, standBesideEachOther(sequencesIn(folded, { first: 'unknown' }))] };
  return { question: known ? { any: [question, ofListed] } : question, isExact: false, mayMiss: [MISSES_WORDS] };
}

const standBesideEachOther = (sequences: readonly WordSequence[]): Question => ({
  all: sequences.map((phrase) => (phrase.length === 1 ? phrase[0]! : { phrase })),
});

/** The question for bounds of a value; `toNumber` gives null for a limit that the index cannot represent. */
export function askForBounds(
  value: string,
  bounds: readonly Bound[],
  toNumber: (limit: Bound['value']) => number | null = Number,
): Asked {
  return allOf(bounds.map((bound) => askForBound(value, bound.comparison, toNumber(bound.value))));
}

function askForBound(value: string, comparison: Bound['comparison'], limit: number | null): Asked {
  if (limit === null || Number.isNaN(limit)) return ANY;
  const from = comparison === '=' || comparison.startsWith('>') ? limit : null;
  const to = comparison === '=' || comparison.startsWith('<') ? limit : null;
  return exactly({ value, from, to, isOpen: comparison === '<' || comparison === '>' });
}

const DATE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?(Z|[+-]\d\d:?\d\d)$/;

/** Microseconds since the epoch; null for another format. Fractions of them are dropped. */
export function microsOf(moment: number | string): number | null {
  const [, seconds, fraction = '', zone] = DATE.exec(String(moment)) ?? [];
  if (!seconds) return null;
  return Date.parse(seconds + zone) * 1000 + Number(fraction.padEnd(6, '0'));
}
