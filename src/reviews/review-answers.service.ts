import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../access/index.js';
import { ReviewAnswer } from './review-answer.entity.js';
import { leaseNext } from './review-items.queries.js';
import { ReviewItem } from './review-item.entity.js';
import { ReviewItemsService, type ShownItem } from './review-items.service.js';
import { type FoundQueue, ReviewQueuesService } from './review-queues.service.js';
import { ReviewResults } from './review-results.js';
import { reviewerOf } from './reviewer.js';
import { ReviewErrors } from './reviews.errors.js';
import { type Answer, choicesOf, isAnswerOf, outcomeOf } from './rubric.js';

export interface NewAnswer {
  answer: Answer;
  comment: string | null;
}

/** An item after an answer. `resultProblem`: why its result could not be written into the cell. */
export type AnsweredItem = ShownItem & { resultProblem: string | null };

/** An item, locked, with its queue and everything that reviewers have stored about it. */
interface LockedItem {
  found: FoundQueue;
  item: ReviewItem;
  /** Answers and skips. */
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
   * Stores the answer of the caller in place of an earlier one. The same answer again changes nothing. Throws
   * review_answer_unfit, review_queue_closed and the problems of the item.
   */
  answer(caller: Caller, queueId: string, id: string, given: NewAnswer): Promise<AnsweredItem> {
    return this.change(caller, queueId, id, async (tx, locked) => {
      const { found, stored, reviewer } = locked;
      checkChoice(found, given.answer);
      const answers = answersOf(stored);
      const own = answers.find((each) => each.reviewer === reviewer);
      if (own && own.answer === given.answer && own.comment === given.comment) return false;
      checkFree(locked, answers, own !== undefined);
      const couldSee = answers.length > 1 || found.queue.judgeColumnId !== null;
      const revised = own !== undefined && (own.revised || (couldSee && own.answer !== given.answer));
      await this.store(tx, caller, locked, { ...given, revised });
      return true;
    });
  }

  /**
   * Gives an item back; the caller gets it again after all others. An answer that the caller has given stays. Throws what `answer`
   * throws.
   */
  skip(caller: Caller, queueId: string, id: string): Promise<AnsweredItem> {
    return this.change(caller, queueId, id, async (tx, locked) => {
      const { stored, reviewer } = locked;
      const hasAnswered = answersOf(stored).some((each) => each.reviewer === reviewer);
      if (!hasAnswered) await this.store(tx, caller, locked, { answer: null, comment: null, revised: false });
      return false;
    });
  }

  /** Withdraws the answer or the skip of the caller. Throws review_answer_not_found and review_item_decided. */
  withdraw(caller: Caller, queueId: string, id: string): Promise<AnsweredItem> {
    return this.change(caller, queueId, id, async (tx, { item, stored, reviewer }) => {
      if (!stored.some((each) => each.reviewer === reviewer)) throw ReviewErrors.review_answer_not_found(id);
      if (item.decidedBy !== null) throw ReviewErrors.review_item_decided(id);
      const { workspaceId } = caller;
      await tx.delete(ReviewAnswer, { workspaceId, queueId, itemId: id, reviewer });
      await audit(tx, caller, { action: 'review_answer.delete', entityId: id, details: { review_queue_id: queueId } });
      return true;
    });
  }

  /** Decides about an item whose reviewers disagree, or decides again. Throws review_item_undecidable. */
  decide(caller: Caller, queueId: string, id: string, answer: Answer): Promise<AnsweredItem> {
    return this.db.transaction(async (tx) => {
      const locked = await this.lock(tx, caller, queueId, id);
      const { found, item } = locked;
      checkChoice(found, answer);
      if (item.state !== 'disagreement' && item.decidedBy === null) throw ReviewErrors.review_item_undecidable(id);
      const outcome = { state: 'finished' as const, result: answer };
      const resultProblem = await this.results.store(tx, caller, { found, item, outcome });
      const { workspaceId, keyId } = caller;
      await tx.update(ReviewItem, { workspaceId, queueId, id }, { decidedBy: keyId });
      return { ...(await this.items.read(tx, caller, found, id)), resultProblem };
    });
  }

