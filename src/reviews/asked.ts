import { ValidationProblem } from '../platform/errors/problem.js';
import { type AskedFields, type QuestionBody, toAskedFields, toQuestion } from './questions.js';
import { ReviewErrors } from './reviews.errors.js';
import type { Rubric } from './rubric.js';

/** Fields of a request with the questions of a queue. */
interface AskedBody {
  rubric?: Rubric;
  questions?: QuestionBody[] | null;
  human_column_id?: string | null;
  judge_column_id?: string | null;
  score_name?: string | null;
}

/** One question by `rubric`, or some by `questions`. Throws a ValidationProblem and review_queue_inconsistent. */
export function toAsked({ rubric, questions, ...body }: AskedBody): AskedFields {
  refuseBoth({ rubric, questions });
  const humanColumnId = body.human_column_id?.toLowerCase() ?? null;
  const judgeColumnId = body.judge_column_id?.toLowerCase() ?? null;
  const scoreName = body.score_name ?? null;
  if (questions) {
    if (humanColumnId ?? judgeColumnId ?? scoreName) {
      throw ReviewErrors.review_queue_inconsistent(
        'its questions name their columns and scores, so the queue does not.',
      );
    }
    return toAskedFields(questions.map(toQuestion));
  }
  if (!rubric) throw new ValidationProblem([{ loc: ['body', 'rubric'], msg: 'Field required', type: 'missing' }]);
  return { questionName: null, moreQuestions: null, rubric, humanColumnId, judgeColumnId, scoreName };
}

/** Throws review_queue_inconsistent. */
export function refuseBoth({ rubric, questions }: Pick<AskedBody, 'rubric' | 'questions'>): void {
  if (!rubric || !questions) return;
  throw ReviewErrors.review_queue_inconsistent('give `rubric` for one question, or `questions`, not both.');
}
