import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../access/index.js';
import { type GivenValues, readGiven } from './given-values.js';
import { joinAnswers, outcomesOf, type Questions, questionsOf, splitAnswers } from './questions.js';
import { ReviewAnswer } from './review-answer.entity.js';
import { leaseNext } from './review-items.queries.js';
import { ReviewItem } from './review-item.entity.js';
import { ReviewItemsService, type ShownItem } from './review-items.service.js';
import { type FoundQueue, ReviewQueuesService } from './review-queues.service.js';
import { ReviewResults } from './review-results.js';
import { reviewerOf } from './reviewer.js';
import { ReviewErrors } from './reviews.errors.js';
import type { Answers } from './rubric.js';

export interface NewAnswer extends GivenValues {
  comment: string | null;
}

/** An item after an answer. `resultProblem`: why a result could not be written into its cell. */
export type AnsweredItem = ShownItem & { resultProblem: string | null };

/** An item, locked, with its queue and everything that reviewers have stored about it. */
interface LockedItem {
  found: FoundQueue;
  questions: Questions;
  item: ReviewItem;
  /** Answers, skips and marks of withdrawn answers. */
  stored: ReviewAnswer[];
  reviewer: string;
}

/** Leases items to reviewers and takes their answers. */
@Injectable()
export class ReviewAnswersService {
  constructor(
    private readonly db: DataSource,
    private readonly queues: ReviewQueuesService,
    private readonly items: ReviewItemsService,
    private readonly results: ReviewResults,
  ) {}

  /** The next item for the caller, leased; null when none is left. Throws review_queue_not_found and review_queue_closed. */
  next(caller: Caller, queueId: string): Promise<ShownItem | null> {
    return this.db.transaction(async (tx) => {
      const found = await this.findOpen(tx, caller, queueId);
      const id = await leaseNext(tx, found, reviewerOf(caller));
      return id === null ? null : this.items.read(tx, caller, found, id);
    });
  }

  /**
   * Stores the answer of the caller to all questions in place of an earlier one. The same answer again changes nothing. Throws
   * the problems of the answer, review_queue_closed and the problems of the item.
   */
  answer(caller: Caller, queueId: string, id: string, given: NewAnswer): Promise<AnsweredItem> {
    return this.change(caller, queueId, id, async (tx, locked) => {
      const { questions, stored, reviewer } = locked;
      const answers = readGiven(questions, given, { isComplete: true });
      const { comment } = given;
      const others = answersIn(questions, stored);
      const own = others.find((each) => each.reviewer === reviewer);
      const isSame = own !== undefined && isDeepStrictEqual(own.answers, answers);
      if (isSame && own.comment === comment) return false;
      checkFree(locked, others.length, own !== undefined);
      const follows = own === undefined ? followsWithdrawal(locked) : !isSame;
      const revised = own?.revised === true || (follows && couldSeeOthers(locked));
      await this.store(tx, caller, locked, { answers, comment, revised });
      return true;
    });
  }

  /**
   * Releases an item. The caller gets it again after all others. An earlier answer of the caller stays. Throws the errors of
   * `answer`.
   */
  skip(caller: Caller, queueId: string, id: string): Promise<AnsweredItem> {
    return this.change(caller, queueId, id, async (tx, locked) => {
      const { stored, reviewer } = locked;
      const own = stored.find((each) => each.reviewer === reviewer);
      if (own && own.answer !== null) return false;
      await this.store(tx, caller, locked, { ...NOTHING, revised: own?.revised ?? false });
      return false;
    });
  }

