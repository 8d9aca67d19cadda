import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { groupBySize } from '../platform/group-by.js';
import type { JsonObject } from '../platform/json.js';
import { StorageService } from '../storage/index.js';
import { FedRows, type FedSheet } from '../tables/index.js';
import type { QueuedCells } from '../grid/computing/queue-cells.js';
import { RowSet } from '../grid/shared/row-set.js';
import { type Decision, type PauseReason } from './feed-settings.js';
import { Feed } from './feeds.entities.js';
import {
  countDecisions,
  type FeedUse,
  noteExecution,
  readKnown,
  readUse,
  recordItems,
  unsettleItems,
} from './feeds.queries.js';
import type { JudgedItem } from './decide.js';
import type { FeedSource } from './shared/feed-source.js';

/** Bytes of content, as stored, that become rows in one transaction. One item may have more. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Pauses a feed that cannot continue. */
export class FeedStop extends Error {
  constructor(
    readonly reason: PauseReason,
    message: string,
  ) {
    super(message);
  }
}

/** A feed at work: its row and its sheet are locked until the end of the transaction. */
export interface WorkingFeed {
  feed: Feed;
  fed: FedSheet;
  source: FeedSource;
}

/** The result of a batch. */
export interface AddedBatch {
  /** Number of items that were processed, from the first. The others were too large for this batch. */
  taken: number;
  queued: QueuedCells | null;
}

const NOTHING: AddedBatch = { taken: 0, queued: null };

/** Turns chosen items into rows of the sheet of a feed, within its limits. */
@Injectable()
export class FeedRows {
  constructor(
    readonly rows: FedRows,
    private readonly storage: StorageService,
  ) {}

  /** Throws FeedStop when the sheet or the workspace is full, or the sheet lacks a column. */
  async add(tx: EntityManager, work: WorkingFeed, judged: JudgedItem[]): Promise<AddedBatch> {
    if (judged.length === 0) return NOTHING;
    const { feed, fed } = work;
    const use = await readUse(tx, feed);
    const known = new Set(
      (
        await readKnown(
          tx,
          feed,
          judged.map(({ id }) => id),
        )
      ).map(({ itemId }) => itemId),
    );
    const taken = await this.fitting(tx, work, judged);
    const decided = withinLimits(
      feed,
      use,
      taken.filter(({ id }) => !known.has(id)),
    );
    const chosen = decided.filter(({ decision }) => decision === 'chosen').map(({ id }) => id);
    await this.checkRoom(tx, work, chosen.length);
    const values = await this.valuesOf(tx, work, chosen);
    const added =
      chosen.length > 0
        ? await this.rows.append(
            tx,
            fed,
            chosen.map((id) => values.get(id)!),
          )
        : RowSet.EMPTY;
    const indexes = [...added];
    const rowOf = new Map(chosen.map((id, index) => [id, indexes[index]!]));
    const items = decided.map(({ id, decision }) => ({ itemId: id, decision, rowIndex: rowOf.get(id) ?? null }));
    await recordItems(tx, feed, { items, version: fed.sheet.version });
    await countDecisions(
      tx,
      feed,
      decided.map(({ decision }) => decision),
    );
    const queued = await this.compute(tx, work, { rows: added, failed: false, use });
    return { taken: taken.length, queued };
  }

  private async checkRoom(tx: EntityManager, { feed, fed }: WorkingFeed, added: number): Promise<void> {
    if (added > this.rows.room(fed)) throw sheetFull(this.rows.mostRows);
    // Old rows leave in the same turn, so a feed that keeps a number of rows never needs room for more.
    const growth = Math.min(added, feed.settings.keepRows - fed.sheet.rows.count);
    if (growth > 0 && growth > (await this.storage.roomForRows(tx, feed.workspaceId))) throw workspaceFull();
  }

  /** Updates the rows of items that have grown, like an edit. Skips items without a row. */
  async regrow(tx: EntityManager, work: WorkingFeed, ids: string[]): Promise<QueuedCells | null> {
    const { feed, fed } = work;
    const known = await readKnown(tx, feed, ids);
    const placed = known.flatMap(({ itemId, rowIndex }) =>
      rowIndex !== null && fed.sheet.rows.has(rowIndex) ? [{ itemId, rowIndex }] : [],
    );
    const own = await this.ownRows(tx, work, placed);
    if (own.length === 0) return null;
    for (const some of await this.bySize(tx, work, own)) await this.rewrite(tx, work, some);
    const rows = own.map(({ rowIndex }) => rowIndex);
    await unsettleItems(tx, feed, rows);
    await countDecisions(
      tx,
      feed,
      rows.map(() => 'grown' as const),
    );
    if (!feed.settings.recomputeGrown) return null;
    return this.compute(tx, work, { rows: RowSet.of(rows), failed: false, use: await readUse(tx, feed) });
  }

