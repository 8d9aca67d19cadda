import { z } from 'zod';
import { boundedText, closedObject } from '../platform/http/schema-field.js';
import type { JsonValue } from '../platform/json.js';

/** Keys 1 to 9 choose an answer, so there are no more. */
const MOST_CHOICES = 9;
const LONGEST_LABEL = 100;

const help = boundedText(1, 1000).nullish().describe('What reviewers should go by, shown beside the choices.');

const scaleEnd = z.int().min(-1000).max(1000);

const THUMBS = closedObject({ kind: z.literal('thumbs').describe('Good or bad.'), help }).meta({
  id: 'ThumbsRubric',
  description: 'Good or bad. Answers are true and false.',
});

const SCALE = closedObject({
  kind: z.literal('scale').describe('Whole numbers.'),
  help,
  min: scaleEnd.describe('The lowest answer.'),
  max: scaleEnd.describe('The highest answer, 1 to 8 more than `min`.'),
})
  .refine(({ min, max }) => max > min && max - min < MOST_CHOICES, {
    message: `max should be 1 to ${MOST_CHOICES - 1} more than min`,
    path: ['max'],
  })
  .meta({ id: 'ScaleRubric', description: 'Whole numbers from `min` to `max`. Answers are numbers.' });

const CATEGORIES = closedObject({
  kind: z.literal('categories').describe('Labels.'),
  help,
  labels: z
    .array(boundedText(1, LONGEST_LABEL))
    .min(2)
    .max(MOST_CHOICES)
    .refine((labels) => new Set(labels.map(comparable)).size === labels.length, 'Labels should differ')
    .describe('The categories, in the order of their keys.'),
}).meta({ id: 'CategoriesRubric', description: 'One of 2 to 9 labels. Answers are texts.' });

export const RUBRIC = z.discriminatedUnion('kind', [THUMBS, SCALE, CATEGORIES]).meta({ id: 'ReviewRubric' });
export type Rubric = z.infer<typeof RUBRIC>;

/** true or false, a number, or a label. */
export type Answer = boolean | number | string;

/** Answers by the names of their questions. */
export type Answers = Readonly<Record<string, Answer>>;

export const ANSWER = z
  .union([z.boolean(), z.number(), boundedText(1, LONGEST_LABEL)])
  .describe('true or false for thumbs, a number for a scale, a label for categories.');

/** All answers, in the order of their keys. */
export function choicesOf(rubric: Rubric): Answer[] {
  if (rubric.kind === 'thumbs') return [true, false];
  if (rubric.kind === 'categories') return rubric.labels;
  return Array.from({ length: rubric.max - rubric.min + 1 }, (_, index) => rubric.min + index);
}

export function comparable(text: string): string {
  return text.trim().toLowerCase();
}

export const isAnswerOf = (rubric: Rubric, answer: Answer): boolean => choicesOf(rubric).includes(answer);

/**
 * The position of a value among the choices; null for a value that is none of them. Labels may differ in letter case, and the mean of
 * some answers counts as the nearest one.
 */
export function positionOf(rubric: Rubric, value: JsonValue): number | null {
  const choices = choicesOf(rubric);
  const isNumber = rubric.kind === 'scale' && typeof value === 'number';
  const wanted = isNumber ? Math.round(value) : typeof value === 'string' ? comparable(value) : value;
  const at = choices.findIndex((choice) => (typeof choice === 'string' ? comparable(choice) : choice) === wanted);
  return at < 0 ? null : at;
}

/** Outcome of a question: it is finished, or the reviewers disagree. */
export type Outcome = { state: 'finished'; result: Answer | null } | { state: 'disagreement'; result: null };

/**
 * Computes the outcome: the answer of more than half of the reviewers. On a scale, answers that are at most one apart give
 * their mean. An optional question without answers is finished without a result.
 */
export function outcomeOf(rubric: Rubric, answers: readonly Answer[]): Outcome {
  if (answers.length === 0) return { state: 'finished', result: null };
  const counts = new Map<Answer, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  if (rubric.kind === 'scale') {
    const numbers = answers as readonly number[];
    if (Math.max(...numbers) - Math.min(...numbers) <= 1) return { state: 'finished', result: mean(numbers) };
  }
  const agreed = [...counts].find(([, count]) => count * 2 > answers.length);
  return agreed ? { state: 'finished', result: agreed[0] } : { state: 'disagreement', result: null };
}

/** Two digits are enough: there are three reviewers at most. */
const mean = (numbers: readonly number[]): number =>
  Math.round((numbers.reduce((total, each) => total + each, 0) / numbers.length) * 100) / 100;

/** An answer as a score of 0 to 100; null for categories, which have no order. */
export function scoreOf(rubric: Rubric, answer: Answer): number | null {
  if (rubric.kind === 'categories') return null;
  if (rubric.kind === 'thumbs') return answer === true ? 100 : 0;
  return Math.round((100 * (Number(answer) - rubric.min)) / (rubric.max - rubric.min));
}

/** An answer as the value of a cell: numbers for columns of numbers, otherwise texts. */
export function cellValueOf(rubric: Rubric, answer: Answer, type: 'number' | 'string'): number | string {
  if (type === 'number') return rubric.kind === 'thumbs' ? Number(answer) : (answer as number);
  if (rubric.kind === 'thumbs') return answer === true ? 'yes' : 'no';
  return String(answer);
}