  /** Works on a locked item, gives the caller's lease back and, when `work` returns true, finds the result anew. */
  private change(
    caller: Caller,
    queueId: string,
    id: string,
    work: (tx: EntityManager, locked: LockedItem) => Promise<boolean>,
  ): Promise<AnsweredItem> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const locked = await this.lock(tx, caller, queueId, id);
      const { found, item, reviewer } = locked;
      const hasChanged = await work(tx, locked);
      if (item.leasedTo === reviewer) {
        await tx.update(ReviewItem, { workspaceId, queueId, id }, { leasedTo: null, leasedUntil: null });
      }
      const resultProblem = hasChanged ? await this.settle(tx, caller, found, item) : null;
      return { ...(await this.items.read(tx, caller, found, id)), resultProblem };
    });
  }

  private async settle(tx: EntityManager, caller: Caller, found: FoundQueue, item: ReviewItem): Promise<string | null> {
    const { workspaceId, queueId, id: itemId } = item;
    const answers = answersOf(await tx.findBy(ReviewAnswer, { workspaceId, queueId, itemId }));
    const isComplete = answers.length >= found.queue.reviewersPerItem;
    const given = answers.map(({ answer }) => answer);
    const outcome = isComplete ? outcomeOf(found.queue.rubric, given) : { state: 'open' as const, result: null };
    return this.results.store(tx, caller, { found, item, outcome });
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
    return { found, item, stored, reviewer: reviewerOf(caller) };
  }

  private async findOpen(tx: EntityManager, caller: Caller, queueId: string): Promise<FoundQueue> {
    const found = await this.queues.find(tx, caller, queueId, 'pessimistic_read');
    if (found.queue.state === 'closed') throw ReviewErrors.review_queue_closed(queueId);
    return found;
  }

  private async store(
    tx: EntityManager,
    { workspaceId, keyId }: Caller,
    { item, reviewer }: LockedItem,
    given: Pick<ReviewAnswer, 'answer' | 'comment' | 'revised'>,
  ): Promise<void> {
    const key = [workspaceId, item.queueId, item.id, reviewer];
    const answer = given.answer === null ? null : JSON.stringify(given.answer);
    await tx.query(
      `INSERT INTO review_answers (workspace_id, queue_id, item_id, reviewer, key_id, answer, comment, revised)
       VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8)
       ON CONFLICT (workspace_id, queue_id, item_id, reviewer) DO UPDATE SET key_id = excluded.key_id,
         answer = excluded.answer, comment = excluded.comment, revised = excluded.revised, answered_at = excluded.answered_at`,
      [...key, keyId, answer, given.comment, given.revised],
    );
  }
}

type GivenAnswer = ReviewAnswer & { answer: Answer };

const answersOf = (stored: ReviewAnswer[]): GivenAnswer[] =>
  stored.filter((each): each is GivenAnswer => each.answer !== null);

/** Throws review_answer_unfit. */
function checkChoice({ queue: { rubric } }: FoundQueue, answer: Answer): void {
  if (isAnswerOf(rubric, answer)) return;
  throw ReviewErrors.review_answer_unfit(choicesOf(rubric).map(String).join(', '));
}

/** Throws review_item_decided, review_item_finished and review_item_leased. */
function checkFree({ found, item, reviewer }: LockedItem, answers: GivenAnswer[], isOwn: boolean): void {
  const { reviewersPerItem } = found.queue;
  if (item.decidedBy !== null) throw ReviewErrors.review_item_decided(item.id);
  if (isOwn) return;
  if (answers.length >= reviewersPerItem) throw ReviewErrors.review_item_finished(item.id);
  // The lease of another reviewer reserves one of the answers.
  const reserved = isLeasedToAnother(item, reviewer) ? 1 : 0;
  if (answers.length + reserved >= reviewersPerItem) throw ReviewErrors.review_item_leased(item.id);
}

const isLeasedToAnother = ({ leasedTo, leasedUntil }: ReviewItem, reviewer: string): boolean =>
  leasedTo !== null && leasedTo !== reviewer && leasedUntil !== null && leasedUntil.getTime() > Date.now();
