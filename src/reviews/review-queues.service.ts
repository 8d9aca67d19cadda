import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { audit, type Caller, FindsInPath, type PathLookup } from '../access/index.js';
import { type CreatedPage, readCreated } from '../platform/http/created-list.js';
import { ReviewedRows, type ReviewedSheet } from '../tables/index.js';
import { type AskedFields, type Question, questionsOf, toAskedFields } from './questions.js';
import { ReviewAnswer } from './review-answer.entity.js';
import { ReviewItem } from './review-item.entity.js';
import { countForReviewer, countItems, type ItemCounts, type QueueAtHand } from './review-items.queries.js';
import { type QueueState, ReviewQueue, type Subject } from './review-queue.entity.js';
import { reviewerOf } from './reviewer.js';
import { ReviewErrors } from './reviews.errors.js';
import { cellValueOf, choicesOf, comparable, type Rubric } from './rubric.js';

export interface NewReviewQueue extends AskedFields {
  name: string;
  subject: Subject;
  sheetId: string | null;
  reviewersPerItem: number;
}

export interface QueueChange {
  name?: string;
  /** Rubric of the first question. */
  rubric?: Rubric;
  /** Replaces all questions. */
  questions?: Question[];
  state?: QueueState;
}

/** A queue with the table of its sheet, null when there is none or it was deleted, and the numbers of its items. */
export type CountedQueue = ReviewQueue & { tableId: string | null; counts: ItemCounts };

/** A queue with its counts, and the numbers of items for the caller. */
export type OpenedQueue = CountedQueue & { own: { answered: number; left: number } };

/** A queue, with its sheet while that exists. */
export interface FoundQueue extends QueueAtHand {
  reviewed: ReviewedSheet | null;
}

/** Creates, changes and lists review queues. */
@Injectable()
@FindsInPath({ name: 'review_queue_id', ids: { review_queue_id: 'uuid' } })
export class ReviewQueuesService implements PathLookup<{ review_queue_id: string }> {
  constructor(
    private readonly db: DataSource,
    private readonly rows: ReviewedRows,
  ) {}

  findInPath(caller: Caller, { review_queue_id: id }: { review_queue_id: string }): Promise<unknown> {
    return getQueue(this.db.manager, caller, id);
  }

  /** Throws review_sheet_not_found, review_queue_inconsistent and column_not_found. */
  create(caller: Caller, given: NewReviewQueue): Promise<OpenedQueue> {
    const { workspaceId, keyId } = caller;
    const id = randomUUID();
    return this.db.transaction(async (tx) => {
      await this.check(tx, caller, given);
      await tx.insert(ReviewQueue, { ...given, workspaceId, id, createdBy: keyId });
      const { name, subject, sheetId, reviewersPerItem } = given;
      const details = { name, subject, sheet_id: sheetId, reviewers_per_item: reviewersPerItem, ...countOf(given) };
      await audit(tx, caller, { action: 'review_queue.create', entityId: id, details });
      return this.open(tx, caller, id);
    });
  }

  /** Returns up to `limit + 1` queues. */
  async list({ workspaceId }: Caller, page: CreatedPage): Promise<CountedQueue[]> {
    const tx = this.db.manager;
    return this.count(tx, workspaceId, await readCreated(tx, ReviewQueue, { workspaceId }, page));
  }

  /** Throws review_queue_not_found. */
  get(caller: Caller, id: string): Promise<OpenedQueue> {
    return this.open(this.db.manager, caller, id);
  }

