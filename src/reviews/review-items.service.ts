import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, FindsInPath, type PathLookup } from '../access/index.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { decodePosition, type ListOrder } from '../platform/http/cursor.js';
import { type Order, readingOrder } from '../platform/http/list.js';
import { LogSelection } from '../requests/index.js';
import { ReviewedRows } from '../tables/index.js';
import { TraceSelection } from '../traces/index.js';
import { judgedPosition } from './judged.js';
import { answerTo, type Question, type Questions, questionsOf } from './questions.js';
import { type FoundQueue, ReviewQueuesService } from './review-queues.service.js';
import { type ItemFilters, type ReadItem, readItems } from './review-items.queries.js';
import { reviewerOf } from './reviewer.js';
import { ReviewErrors } from './reviews.errors.js';
import { positionOf } from './rubric.js';

/** Maximum number of items in one request, whatever its limit. */
export const MOST_ITEMS = 10_000;

/** Selects items by their ids or by a search. */
export interface ItemSelection {
  rowIndices: number[] | null;
  requestIds: number[] | null;
  traceIds: string[] | null;
  filterGroup: JsonObject | null;
  q: string | null;
  disagreeing: string[] | null;
  limit: number;
}

export interface AddedItems {
  added: number;
  /** Items that the queue had already. */
  known: number;
}

/**
 * The view of a reviewer on an item. Verdicts of judges, by the name of their question, and answers of others are visible only when they
 * cannot influence this reviewer any more.
 */
export type ShownItem = ReadItem & { questions: Questions; isOpenToSee: boolean; judges: Record<string, JsonValue> };

/** Adds and reads the items of queues. */
@Injectable()
@FindsInPath({ name: 'review_item_id', ids: { review_queue_id: 'uuid', review_item_id: 'uuid' } })
export class ReviewItemsService implements PathLookup<{ review_queue_id: string; review_item_id: string }> {
  constructor(
    private readonly db: DataSource,
    private readonly queues: ReviewQueuesService,
    private readonly rows: ReviewedRows,
  ) {}

  findInPath(caller: Caller, ids: { review_queue_id: string; review_item_id: string }): Promise<unknown> {
    return this.get(caller, ids.review_queue_id, ids.review_item_id);
  }

  /**
   * Adds items, each once. Throws review_queue_not_found, review_queue_closed, review_selection_invalid, review_queue_full,
   * review_sheet_not_found and the errors of the search.
   */
  add(caller: Caller, queueId: string, selection: ItemSelection): Promise<AddedItems> {
    return this.db.transaction(async (tx) => {
      const found = await this.queues.find(tx, caller, queueId, 'pessimistic_write');
      if (found.queue.state === 'closed') throw ReviewErrors.review_queue_closed(queueId);
      const subjects = await this.select(tx, found, selection);
      const added = await insertItems(tx, found, subjects);
      const details = { count: added };
      if (added > 0) await audit(tx, caller, { action: 'review_queue.add_items', entityId: queueId, details });
      return { added, known: subjects.length - added };
    });
  }