  /**
   * Withdraws the answer or the skip of the caller. An answer leaves a mark if others could be seen by then. Throws
   * review_answer_not_found and review_item_decided.
   */
  withdraw(caller: Caller, queueId: string, id: string): Promise<AnsweredItem> {
    return this.change(caller, queueId, id, async (tx, locked) => {
      const { item, stored, reviewer } = locked;
      const own = stored.find((each) => each.reviewer === reviewer);
      if (!own || isWithdrawn(own)) throw ReviewErrors.review_answer_not_found(id);
      if (item.decidedBy !== null) throw ReviewErrors.review_item_decided(id);
      const { workspaceId } = caller;
      // Everybody sees the answers of an item that takes no more of them.
      const leavesMark = own.answer !== null && (item.state !== 'open' || couldSeeOthers(locked));
      if (leavesMark) await this.store(tx, caller, locked, { ...NOTHING, revised: true });
      else await tx.delete(ReviewAnswer, { workspaceId, queueId, itemId: id, reviewer });
      await audit(tx, caller, { action: 'review_answer.delete', entityId: id, details: { review_queue_id: queueId } });
      return true;
    });
  }

  /**
   * Decides questions about which the reviewers of an item disagree, or decides them again. Throws the problems of the answer and
   * review_item_undecidable, also for a question about which they agree.
   */
  decide(caller: Caller, queueId: string, id: string, given: GivenValues): Promise<AnsweredItem> {
    return this.db.transaction(async (tx) => {
      const locked = await this.lock(tx, caller, queueId, id);
      const { found, questions, item, stored } = locked;
      const decided = readGiven(questions, given, { isComplete: false });
      if (item.state !== 'disagreement' && item.decidedBy === null) throw ReviewErrors.review_item_undecidable(id);
      const { disagreeing } = outcomesOf(questions, valuesOf(questions, stored));
      if (Object.keys(decided).some((name) => !disagreeing.has(name))) throw ReviewErrors.review_item_undecidable(id);
      const results = { ...joinAnswers(questions, item.result, item.moreResults), ...decided };
      const isDecided = [...disagreeing].every((name) => Object.hasOwn(results, name));
      const state = isDecided ? 'finished' : 'disagreement';
      const resultProblem = await this.results.store(tx, caller, { found, item, state, results });
      const { workspaceId, keyId } = caller;
      await tx.update(ReviewItem, { workspaceId, queueId, id }, { decidedBy: keyId });
      return { ...(await this.items.read(tx, caller, found, id)), resultProblem };
    });
  }

  /** Changes a locked item and releases the caller's lease. Computes the result again if `work` returns true. */
  private change(
    caller: Caller,
    queueId: string,
    id: string,
    work: (tx: EntityManager, locked: LockedItem) => Promise<boolean>,
  ): Promise<AnsweredItem> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const locked = await this.lock(tx, caller, queueId, id);
      const { item, reviewer } = locked;
      const hasChanged = await work(tx, locked);
      if (item.leasedTo === reviewer) {
        await tx.update(ReviewItem, { workspaceId, queueId, id }, { leasedTo: null, leasedUntil: null });
      }
      const resultProblem = hasChanged ? await this.settle(tx, caller, locked) : null;
      return { ...(await this.items.read(tx, caller, locked.found, id)), resultProblem };
    });
  }

  private async settle(
    tx: EntityManager,
    caller: Caller,
    { found, questions, item }: LockedItem,
  ): Promise<string | null> {
    const { workspaceId, queueId, id: itemId } = item;
    const given = valuesOf(questions, await tx.findBy(ReviewAnswer, { workspaceId, queueId, itemId }));
    if (given.length < found.queue.reviewersPerItem) {
      return this.results.store(tx, caller, { found, item, state: 'open', results: {} });
    }
    const { disagreeing, results } = outcomesOf(questions, given);
    const state = disagreeing.size > 0 ? 'disagreement' : 'finished';
    return this.results.store(tx, caller, { found, item, state, results });
  }

  private async lock(tx: EntityManager, caller: Caller, queueId: string, id: string): Promise<LockedItem> {
    const { workspaceId } = caller;
    const found = await this.findOpen(tx, caller, queueId);
    const item = await tx.findOne(ReviewItem, {
      where: { workspaceId, queueId, id },
      lock: { mode: 'pessimistic_write' },
    });
    if (!item) throw ReviewErrors.review_item_not_found(id);
    const { exists } = await this.items.read(tx, caller, found, id);
    if (!exists) throw ReviewErrors.review_item_gone(id);
    const stored = await tx.findBy(ReviewAnswer, { workspaceId, queueId, itemId: id });
    return { found, questions: questionsOf(found.queue), item, stored, reviewer: reviewerOf(caller) };
  }

  private async findOpen(tx: EntityManager, caller: Caller, queueId: string): Promise<FoundQueue> {
    const found = await this.queues.find(tx, caller, queueId, 'pessimistic_read');
    if (found.queue.state === 'closed') throw ReviewErrors.review_queue_closed(queueId);
    return found;
  }

  private async store(
    tx: EntityManager,
    { workspaceId, keyId }: Caller,
    { questions, item, reviewer }: LockedItem,
    given: { answers: Answers; comment: string | null; revised: boolean },
  ): Promise<void> {
    const key = [workspaceId, item.queueId, item.id, reviewer];
    const { first, more } = splitAnswers(questions, given.answers);
    const json = [first, more].map((value) => (value === null ? null : JSON.stringify(value)));
    await tx.query(
      `INSERT INTO review_answers (workspace_id, queue_id, item_id, reviewer, key_id, answer, more_answers, comment, revised)
       VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7::jsonb, $8, $9)
       ON CONFLICT (workspace_id, queue_id, item_id, reviewer) DO UPDATE SET key_id = excluded.key_id,
         answer = excluded.answer, more_answers = excluded.more_answers, comment = excluded.comment,
         revised = excluded.revised, answered_at = excluded.answered_at`,
      [...key, keyId, ...json, given.comment, given.revised],
    );
  }
}