  /** Queues cells of rows in the operation of the feed, or in a new one with the rest of the day's budget. Another day is another budget. */
  async compute(
    tx: EntityManager,
    { feed, fed }: WorkingFeed,
    { rows, failed, use }: { rows: RowSet; failed: boolean; use: FeedUse },
  ): Promise<QueuedCells | null> {
    const { costPerDay } = feed.settings;
    const maxCost = costPerDay === null ? null : Math.max(0, costPerDay - use.costToday);
    const queued = await this.rows.compute(tx, fed, { rows, failed, into: use.executionId, maxCost });
    if (!queued) return null;
    if (queued.executionId !== feed.executionId) {
      feed.executionId = queued.executionId;
      await tx.update(Feed, { workspaceId: feed.workspaceId, id: feed.id }, { executionId: queued.executionId });
      await noteExecution(tx, feed, queued.executionId);
    }
    return queued;
  }

  /** Items whose row still holds their id. A restored sheet may have other rows at these indexes. */
  async ownRows<T extends { itemId: string; rowIndex: number }>(
    tx: EntityManager,
    { feed, fed, source }: WorkingFeed,
    items: T[],
  ): Promise<T[]> {
    if (items.length === 0) return [];
    const [idTitle] = source.titles(feed.settings);
    const columnIds = [feed.columns[idTitle!]!];
    const cells = await this.rows.values(tx, fed, { columnIds, rows: items.map(({ rowIndex }) => rowIndex) });
    const idOf = new Map(cells.map(({ rowIndex, value }) => [rowIndex, String(value)]));
    return items.filter(({ itemId, rowIndex }) => fed.sheet.rows.has(rowIndex) && idOf.get(rowIndex) === itemId);
  }

  private async rewrite(tx: EntityManager, work: WorkingFeed, items: { itemId: string; rowIndex: number }[]) {
    const values = await this.valuesOf(
      tx,
      work,
      items.map(({ itemId }) => itemId),
    );
    const written = items.map(({ itemId, rowIndex }) => ({ rowIndex, values: values.get(itemId)! }));
    await this.rows.rewrite(tx, work.fed, written);
  }

  /** The first items whose content fits into memory together. Only chosen ones are read. */
  private async fitting(tx: EntityManager, work: WorkingFeed, judged: JudgedItem[]): Promise<JudgedItem[]> {
    const chosen = judged.filter(({ decision }) => decision === 'chosen').map(({ id }) => ({ itemId: id }));
    const [, next] = await this.bySize(tx, work, chosen);
    return next
      ? judged.slice(
          0,
          judged.findIndex(({ id }) => id === next[0]!.itemId),
        )
      : judged;
  }

  /** Neighbours whose content fits into memory together. */
  private async bySize<T extends { itemId: string }>(
    tx: EntityManager,
    { feed, source }: WorkingFeed,
    items: T[],
  ): Promise<T[][]> {
    const sizes = await source.sizes(
      tx,
      feed.workspaceId,
      items.map(({ itemId }) => itemId),
    );
    return groupBySize(
      items.map((item) => ({ ...item, size: sizes.get(item.itemId) ?? 0 })),
      MOST_BYTES,
    );
  }

  /** Values by item id and column id. An item that was deleted meanwhile only has its id. */
  private async valuesOf(
    tx: EntityManager,
    { feed, fed, source }: WorkingFeed,
    ids: string[],
  ): Promise<Map<string, JsonObject>> {
    const { settings, columns } = feed;
    const titles = source.titles(settings);
    const gone = titles.find((title) => !fed.columns.find(columns[title]!));
    if (gone !== undefined) {
      throw new FeedStop(
        'column_deleted',
        `The column of "${gone}" was deleted. Restore it, or change the fields of the feed.`,
      );
    }
    const read =
      ids.length > 0 ? await source.read(tx, feed.workspaceId, settings, ids) : new Map<string, JsonObject>();
    return new Map(
      ids.map((id): [string, JsonObject] => {
        const row: JsonObject = { [titles[0]!]: id, ...read.get(id) };
        const given = titles.filter((title) => row[title] !== null && row[title] !== undefined);
        return [id, Object.fromEntries(given.map((title) => [columns[title]!, row[title]!]))];
      }),
    );
  }
}

const sheetFull = (most: number): FeedStop =>
  new FeedStop('sheet_full', `The sheet has ${most} rows, and no more fit. Delete rows, or keep fewer.`);

const workspaceFull = (): FeedStop =>
  new FeedStop(
    'workspace_full',
    'The workspace has as many rows as it may have. Delete rows, or ask the operator for a higher limit.',
  );

/** Excludes items beyond the limits, in their order. */
function withinLimits(
  { settings: { rowsPerHour, rowsPerDay, costPerDay } }: Feed,
  use: FeedUse,
  judged: JudgedItem[],
): { id: string; decision: Decision }[] {
  let added = 0;
  const isSpent = costPerDay !== null && (use.isSpent || use.costToday >= costPerDay);
  return judged.map(({ id, decision }) => {
    if (decision !== 'chosen') return { id, decision };
    if (rowsPerHour !== null && use.rowsThisHour + added >= rowsPerHour) return { id, decision: 'rows_per_hour' };
    if (rowsPerDay !== null && use.rowsToday + added >= rowsPerDay) return { id, decision: 'rows_per_day' };
    if (isSpent) return { id, decision: 'cost_per_day' };
    added += 1;
    return { id, decision };
  });
}
