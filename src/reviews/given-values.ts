import { ValidationProblem } from '../platform/errors/problem.js';
import type { Question, Questions } from './questions.js';
import { ReviewErrors } from './reviews.errors.js';
import { type Answer, type Answers, choicesOf, isAnswerOf } from './rubric.js';

/** An answer as it was sent: one to the first question, or some by the names of their questions. */
export interface GivenValues {
  answer: Answer | null;
  answers: Answers | null;
}

/**
 * Answers in the order of the questions; `isComplete`: required ones must be there. Throws review_answers_ambiguous,
 * review_question_unknown, review_answer_unfit, review_answers_incomplete, and a ValidationProblem without any answer.
 */
export function readGiven(questions: Questions, given: GivenValues, { isComplete }: { isComplete: boolean }): Answers {
  const values = toValues(questions, given);
  const names = questions.map(({ name }) => name);
  const unknown = [...values.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) throw ReviewErrors.review_question_unknown(unknown, names.join(', '));
  const missing = questions.filter(({ name, isRequired }) => isRequired && !values.has(name));
  if (isComplete && missing.length > 0) {
    throw ReviewErrors.review_answers_incomplete(missing.map(({ name }) => name).join(', '));
  }
  const answered = questions.filter(({ name }) => values.has(name));
  for (const question of answered) checkChoice(questions, question, values.get(question.name)!);
  return Object.fromEntries(answered.map(({ name }) => [name, values.get(name)!]));
}

function toValues([first]: Questions, { answer, answers }: GivenValues): Map<string, Answer> {
  if (answer !== null && answers !== null) throw ReviewErrors.review_answers_ambiguous();
  if (answer !== null) return new Map([[first.name, answer]]);
  if (answers !== null && Object.keys(answers).length > 0) return new Map(Object.entries(answers));
  throw new ValidationProblem([{ loc: ['body', 'answer'], msg: 'Field required', type: 'missing' }]);
}

function checkChoice(questions: Questions, { name, rubric }: Question, answer: Answer): void {
  if (isAnswerOf(rubric, answer)) return;
  const choices = choicesOf(rubric).map(String).join(', ');
  throw ReviewErrors.review_answer_unfit(choices, questions.length > 1 ? name : undefined);
}
