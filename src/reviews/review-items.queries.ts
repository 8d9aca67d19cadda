import type { EntityManager } from 'typeorm';
import { keyNameOf } from '../access/index.js';
import { SqlParameters } from '../platform/filters/sql-parameters.js';
import type { CursorValue } from '../platform/http/cursor.js';
import type { Order } from '../platform/http/list.js';
import type { ItemState, ReviewItem } from './review-item.entity.js';
import type { ReviewQueue } from './review-queue.entity.js';
import { joinAnswers, outcomesOf, questionsOf } from './questions.js';
import type { Answer, Answers } from './rubric.js';

/** A queue with the rows that its sheet has, as a multirange; requests and traces need none. */
export interface QueueAtHand {
  queue: ReviewQueue;
  rows: string | null;
}

/** The answer of a reviewer, with the name that the key or the user has now. */
export interface GivenAnswer {
  reviewer: string;
  name: string | null;
  answers: Answers;
  comment: string | null;
  revised: boolean;
  answeredAt: string;
}

export type ReadItem = Omit<ReviewItem, 'workspaceId' | 'queueId' | 'queue' | 'result' | 'moreResults'> & {
  /** Whether the row, request or trace still exists. */
  exists: boolean;
  /** The questions that have one. */
  results: Answers;
  /** Questions about which the reviewers disagree, even after a decision. */
  disagreeing: ReadonlySet<string>;
  /** In the order in which they were given. */
  answers: GivenAnswer[];
};

type AnswerRow = Omit<GivenAnswer, 'name' | 'answers'> & {
  answer: Answer;
  moreAnswers: Answers | null;
  name: string | null;
  lastFour: string | null;
  isKnown: boolean;
};
type ItemRow = Omit<ReadItem, 'answers' | 'results' | 'disagreeing'> &
  Pick<ReviewItem, 'result' | 'moreResults'> & { answers: AnswerRow[] };

/** How long an item is kept for a reviewer. */
export const LEASE_MINUTES = 5;

/** SQL condition that the subject of an item `i` still exists. */
export function existsSql({ queue, rows }: QueueAtHand, parameters: SqlParameters): string {
  if (queue.subject === 'row') return `i.subject_number::int <@ ${parameters.add(rows ?? '{}')}::int4multirange`;
  const workspace = `${parameters.add(queue.workspaceId)}::int`;
  return queue.subject === 'request'
    ? `EXISTS (SELECT FROM request_logs l WHERE l.workspace_id = ${workspace} AND l.id = i.subject_number)`
    : `EXISTS (SELECT FROM traces t WHERE t.workspace_id = ${workspace} AND t.trace_id = i.subject_id AND t.span_count > 0)`;
}

const ANSWERS = `coalesce((
  SELECT jsonb_agg(jsonb_build_object('reviewer', a.reviewer, 'isKnown', k.id IS NOT NULL, 'name', k.name, 'lastFour', k.last_four,
           'answer', a.answer, 'moreAnswers', a.more_answers, 'comment', a.comment, 'revised', a.revised, 'answeredAt', a.answered_at)
           ORDER BY a.answered_at, a.reviewer)
    FROM review_answers a LEFT JOIN api_keys k ON k.workspace_id = $1 AND k.id = a.key_id
   WHERE a.workspace_id = $1 AND a.queue_id = $2 AND a.item_id = i.id AND a.answer IS NOT NULL), '[]')`;

/** Which items of a queue. */
export interface ItemFilters {
  state?: ItemState;
  /** `reviewers`: all have answered, with different answers. `judge`: the verdict of the judge differs from the result. */
  differs?: 'reviewers' | 'judge';
}

interface ItemPage {
  order: Order;
  after: CursorValue | null;
  limit: number;
  state?: ItemState;
  /** Only items whose answers differ. */
  differing?: boolean;
  /** Only these. */
  ids?: string[];
}

/** Items of a queue with all their answers, by their place in it. */
export async function readItems(tx: EntityManager, at: QueueAtHand, page: ItemPage): Promise<ReadItem[]> {
  const { workspaceId, id: queueId } = at.queue;
  const { order, after, limit, state, differing, ids } = page;
  const parameters = new SqlParameters([workspaceId, queueId]);
  const exists = existsSql(at, parameters);
  const conditions = [
    state === undefined ? 'TRUE' : `i.state = ${parameters.add(state)}::text`,
    differing ? DIFFERING : 'TRUE',
    ids === undefined ? 'TRUE' : `i.id = ANY(${parameters.add(ids)}::uuid[])`,
    after === null ? 'TRUE' : `i.ordinal ${order === 'asc' ? '>' : '<'} ${parameters.add(after)}::bigint`,
  ];
  const rows = await tx.query<ItemRow[]>(
    `SELECT i.id, i.ordinal, i.subject_id AS "subjectId", i.subject_number AS "subjectNumber", i.state, i.result,
            i.more_results AS "moreResults", i.decided_by AS "decidedBy", i.leased_to AS "leasedTo", i.leased_until AS "leasedUntil",
            ${exists} AS exists, ${ANSWERS} AS answers
       FROM review_items i
      WHERE i.workspace_id = $1 AND i.queue_id = $2 AND ${conditions.join(' AND ')}
      ORDER BY i.ordinal ${order} LIMIT ${parameters.add(limit)}::int`,
    parameters.values,
  );
  return rows.map((row) => toItem(at.queue, row));
}