interface StoredAnswer {
  reviewer: string;
  answers: Answers;
  comment: string | null;
  revised: boolean;
}

const NOTHING = { answers: {}, comment: null };

/** A mark that an answer was withdrawn when others could be seen. A skip is not revised. */
const isWithdrawn = ({ answer, revised }: ReviewAnswer): boolean => answer === null && revised;

/** Everybody who has answered, marks of withdrawn answers included. */
const answeredBy = (stored: ReviewAnswer[]): string[] =>
  stored.filter((each) => each.answer !== null || isWithdrawn(each)).map(({ reviewer }) => reviewer);

/** Whether a judge or the answer of another reviewer could be seen, at the latest before it was withdrawn. */
const couldSeeOthers = ({ questions, stored, reviewer }: LockedItem): boolean =>
  questions.some(({ judgeColumnId }) => judgeColumnId !== null) || answeredBy(stored).some((each) => each !== reviewer);

/** Whether a new answer follows a withdrawn one of the same reviewer, or one of an item that everybody could see. */
function followsWithdrawal({ found, stored, reviewer }: LockedItem): boolean {
  const reviewers = answeredBy(stored);
  return reviewers.includes(reviewer) || reviewers.length >= found.queue.reviewersPerItem;
}

/** Answers without skips and marks. */
const answersIn = (questions: Questions, stored: ReviewAnswer[]): StoredAnswer[] =>
  stored
    .filter(({ answer }) => answer !== null)
    .map(({ answer, moreAnswers, ...more }) => ({ ...more, answers: joinAnswers(questions, answer, moreAnswers) }));

const valuesOf = (questions: Questions, stored: ReviewAnswer[]): Answers[] =>
  answersIn(questions, stored).map(({ answers }) => answers);

/** Throws review_item_decided, review_item_finished and review_item_leased. */
function checkFree({ found, item, reviewer }: LockedItem, answerCount: number, isOwn: boolean): void {
  const { reviewersPerItem } = found.queue;
  if (item.decidedBy !== null) throw ReviewErrors.review_item_decided(item.id);
  if (isOwn) return;
  if (answerCount >= reviewersPerItem) throw ReviewErrors.review_item_finished(item.id);
  // The lease of another reviewer reserves one of the answers.
  const reserved = isLeasedToAnother(item, reviewer) ? 1 : 0;
  if (answerCount + reserved >= reviewersPerItem) throw ReviewErrors.review_item_leased(item.id);
}

const isLeasedToAnother = ({ leasedTo, leasedUntil }: ReviewItem, reviewer: string): boolean =>
  leasedTo !== null && leasedTo !== reviewer && leasedUntil !== null && leasedUntil.getTime() > Date.now();
