import type { ReviewQuestion, ReviewQueueBody, ReviewRubric } from '../api/schema.gen';

export type Answer = boolean | number | string;

/** All answers of a rubric, in the order of their keys. */
export function choicesOf(rubric: ReviewRubric): Answer[] {
  if (rubric.kind === 'thumbs') return [true, false];
  if (rubric.kind === 'categories') return rubric.labels;
  return Array.from({ length: rubric.max - rubric.min + 1 }, (_, index) => rubric.min + index);
}

/** An answer, or the mean of some, in words. */
export function wordsOf(answer: Answer): string {
  if (typeof answer === 'boolean') return answer ? 'Good' : 'Bad';
  return String(answer);
}

/** Answers by the names of their questions. */
export type Answers = Readonly<Record<string, Answer>>;

/** null without an answer. A question may be named like a method that every object has. */
export const answerTo = (answers: Answers, name: string): Answer | null =>
  Object.hasOwn(answers, name) ? answers[name]! : null;

/** Answers in words: only the answer for a queue with one question, otherwise each after its question. */
export function wordsOfAnswers(questions: readonly ReviewQuestion[], answers: Answers): string {
  const words = questions.flatMap(({ name }) => {
    const answer = answerTo(answers, name);
    return answer === null ? [] : [questions.length === 1 ? wordsOf(answer) : `${name}: ${wordsOf(answer)}`];
  });
  return words.join(', ');
}

/** The answers to some questions. */
export const pick = (answers: Answers, names: readonly string[]): Answers =>
  Object.fromEntries(Object.entries(answers).filter(([name]) => names.includes(name)));

/** The columns of the judges and of the results, which would influence a reviewer. */
export const ownColumns = ({ questions }: Pick<ReviewQueueBody, 'questions'>): (string | null | undefined)[] =>
  questions.flatMap(({ human_column_id: human, judge_column_id: judge }) => [human, judge]);

/** Whether there is an answer, and one to every question that needs it. */
export const isComplete = (questions: readonly ReviewQuestion[], answers: Answers): boolean =>
  Object.keys(answers).length > 0 && missingIn(questions, answers) === -1;

/** Index of the first required question without an answer; -1 if there is none. */
export const missingIn = (questions: readonly ReviewQuestion[], answers: Answers): number =>
  questions.findIndex(({ name, required }) => required !== false && answerTo(answers, name) === null);

/** The value of a judge in words. */
export const wordsOfJudge = (value: string): string => ({ true: 'yes', false: 'no' })[value] ?? value;

const twoDigits = (value: number): string => value.toFixed(2);

export interface Agreed {
  item_count: number;
  agreement: number | null;
  kappa: number | null;
  kappa_interval: { low: number; high: number } | null;
  kappa_reason: 'no_pairs' | 'one_category' | 'no_variation' | null;
}

const REASONS = {
  no_pairs: 'no items in common yet',
  one_category: 'κ says nothing: one of the two always gave the same answer',
  no_variation: 'no interval: all pairs agree, or none',
};

/** Describes the agreement of two, such as “κ 0.71 (0.52 to 0.88), the same answer for 83 % of 24”. */
export function describeAgreement(found: Agreed): string {
  const { item_count: n, agreement, kappa, kappa_interval: interval, kappa_reason: reason } = found;
  const range = interval ? ` (${twoDigits(interval.low)} to ${twoDigits(interval.high)})` : '';
  const parts = [
    kappa === null ? null : `κ ${twoDigits(kappa)}${range}`,
    agreement === null ? null : `the same answer for ${Math.round(agreement * 100)} % of ${n}`,
    reason === null ? null : REASONS[reason],
  ];
  return parts.filter((part) => part !== null).join(', ');
}

/** Undo goes back as far. */
const MOST_UNDONE = 10;

/** The items that a reviewer has left, the last one at the end. */
export const withLeft = (left: readonly string[], id: string): string[] =>
  [...left.filter((other) => other !== id), id].slice(-MOST_UNDONE);