  /** Throws review_queue_not_found, review_rubric_fixed and review_queue_inconsistent. */
  update(caller: Caller, id: string, { name, rubric, questions, state }: QueueChange): Promise<OpenedQueue> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const queue = await getQueue(tx, caller, id, 'pessimistic_write');
      const change = { name: name ?? queue.name, state: state ?? queue.state };
      const asked = questions ? toAskedFields(questions) : rubric && { rubric };
      const changed = { ...queue, ...asked };
      if (asked) await this.checkQuestions(tx, caller, changed);
      await tx.update(ReviewQueue, { workspaceId, id }, { ...asked, ...change, updatedAt: new Date() });
      const details = { ...change, ...(asked && { rubric: changed.rubric.kind, ...countOf(changed) }) };
      await audit(tx, caller, { action: 'review_queue.update', entityId: id, details });
      return this.open(tx, caller, id);
    });
  }

  /** Deletes the queue with all answers. Results in cells and scores stay. Throws review_queue_not_found. */
  delete(caller: Caller, id: string): Promise<void> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const queue = await getQueue(tx, caller, id, 'pessimistic_write');
      await tx.delete(ReviewAnswer, { workspaceId, queueId: id });
      await tx.delete(ReviewItem, { workspaceId, queueId: id });
      await tx.delete(ReviewQueue, { workspaceId, id });
      await audit(tx, caller, { action: 'review_queue.delete', entityId: id, details: { name: queue.name } });
    });
  }

  /** A queue with what is needed to read its items. Throws review_queue_not_found. */
  async find(tx: EntityManager, caller: Caller, id: string, lock?: QueueLock): Promise<FoundQueue> {
    const queue = await getQueue(tx, caller, id, lock);
    const { sheetId } = queue;
    const reviewed = sheetId === null ? null : await this.rows.find(tx, caller.workspaceId, sheetId);
    return { queue, reviewed, rows: reviewed ? reviewed.sheet.rows.toString() : null };
  }

  private async open(tx: EntityManager, caller: Caller, id: string): Promise<OpenedQueue> {
    const found = await this.find(tx, caller, id);
    const [counted] = await this.count(tx, caller.workspaceId, [found.queue]);
    return { ...counted!, own: await countForReviewer(tx, found, reviewerOf(caller)) };
  }

  private async count(tx: EntityManager, workspaceId: number, queues: ReviewQueue[]): Promise<CountedQueue[]> {
    const countsOf = await countItems(
      tx,
      workspaceId,
      queues.map(({ id }) => id),
    );
    const tables = await this.rows.tablesOf(
      tx,
      workspaceId,
      queues.flatMap(({ sheetId }) => sheetId ?? []),
    );
    return queues.map((queue) => ({
      ...queue,
      tableId: (queue.sheetId && tables.get(queue.sheetId)) ?? null,
      counts: countsOf(queue.id),
    }));
  }

  private async check(tx: EntityManager, caller: Caller, given: NewReviewQueue): Promise<void> {
    const { subject, sheetId } = given;
    const questions = questionsOf(given);
    const refuse = ReviewErrors.review_queue_inconsistent;
    checkPlaces(subject, questions);
    if (subject !== 'row') {
      if (sheetId !== null) throw refuse(NO_ROWS);
      return;
    }
    if (sheetId === null) throw refuse('rows need the sheet_id of their sheet.');
    const reviewed = await this.rows.find(tx, caller.workspaceId, sheetId);
    if (!reviewed) throw ReviewErrors.review_sheet_not_found(sheetId);
    this.checkColumns(reviewed, questions);
  }

  private checkColumns(reviewed: ReviewedSheet, questions: Question[]): void {
    for (const question of questions) {
      if (question.judgeColumnId !== null) reviewed.columns.require(question.judgeColumnId);
      this.checkColumn(reviewed, question);
    }
  }

  /** Every answer of the rubric must fit the column of the results. */
  private checkColumn({ columns }: ReviewedSheet, { rubric, humanColumnId }: Question): void {
    if (humanColumnId === null) return;
    const refuse = ReviewErrors.review_queue_inconsistent;
    const column = columns.require(humanColumnId);
    const type = this.rows.answerTypeOf(columns, column);
    if (type === null) throw refuse(`"${column.title}" is no column of the type HUMAN.`);
    if (type === 'number' && rubric.kind === 'categories')
      throw refuse(`"${column.title}" takes numbers, no categories.`);
    for (const choice of choicesOf(rubric)) {
      const problem = this.rows.refusalOf(columns, column, cellValueOf(rubric, choice, type));
      if (problem !== null) throw refuse(problem);
    }
  }

  private async checkQuestions(tx: EntityManager, caller: Caller, queue: ReviewQueue): Promise<void> {
    const { workspaceId } = caller;
    const answered = { workspaceId, queueId: queue.id, answer: Not(IsNull()) };
    if (await tx.existsBy(ReviewAnswer, answered)) throw ReviewErrors.review_rubric_fixed();
    const questions = questionsOf(queue);
    checkPlaces(queue.subject, questions);
    const { reviewed } = await this.find(tx, caller, queue.id);
    if (reviewed) this.checkColumns(reviewed, questions);
  }
}

const NO_ROWS = 'only rows have a sheet and columns.';

/** Number of questions, for the audit trail. */
const countOf = ({ moreQuestions }: AskedFields) =>
  moreQuestions === null ? {} : { question_count: moreQuestions.length + 1 };

/** Throws review_queue_inconsistent if a result would be stored nowhere, or would replace that of another question. */
function checkPlaces(subject: Subject, questions: Question[]): void {
  const refuse = ReviewErrors.review_queue_inconsistent;
  for (const { rubric, humanColumnId, judgeColumnId, scoreName } of questions) {
    if (scoreName !== null && subject !== 'request') throw refuse('only requests get a score.');
    if (scoreName !== null && rubric.kind === 'categories') throw refuse('categories are no score.');
    if (subject !== 'row' && (humanColumnId ?? judgeColumnId) !== null) throw refuse(NO_ROWS);
  }
  const scores = questions.flatMap(({ scoreName }) => scoreName ?? []).map(comparable);
  const columns = questions.flatMap(({ humanColumnId }) => humanColumnId ?? []);
  if (new Set(scores).size < scores.length) throw refuse('every question needs a score of its own.');
  if (new Set(columns).size < columns.length) throw refuse('every question needs a column of its own for its results.');
}

/** `pessimistic_read` allows concurrent answers, but no change of the queue. */
type QueueLock = 'pessimistic_read' | 'pessimistic_write';

async function getQueue(
  tx: EntityManager,
  { workspaceId }: Caller,
  id: string,
  lock?: QueueLock,
): Promise<ReviewQueue> {
  const queue = await tx.findOne(ReviewQueue, { where: { workspaceId, id }, ...(lock && { lock: { mode: lock } }) });
  if (!queue) throw ReviewErrors.review_queue_not_found(id);
  return queue;
}
