import type { Client } from './client.js';
import type { Page } from './factories.js';

export const QUEUES = '/api/public/v2/review-queues';

export interface ReviewQueue {
  id: string;
  name: string;
  state: string;
  rubric: object;
  questions: { name: string; rubric: object; required: boolean; score_name: string | null }[];
  table_id: string | null;
  counts: Record<'items' | 'begun' | 'finished' | 'disagreements' | 'leased', number>;
  answered_by_you: number;
  left_for_you: number;
}

export interface ReviewItem {
  id: string;
  position: number;
  subject_id: string;
  is_gone: boolean;
  state: string;
  result: unknown;
  results: Record<string, unknown>;
  disagreements: string[];
  decided_by: number | null;
  leased_until: string | null;
  answers:
    | {
        answer: unknown;
        answers: Record<string, unknown>;
        is_yours: boolean;
        comment: string | null;
        revised: boolean;
        reviewer_name: string | null;
      }[]
    | null;
  judge: unknown;
  judges: Record<string, string>;
}

interface QuestionAgreement {
  weights: string;
  reviewers: AgreementOf[];
  judge_versions: (AgreementOf & { judge_version: number; unreadable_count: number })[];
}

export interface Agreement extends QuestionAgreement {
  questions: (QuestionAgreement & { name: string })[];
}

interface AgreementOf {
  reviewer_names?: string[];
  item_count: number;
  agreement: number | null;
  kappa: number | null;
  kappa_interval: { low: number; high: number } | null;
  kappa_reason: string | null;
  revised_count?: number;
}

/** A queue with items. */
export async function newQueue(me: Client, body: object, items?: object): Promise<string> {
  const given = { name: 'Tone', rubric: { kind: 'thumbs' }, ...body };
  const { review_queue: queue } = (await me.post(QUEUES, given, 201)) as { review_queue: ReviewQueue };
  if (items) await me.post(`${QUEUES}/${queue.id}/items`, items);
  return queue.id;
}

export async function readQueue(client: Client, id: string): Promise<ReviewQueue> {
  return ((await client.get(`${QUEUES}/${id}`)) as { review_queue: ReviewQueue }).review_queue;
}

export async function nextItem(client: Client, queue: string): Promise<ReviewItem | null> {
  return ((await client.post(`${QUEUES}/${queue}/next`)) as { item: ReviewItem | null }).item;
}

export async function readItem(client: Client, queue: string, item: string): Promise<ReviewItem> {
  return ((await client.get(`${QUEUES}/${queue}/items/${item}`)) as { item: ReviewItem }).item;
}

export async function listItems(client: Client, queue: string, query = ''): Promise<ReviewItem[]> {
  return ((await client.get(`${QUEUES}/${queue}/items?limit=100${query}`)) as Page<ReviewItem>).data;
}

export interface Answered {
  item: ReviewItem;
  result_problem: string | null;
}

export async function answerItem(
  client: Client,
  queue: string,
  item: string,
  answer: unknown,
  comment?: string,
): Promise<Answered> {
  return (await client.post(`${QUEUES}/${queue}/items/${item}/answer`, { answer, comment })) as Answered;
}

/** Answers several questions at once. */
export async function answerQuestions(
  client: Client,
  queue: string,
  item: string,
  answers: object,
  comment?: string,
): Promise<Answered> {
  return (await client.post(`${QUEUES}/${queue}/items/${item}/answer`, { answers, comment })) as Answered;
}

/** Answers all remaining items, each by the id of its subject. Returns these ids in order. */
export async function answerAll(
  client: Client,
  queue: string,
  answerOf: (subjectId: string) => unknown,
): Promise<string[]> {
  const seen: string[] = [];
  for (let item = await nextItem(client, queue); item; item = await nextItem(client, queue)) {
    seen.push(item.subject_id);
    await answerItem(client, queue, item.id, answerOf(item.subject_id));
  }
  return seen;
}

export async function readAgreement(client: Client, queue: string): Promise<Agreement> {
  return (await client.get(`${QUEUES}/${queue}/agreement`)) as Agreement;
}

/**
 * A queue of a row, or of requests, whose items two reviewers have answered differently. Returns the path parameters of
 * the caller.
 */
export async function disagreement(me: Client, other: Client, body: object, items: object) {
  const rubric = { kind: 'scale', min: 1, max: 5 };
  const queue = await newQueue(me, { rubric, reviewers_per_item: 2, ...body }, items);
  await answerAll(me, queue, () => 1);
  await answerAll(other, queue, () => 5);
  const [item] = await listItems(me, queue);
  return { review_queue_id: queue, review_item_id: item!.id };
}
