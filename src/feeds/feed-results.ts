import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { JsonValue } from '../platform/json.js';
import { cellScorer } from '../scoring/index.js';
import { RowSet } from '../grid/shared/row-set.js';
import { FeedRows, FeedStop, type WorkingFeed } from './feed-rows.js';
import type { ItemScore } from './shared/feed-source.js';
import { Feed } from './feeds.entities.js';
import {
  type FedItem,
  forgetRowsOfItems,
  markPublished,
  readFed,
  readSurplus,
  readUnsettled,
  settleItems,
} from './feeds.queries.js';

/** Rows whose results one transaction reads. */
const AT_ONCE = 500;

/** With so many failed rows in a row something is wrong that the next one will not mend. */
const MOST_FAILING = 10;

const scoreOf = cellScorer({});

/** Results of the rows of a feed: they become scores of the items, and a feed whose rows only fail is stopped. */
@Injectable()
export class FeedResults {
  constructor(private readonly feedRows: FeedRows) {}

  /** Settles computed rows, and publishes their values. Returns whether there may be more. Throws FeedStop. */
  async settle(tx: EntityManager, work: WorkingFeed): Promise<boolean> {
    const { feed, fed } = work;
    const items = await readUnsettled(tx, feed, AT_ONCE);
    if (items.length === 0) return false;
    const rows = RowSet.of(items.map(({ rowIndex }) => rowIndex));
    const { waiting, failed } = await this.feedRows.rows.computed(tx, fed, rows.intersect(fed.sheet.rows));
    const settled = items.filter(({ rowIndex }) => !waiting.has(rowIndex));
    await this.publish(tx, work, settled);
    await settleItems(
      tx,
      feed,
      settled.map(({ rowIndex }) => ({ rowIndex, isFailed: failed.has(rowIndex) })),
    );
    await this.countFailing(tx, work, settled, failed);
    return settled.length === AT_ONCE;
  }

  /** Publishes values that changed since the last turn. */
  async republish(tx: EntityManager, work: WorkingFeed): Promise<void> {
    const { feed, fed } = work;
    const columnIds = feed.settings.publishes.map(({ columnId }) => columnId);
    const rows = await this.feedRows.rows.changed(tx, fed, { columnIds, since: feed.seenVersion });
    for (let from = 0; from < rows.length; from += AT_ONCE) {
      await this.publish(tx, work, await readFed(tx, feed, rows.slice(from, from + AT_ONCE)));
    }
  }

  /** Deletes rows beyond the number or age that the feed keeps. Returns whether there may be more. */
  async trim(tx: EntityManager, { feed, fed }: WorkingFeed): Promise<boolean> {
    const { rows, firstVersion } = await readSurplus(tx, feed, feed.settings);
    if (rows.length === 0) return false;
    const there = RowSet.of(rows).intersect(fed.sheet.rows);
    if (!there.isEmpty) await this.feedRows.rows.forget(tx, fed, there, firstVersion ?? fed.sheet.version);
    await forgetRowsOfItems(tx, feed, rows);
    return true;
  }

  private async publish(tx: EntityManager, work: WorkingFeed, items: FedItem[]): Promise<void> {
    const { feed, fed, source } = work;
    const { publishes } = feed.settings;
    if (publishes.length === 0 || items.length === 0) return;
    const own = await this.feedRows.ownRows(tx, work, items);
    const itemAt = new Map(own.map((item) => [item.rowIndex, item]));
    const columnIds = publishes.map(({ columnId }) => columnId);
    const cells = await this.feedRows.rows.values(tx, fed, { columnIds, rows: [...itemAt.keys()] });
    const scores: ItemScore[] = [];
    const published = new Map<number, Record<string, number>>();
    for (const { rowIndex, columnId, version, value } of cells) {
      const item = itemAt.get(rowIndex)!;
      if (item.published?.[columnId] === version) continue;
      published.set(rowIndex, { ...item.published, ...published.get(rowIndex), [columnId]: version });
      const score = publishedScore(value);
      if (score === null) continue;
      const names = publishes.filter((each) => each.columnId === columnId).map(({ name }) => name);
      scores.push(...names.map((name) => ({ id: item.itemId, name, score })));
    }
    if (scores.length > 0) await source.publish(tx, feed.workspaceId, scores);
    await markPublished(
      tx,
      feed,
      [...published].map(([rowIndex, versions]) => ({ rowIndex, versions })),
    );
  }

  private async countFailing(
    tx: EntityManager,
    { feed }: WorkingFeed,
    settled: FedItem[],
    failed: RowSet,
  ): Promise<void> {
    if (settled.length === 0) return;
    const lastGood = settled.findLastIndex(({ rowIndex }) => !failed.has(rowIndex));
    const trailing = settled.length - 1 - lastGood;
    feed.failingCount = lastGood === -1 ? feed.failingCount + trailing : trailing;
    await tx.update(Feed, { workspaceId: feed.workspaceId, id: feed.id }, { failingCount: feed.failingCount });
  }

  /** Throws FeedStop when nothing but failures came for a while. */
  check({ feed }: WorkingFeed): void {
    if (feed.failingCount < MOST_FAILING) return;
    throw new FeedStop(
      'cells_failing',
      `Cells of the last ${feed.failingCount} rows failed. Their errors are in the sheet. Mend the cause, then set the state to active: these rows are computed again, and the feed goes on where it stopped.`,
    );
  }
}

/** Converts a value to the scale of request scores: 100 for passed, 0 for failed; numbers stay. */
export function publishedScore(value: JsonValue): number | null {
  const score = scoreOf(value);
  if (score === null) return null;
  const isNumber =
    typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)));
  const points = Math.round(isNumber ? score : score * 100);
  return points < 0 || points > 100 ? null : points;
}
