import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../access/index.js';
import { withoutNoise } from '../platform/numbers.js';
import { addressOf, FedRows, getSheet, RunPlansService, type SheetPath } from '../tables/index.js';
import { RowSet } from '../grid/shared/row-set.js';
import { decide } from './decide.js';
import type { FeedSettings } from './feed-settings.js';
import { FeedSources } from './shared/feed-source.js';
import type { NewFeed } from './feeds.service.js';

/** Maximum number of stored items that a plan checks. Their share of matches is the estimate for all. */
const SAMPLE = 2000;
const DAY_MS = 24 * 3600 * 1000;

/** Result of a feed for the items of a range. An estimate if there are more items than the sample. */
export interface PlannedItems {
  items: number;
  /** Items that match and are in the sample of the feed. */
  chosen: number;
  /** Chosen items within the limits on rows. */
  rows: number;
  cells: number;
  /** US dollars; null if the price of a row is not known. */
  price: number | null;
  isExact: boolean;
}

export interface FeedPlan {
  /** Result for the last 24 hours. */
  lastDay: PlannedItems;
  /** Result for items since `begins_at`; null when the feed begins now. */
  backfill: PlannedItems | null;
  /** Price of a row in US dollars; null if it is not known. */
  pricePerRow: number | null;
  /** Whether a row calls models or services. */
  isPaid: boolean;
}

/** Estimates the rows and costs of a feed without creating it. */
@Injectable()
export class FeedPlansService {
  constructor(
    private readonly db: DataSource,
    private readonly sources: FeedSources,
    private readonly rows: FedRows,
    private readonly plans: RunPlansService,
  ) {}

  plan(caller: Caller, path: SheetPath, given: Omit<NewFeed, 'name'>): Promise<FeedPlan> {
    const { workspaceId } = caller;
    const { settings, beginsAt } = given;
    const source = this.sources.get(given.source);
    source.check(settings, settings);
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      await getSheet(tx, addressOf(caller, path));
      const fed = (await this.rows.find(tx, workspaceId, path.sheet_id.toLowerCase()))!;
      const computed = fed.columns.ofSheet.filter((column) => fed.columns.isComputed(column));
      // One row is enough: the price of a cell follows from the history or the prompts of its column.
      const oneRow = RowSet.range(0, 1);
      const cells = new Map(
        computed.map((column) => [column, fed.sheet.rows.isEmpty ? oneRow : firstOf(fed.sheet.rows)]),
      );
      const { columns } = await this.plans.planIn(tx, fed.columns, { workspaceId, cells });
      const prices = columns.map(({ price }) => price);
      const pricePerRow = prices.includes(null) ? null : prices.reduce<number>((sum, price) => sum + (price ?? 0), 0);
      const perRow = { cells: computed.length, price: pricePerRow };
      const look = async (from: Date): Promise<PlannedItems> => {
        const range = { from: from.toISOString(), until: new Date(Date.now() + DAY_MS).toISOString() };
        const items = await source.count(tx, workspaceId, range);
        const newest = await source.stored(tx, workspaceId, range, { after: null, order: 'desc', limit: SAMPLE });
        const judged = await decide(
          tx,
          { source, workspaceId, settings },
          newest.map(({ id }) => id),
        );
        const chosen = judged.filter(({ decision }) => decision === 'chosen').length;
        const scale = newest.length === 0 ? 0 : items / newest.length;
        const days = Math.max(1, (Date.now() - from.getTime()) / DAY_MS);
        return toPlanned(
          { items, chosen: Math.round(chosen * scale), isExact: items <= newest.length },
          { settings, perRow, days },
        );
      };
      return {
        lastDay: await look(new Date(Date.now() - DAY_MS)),
        backfill: beginsAt && (await look(beginsAt)),
        pricePerRow,
        isPaid: this.rows.isPaid(fed),
      };
    });
  }
}

const firstOf = (rows: RowSet): RowSet => RowSet.of(rows.page(null, 1, 'asc'));

function toPlanned(
  { items, chosen, isExact }: Pick<PlannedItems, 'items' | 'chosen' | 'isExact'>,
  { settings, perRow, days }: { settings: FeedSettings; perRow: { cells: number; price: number | null }; days: number },
): PlannedItems {
  const { rowsPerHour, rowsPerDay, costPerDay } = settings;
  const most = Math.min(rowsPerHour === null ? Infinity : rowsPerHour * 24, rowsPerDay ?? Infinity);
  const rows = Math.min(chosen, most * days);
  const price = perRow.price === null ? null : withoutNoise(rows * perRow.price);
  const capped = price !== null && costPerDay !== null ? Math.min(price, costPerDay * days) : price;
  return { items, chosen, rows: Math.round(rows), cells: Math.round(rows) * perRow.cells, price: capped, isExact };
}
