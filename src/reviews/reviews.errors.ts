import { defineErrors } from '../platform/errors/problem.js';

export const ReviewErrors = defineErrors({
  review_queue_not_found: {
    status: 404,
    message: (id: string) => `Review queue ${id} was not found in this workspace.`,
  },
  review_item_not_found: {
    status: 404,
    message: (id: string) => `Review item ${id} was not found in this queue.`,
  },
  review_sheet_not_found: {
    status: 404,
    message: (id: string) => `Sheet ${id} was not found in a table of this workspace.`,
  },
  review_queue_inconsistent: {
    status: 400,
    message: (problem: string) => `The queue cannot be like this: ${problem}`,
  },
  review_selection_invalid: {
    status: 400,
    message: (problem: string) => `The items cannot be selected like this: ${problem}`,
  },
  review_queue_full: {
    status: 400,
    message: (most: number) => `A review queue has at most ${most} items. Nothing was added. Create another queue.`,
  },
  review_rubric_fixed: {
    status: 409,
    message:
      'The rubric cannot change any more, because items of this queue have been answered by it. Create another queue.',
  },
  review_queue_closed: {
    status: 409,
    message: (id: string) => `Review queue ${id} is closed. Open it to go on.`,
  },
  review_answer_unfit: {
    status: 400,
    message: (choices: string, question?: string) =>
      `The answer${question === undefined ? '' : ` to "${question}"`} is none of the rubric. Answers are: ${choices}.`,
  },
  review_answers_ambiguous: {
    status: 400,
    message: 'Give `answer` for the first question, or `answers` by the names of the questions, not both.',
  },
  review_answers_incomplete: {
    status: 400,
    message: (names: string) => `These questions need an answer too: ${names}. Nothing was stored.`,
  },
  review_question_unknown: {
    status: 400,
    message: (name: string, names: string) => `This queue has no question "${name}". Its questions are: ${names}.`,
  },
  review_item_finished: {
    status: 409,
    message: (id: string) => `Enough reviewers have answered item ${id} already. Your answer was not stored.`,
  },
  review_item_leased: {
    status: 409,
    message: (id: string) =>
      `Your lease on item ${id} has expired, and another reviewer is answering it now. Your answer was not stored.`,
  },
  review_item_gone: {
    status: 409,
    message: (id: string) => `What item ${id} is about has been deleted.`,
  },
  review_item_decided: {
    status: 409,
    message: (id: string) => `Somebody has decided about item ${id}, so its answers no longer change.`,
  },
  review_item_undecidable: {
    status: 409,
    message: (id: string) =>
      `There is nothing to decide about item ${id}: its reviewers agree, or have not all answered.`,
  },
  review_answer_not_found: {
    status: 404,
    message: (id: string) => `You have given no answer to item ${id}.`,
  },
});
