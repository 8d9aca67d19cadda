import { z } from 'zod';
import { boundedText, closedObject } from '../platform/http/schema-field.js';
import { ANSWER, type Answer, type Answers, comparable, outcomeOf, type Rubric, RUBRIC } from './rubric.js';

export const MOST_QUESTIONS = 8;
const LONGEST_NAME = 100;
const LONGEST_SCORE_NAME = 255;

/** The name of a question that was given none. */
export const UNNAMED = 'answer';

/** One of the questions of a queue, and where its results go. */
export interface Question {
  name: string;
  rubric: Rubric;
  isRequired: boolean;
  humanColumnId: string | null;
  judgeColumnId: string | null;
  scoreName: string | null;
}

const columnId = z
  .guid()
  .transform((id) => id.toLowerCase())
  .nullish();

const QUESTION = closedObject({
  name: boundedText(1, LONGEST_NAME)
    // A key with this name would be lost from the objects with answers.
    .refine((name) => name !== '__proto__', 'A question cannot have this name')
    .describe('The name of the question, by which answers and results refer to it.'),
  rubric: RUBRIC.describe('What reviewers answer.'),
  required: z
    .boolean()
    .nullish()
    .describe(
      'Whether an answer is complete only with this question. Default: true. The first one is always required.',
    ),
  human_column_id: columnId.describe('Like `human_column_id` of the queue, for this question.'),
  judge_column_id: columnId.describe('Like `judge_column_id` of the queue, for this question.'),
  score_name: boundedText(1, LONGEST_SCORE_NAME)
    .nullish()
    .describe('Like `score_name` of the queue, for this question.'),
}).meta({ id: 'ReviewQuestion', description: 'One of the questions that a reviewer answers together.' });
export type QuestionBody = z.infer<typeof QUESTION>;

export const QUESTIONS = z
  .array(QUESTION)
  .min(1)
  .max(MOST_QUESTIONS)
  .refine(
    (questions) => new Set(questions.map(({ name }) => comparable(name))).size === questions.length,
    'Names of questions should differ',
  )
  .refine(([first]) => first?.required !== false, {
    message: 'The first question is always required',
    path: [0, 'required'],
  })
  .describe('The questions, in the order in which they are asked.');

export const ANSWERS = z.record(boundedText(1, LONGEST_NAME), ANSWER);

export const toQuestion = (body: QuestionBody): Question => ({
  name: body.name,
  rubric: body.rubric,
  isRequired: body.required ?? true,
  humanColumnId: body.human_column_id ?? null,
  judgeColumnId: body.judge_column_id ?? null,
  scoreName: body.score_name ?? null,
});

export const toQuestionBody = (question: Question): QuestionBody => ({
  name: question.name,
  rubric: question.rubric,
  required: question.isRequired,
  human_column_id: question.humanColumnId,
  judge_column_id: question.judgeColumnId,
  score_name: question.scoreName,
});

/** The fields of a queue that hold its questions. */
export interface AskedFields {
  questionName: string | null;
  rubric: Rubric;
  humanColumnId: string | null;
  judgeColumnId: string | null;
  scoreName: string | null;
  moreQuestions: Question[] | null;
}

/** One or more, in their order. */
export type Questions = [Question, ...Question[]];

export function questionsOf(queue: AskedFields): Questions {
  const { rubric, humanColumnId, judgeColumnId, scoreName } = queue;
  const name = queue.questionName ?? UNNAMED;
  const first = { name, rubric, isRequired: true, humanColumnId, judgeColumnId, scoreName };
  return [first, ...(queue.moreQuestions ?? [])];
}

export function toAskedFields([first, ...more]: Question[]): AskedFields {
  const { name, rubric, humanColumnId, judgeColumnId, scoreName } = first!;
  const moreQuestions = more.length > 0 ? more : null;
  return { questionName: name, rubric, humanColumnId, judgeColumnId, scoreName, moreQuestions };
}

/** null without an answer to a question. */
export const answerTo = (answers: Answers | null, name: string): Answer | null =>
  // A question may be named like a method that every object has.
  answers !== null && Object.hasOwn(answers, name) ? answers[name]! : null;

/** Joins the answers to all questions into one object, in the order of the questions. */
export function joinAnswers(questions: Questions, first: Answer | null, more: Answers | null): Answers {
  const answers = questions.map(({ name }, at) => [name, at === 0 ? first : answerTo(more, name)] as const);
  return Object.fromEntries(answers.filter((each): each is readonly [string, Answer] => each[1] !== null));
}

/** The opposite of `joinAnswers`. */
export function splitAnswers([{ name }]: Questions, answers: Answers): { first: Answer | null; more: Answers | null } {
  const { [name]: _, ...more } = answers;
  return { first: answerTo(answers, name), more: Object.keys(more).length > 0 ? more : null };
}

/** The questions about which reviewers disagree, and the results of the others. */
export function outcomesOf(
  questions: Questions,
  given: readonly Answers[],
): { disagreeing: Set<string>; results: Answers } {
  const outcomes = questions.map(({ name, rubric }) => {
    return {
      name,
      ...outcomeOf(
        rubric,
        given.flatMap((answers) => answerTo(answers, name) ?? []),
      ),
    };
  });
  const results = outcomes.filter((each): each is typeof each & { result: Answer } => each.result !== null);
  return {
    disagreeing: new Set(outcomes.filter(({ state }) => state === 'disagreement').map(({ name }) => name)),
    results: Object.fromEntries(results.map(({ name, result }) => [name, result])),
  };
}