  /** Up to `limit + 1` items. Throws review_queue_not_found and cursor_invalid. */
  async list(
    caller: Caller,
    queueId: string,
    filters: ItemFilters,
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<ShownItem[]> {
    const tx = this.db.manager;
    const found = await this.queues.find(tx, caller, queueId);
    const list = itemOrder(queueId, page.order, filters);
    const position = page.cursor === undefined ? null : decodePosition(list, page.cursor, ['number']);
    const items = await readItems(tx, found, {
      order: readingOrder(page.order, position),
      after: position?.values[0] ?? null,
      limit: page.limit + 1,
      state: filters.state,
      differing: filters.differs === 'reviewers',
      ids: filters.differs === 'judge' ? await this.differingFromJudge(tx, found) : undefined,
    });
    return this.show(tx, caller, found, items);
  }

  /** Throws review_queue_not_found and review_item_not_found. */
  async get(caller: Caller, queueId: string, id: string): Promise<ShownItem> {
    const tx = this.db.manager;
    return this.read(tx, caller, await this.queues.find(tx, caller, queueId), id);
  }

  /** Throws review_item_not_found. */
  async read(tx: EntityManager, caller: Caller, found: FoundQueue, id: string): Promise<ShownItem> {
    const items = await readItems(tx, found, { order: 'asc', after: null, limit: 1, ids: [id] });
    const [item] = await this.show(tx, caller, found, items);
    if (!item) throw ReviewErrors.review_item_not_found(id);
    return item;
  }

  /** Finished items of a queue that exist, with the values that the judges have now. */
  async readComplete(tx: EntityManager, found: FoundQueue): Promise<ShownItem[]> {
    const items = await readItems(tx, found, { order: 'asc', after: null, limit: MOST_ITEMS });
    const complete = items.filter(({ state, exists }) => exists && state !== 'open');
    const judges = await this.judgesOf(tx, found, complete);
    const questions = questionsOf(found.queue);
    return complete.map((item) => ({ ...item, questions, isOpenToSee: true, judges: judges(item) }));
  }

  private async differingFromJudge(tx: EntityManager, found: FoundQueue): Promise<string[]> {
    const complete = await this.readComplete(tx, found);
    const isDiffering = ({ name, rubric }: Question, { judges, results }: ShownItem) => {
      const [said, agreed] = [judgedPosition(rubric, judges[name]!), positionOf(rubric, answerTo(results, name))];
      return said !== null && agreed !== null && said !== agreed;
    };
    return complete.filter((item) => item.questions.some((each) => isDiffering(each, item))).map(({ id }) => id);
  }

  private async show(tx: EntityManager, caller: Caller, found: FoundQueue, items: ReadItem[]): Promise<ShownItem[]> {
    const reviewer = reviewerOf(caller);
    const isOpenToSee = ({ state, answers }: ReadItem) =>
      state !== 'open' || answers.some((answer) => answer.reviewer === reviewer);
    const judges = await this.judgesOf(tx, found, items.filter(isOpenToSee));
    const questions = questionsOf(found.queue);
    return items.map((item) => ({ ...item, questions, isOpenToSee: isOpenToSee(item), judges: judges(item) }));
  }

  /** Verdicts of the judges on an item, by the names of all questions; null without a verdict. */
  private async judgesOf(
    tx: EntityManager,
    { queue, reviewed }: FoundQueue,
    items: ReadItem[],
  ): Promise<(item: ReadItem) => Record<string, JsonValue>> {
    const questions = questionsOf(queue);
    const ids = new Set(questions.flatMap(({ judgeColumnId }) => judgeColumnId ?? []));
    const columns = [...ids].flatMap((id) => reviewed?.columns.find(id) ?? []);
    const rows = items.filter(({ exists }) => exists).map(({ subjectNumber }) => Number(subjectNumber));
    const values = reviewed && columns.length > 0 ? await this.rows.values(tx, reviewed, columns, rows) : new Map();
    return ({ subjectNumber }) => {
      const cells = values.get(Number(subjectNumber)) as Map<string | null, JsonValue> | undefined;
      return Object.fromEntries(questions.map(({ name, judgeColumnId }) => [name, cells?.get(judgeColumnId) ?? null]));
    };
  }

  private async select(tx: EntityManager, found: FoundQueue, selection: ItemSelection): Promise<string[]> {
    const { queue, reviewed } = found;
    const { workspaceId, subject } = queue;
    checkSelection(found, selection);
    const { filterGroup, q, limit } = selection;
    if (subject === 'request') {
      const ids = await LogSelection.readIds(tx, workspaceId, { ids: selection.requestIds, filterGroup, q, limit });
      return ids.map(String);
    }
    if (subject === 'trace') {
      return TraceSelection.readIds(tx, workspaceId, { ids: selection.traceIds, filterGroup, q, limit });
    }
    if (!reviewed) throw ReviewErrors.review_sheet_not_found(queue.sheetId!);
    const { rowIndices, disagreeing } = selection;
    const at = ['body', 'filter_group'];
    const rows = await this.rows.select(tx, reviewed, { rowIndices, filter: filterGroup, disagreeing, at });
    return [...rows.part(0, limit)].map(String);
  }
}

/** Throws review_selection_invalid. */
function checkSelection({ queue: { subject } }: FoundQueue, selection: ItemSelection): void {
  const refuse = ReviewErrors.review_selection_invalid;
  const { rowIndices, requestIds, traceIds, filterGroup, q, disagreeing } = selection;
  const ids = { row: rowIndices, request: requestIds, trace: traceIds };
  const others = Object.entries(ids).filter(([kind, list]) => kind !== subject && list !== null);
  if (others.length > 0) throw refuse(`the items of this queue are of the kind ${subject}.`);
  if (subject === 'row' && q !== null) throw refuse('rows are found by filter_group, not by q.');
  if (subject !== 'row' && disagreeing !== null) throw refuse('disagreeing_column_ids is for rows.');
  const searches = [filterGroup, q, disagreeing].some((given) => given !== null);
  if (ids[subject] !== null && searches) throw refuse('give ids or a search, not both.');
  if (ids[subject] === null && !searches) throw refuse('give ids, or a search such as filter_group.');
}

/** The number of new items. The queue must be locked. Throws review_queue_full. */
async function insertItems(tx: EntityManager, { queue }: FoundQueue, subjects: string[]): Promise<number> {
  const { workspaceId, id: queueId, subject } = queue;
  const [added] = await tx.query<{ added: number; total: number }[]>(
    `WITH before AS (
       SELECT count(*)::int AS count, coalesce(max(ordinal), 0) AS last FROM review_items
        WHERE workspace_id = $1 AND queue_id = $2
     ), added AS (
       INSERT INTO review_items (workspace_id, queue_id, id, ordinal, subject_id, subject_number)
       SELECT $1, $2, gen_random_uuid(), b.last + s.place, s.id, CASE WHEN $4 THEN s.id::bigint END
         FROM before b, unnest($3::text[]) WITH ORDINALITY AS s (id, place)
       ON CONFLICT (workspace_id, queue_id, subject_id) DO NOTHING
       RETURNING 1)
     SELECT (SELECT count(*)::int FROM added) AS added, b.count AS total FROM before b`,
    [workspaceId, queueId, subjects, subject !== 'trace'],
  );
  if (added!.added + added!.total > MOST_ITEMS) throw ReviewErrors.review_queue_full(MOST_ITEMS);
  return added!.added;
}

export const itemOrder = (queueId: string, order: Order, filters: ItemFilters): ListOrder => ({
  sort: `ordinal:${queueId}`,
  order,
  filters,
});