/** One of the questions has different answers. No question has an empty name. */
const DIFFERING = `i.state <> 'open' AND EXISTS (
  SELECT FROM review_answers a,
         LATERAL jsonb_each(jsonb_build_object('', a.answer) || coalesce(a.more_answers, '{}')) AS e (question, value)
   WHERE a.workspace_id = $1 AND a.queue_id = $2 AND a.item_id = i.id AND a.answer IS NOT NULL
   GROUP BY e.question HAVING count(DISTINCT e.value) > 1)`;

function toItem(queue: ReviewQueue, { result, moreResults, answers, ...item }: ItemRow): ReadItem {
  const questions = questionsOf(queue);
  const given = answers.map(({ isKnown, lastFour, name, answer, moreAnswers, ...more }) => ({
    ...more,
    name: isKnown ? keyNameOf({ name, lastFour }) : null,
    answers: joinAnswers(questions, answer, moreAnswers),
  }));
  if (item.state === 'open') return { ...item, results: {}, disagreeing: new Set(), answers: given };
  const { disagreeing } = outcomesOf(
    questions,
    given.map((each) => each.answers),
  );
  return { ...item, results: joinAnswers(questions, result, moreResults), disagreeing, answers: given };
}

/**
 * Leases the next item to a reviewer and returns its id; null when none is left. An item that is leased to the reviewer comes
 * first, and skipped items come last. Concurrent calls skip locked rows, so two reviewers never get the same item.
 */
export async function leaseNext(tx: EntityManager, at: QueueAtHand, reviewer: string): Promise<string | null> {
  const { workspaceId, id: queueId } = at.queue;
  const parameters = new SqlParameters([workspaceId, queueId, reviewer, LEASE_MINUTES]);
  const exists = existsSql(at, parameters);
  const [leased] = await tx.query<[{ id: string }[], number]>(
    `WITH chosen AS MATERIALIZED (
       SELECT i.id FROM review_items i
         LEFT JOIN review_answers a
           ON a.workspace_id = $1 AND a.queue_id = $2 AND a.item_id = i.id AND a.reviewer = $3::text
        WHERE i.workspace_id = $1 AND i.queue_id = $2 AND i.state = 'open' AND a.answer IS NULL
          AND (i.leased_until IS NULL OR i.leased_until <= now() OR i.leased_to = $3::text) AND ${exists}
        ORDER BY (i.leased_to = $3::text AND i.leased_until > now()) IS TRUE DESC, a.answered_at NULLS FIRST, i.ordinal
        LIMIT 1 FOR UPDATE OF i SKIP LOCKED)
     UPDATE review_items SET leased_to = $3::text, leased_until = now() + $4::int * interval '1 minute'
      WHERE workspace_id = $1 AND queue_id = $2 AND id = (SELECT id FROM chosen)
     RETURNING id`,
    parameters.values,
  );
  return leased[0]?.id ?? null;
}

/** Numbers of items of a queue, by state. */
export interface ItemCounts {
  items: number;
  /** Open items with at least one answer. */
  begun: number;
  finished: number;
  disagreements: number;
  leased: number;
}

const NO_ITEMS: ItemCounts = { items: 0, begun: 0, finished: 0, disagreements: 0, leased: 0 };

/** The counts of some queues, by id. */
export async function countItems(
  tx: EntityManager,
  workspaceId: number,
  queueIds: string[],
): Promise<(id: string) => ItemCounts> {
  const rows = await tx.query<(ItemCounts & { id: string })[]>(
    `SELECT i.queue_id AS id, count(*)::int AS items,
            count(*) FILTER (WHERE i.state = 'open' AND EXISTS (SELECT FROM review_answers a
              WHERE a.workspace_id = $1 AND a.queue_id = i.queue_id AND a.item_id = i.id AND a.answer IS NOT NULL))::int AS begun,
            count(*) FILTER (WHERE i.state = 'finished')::int AS finished,
            count(*) FILTER (WHERE i.state = 'disagreement')::int AS disagreements,
            count(*) FILTER (WHERE i.state = 'open' AND i.leased_until > now())::int AS leased
       FROM review_items i WHERE i.workspace_id = $1 AND i.queue_id = ANY($2::uuid[]) GROUP BY i.queue_id`,
    [workspaceId, queueIds],
  );
  const byId = new Map(rows.map(({ id, ...counts }) => [id, counts]));
  return (id) => byId.get(id) ?? NO_ITEMS;
}

/** How many items a reviewer has answered, and how many are left for this reviewer, leased ones included. */
export async function countForReviewer(
  tx: EntityManager,
  at: QueueAtHand,
  reviewer: string,
): Promise<{ answered: number; left: number }> {
  const { workspaceId, id: queueId } = at.queue;
  const parameters = new SqlParameters([workspaceId, queueId, reviewer]);
  const exists = existsSql(at, parameters);
  const [row] = await tx.query<{ answered: number; left: number }[]>(
    `SELECT count(*) FILTER (WHERE a.answer IS NOT NULL)::int AS answered,
            count(*) FILTER (WHERE a.answer IS NULL AND i.state = 'open' AND ${exists})::int AS left
       FROM review_items i
       LEFT JOIN review_answers a
         ON a.workspace_id = $1 AND a.queue_id = $2 AND a.item_id = i.id AND a.reviewer = $3::text
      WHERE i.workspace_id = $1 AND i.queue_id = $2`,
    parameters.values,
  );
  return row!;
}
