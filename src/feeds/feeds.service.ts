import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryDeepPartialEntity } from 'typeorm';
import { audit, type Caller, FindsInPath, type PathLookup } from '../access/index.js';
import { type ArrivalKind, openArrivals, readArrivals } from '../arrivals/index.js';
import { type CreatedPage, readCreated } from '../platform/http/created-list.js';
import { InjectNotifier, type WorkNotifier } from '../platform/work/work-notifier.js';
import { addressOf, type FedSheet, getSheet, type SheetPath } from '../tables/index.js';
import { RowSet } from '../grid/shared/row-set.js';
import { deleteFeed } from './delete-feed.js';
import { FeedRows } from './feed-rows.js';
import type { Backfill, FeedSettings } from './feed-settings.js';
import { FeedSources, type ItemFacts } from './shared/feed-source.js';
import { active, pausedFor } from './feed-state.js';
import { Feed, FeedItem, FeedRevision } from './feeds.entities.js';
import { FeedErrors } from './shared/feeds.errors.js';
import { readUse, unsettleItems } from './feeds.queries.js';
import { readStanding, type FeedStanding } from './feed-standing.queries.js';

export const FEEDS_QUEUE = 'feeds';

/** Number of arrivals that are searched for the one that was stored first. Their order is about that of storing. */
const MOST_WAITING = 500;

/** Maximum number of feeds of one sheet. */
const MOST_FEEDS = 20;

export interface NewFeed {
  name: string;
  source: ArrivalKind;
  settings: FeedSettings;
  quietSeconds: number;
  /** null means now. With an earlier time, items that were stored since are decided about as well. */
  beginsAt: Date | null;
}

export interface FeedChange {
  name?: string;
  /** Settings to change. */
  settings?: Partial<FeedSettings>;
  quietSeconds?: number;
  state?: Feed['state'];
}

export interface FeedPath extends SheetPath {
  feed_id: string;
}

/** A feed with its counts of the last hour and its progress. */
export type ShownFeed = Feed & FeedStanding;

/** Creates and changes the feeds of sheets. */
@Injectable()
@FindsInPath({ name: 'feed_id', ids: { table_id: 'uuid', sheet_id: 'uuid', feed_id: 'uuid' } })
export class FeedsService implements PathLookup<FeedPath> {
  constructor(
    private readonly db: DataSource,
    private readonly sources: FeedSources,
    private readonly feedRows: FeedRows,
    @InjectNotifier(FEEDS_QUEUE) private readonly notifier: WorkNotifier,
  ) {}

  async findInPath(caller: Caller, path: FeedPath): Promise<unknown> {
    await getSheet(this.db.manager, addressOf(caller, path));
    return findFeed(this.db.manager, caller, path);
  }

  /** Throws feed_inconsistent, feed_limit_missing, feed_too_many and the errors of filters, columns and imports. */
  async create(caller: Caller, path: SheetPath, given: NewFeed): Promise<ShownFeed> {
    const { workspaceId, keyId } = caller;
    const sheetId = path.sheet_id.toLowerCase();
    const id = randomUUID();
    const created = await this.db.transaction(async (tx) => {
      await getSheet(tx, addressOf(caller, path));
      const fed = await this.lock(tx, caller, path);
      if ((await tx.countBy(Feed, { workspaceId, sheetId })) >= MOST_FEEDS) throw FeedErrors.feed_too_many(MOST_FEEDS);
      const columns = await this.check(tx, caller, fed, given);
      const position = await openArrivals(tx, workspaceId, given.source);
      const beginsAt = given.beginsAt ?? new Date();
      const backfill = given.beginsAt && backfillFrom(given.beginsAt);
      const { name, source, settings, quietSeconds } = given;
      const feed = { workspaceId, id, sheetId, name, source, settings, columns, quietSeconds, beginsAt, backfill };
      await tx.insert(Feed, { ...feed, beginSeq: position, position, createdBy: keyId });
      await tx.insert(FeedRevision, { workspaceId, feedId: id, revision: 1, settings });
      await audit(tx, caller, { action: 'feed.create', entityId: id, details: { name, source, sheet_id: sheetId } });
      return this.show(tx, caller, { ...path, feed_id: id });
    });
    this.notifier.notify();
    return created;
  }

  async list(caller: Caller, path: SheetPath, page: CreatedPage): Promise<ShownFeed[]> {
    const { workspaceId } = caller;
    const sheet = await getSheet(this.db.manager, addressOf(caller, path));
    const feeds = await readCreated(this.db.manager, Feed, { workspaceId, sheetId: sheet.id }, page);
    return readStanding(this.db.manager, workspaceId, feeds);
  }

  async get(caller: Caller, path: FeedPath): Promise<ShownFeed> {
    await getSheet(this.db.manager, addressOf(caller, path));
    return this.show(this.db.manager, caller, path);
  }

  /** Throws feed_not_found and the errors of `create`. */
  async update(caller: Caller, path: FeedPath, change: FeedChange): Promise<ShownFeed> {
    const { workspaceId } = caller;
    const changed = await this.db.transaction(async (tx) => {
      await getSheet(tx, addressOf(caller, path));
      const feed = await findFeed(tx, caller, path, 'pessimistic_write');
      const fed = await this.lock(tx, caller, path);
      const settings = { ...feed.settings, ...change.settings };
      const isOther = change.settings !== undefined;
      const columns = isOther ? await this.check(tx, caller, fed, { ...feed, settings }) : feed.columns;
      const revision = feed.revision + (isOther ? 1 : 0);
      if (isOther) await this.addRevision(tx, feed, { revision, settings });
      const name = change.name ?? feed.name;
      const quietSeconds = change.quietSeconds ?? feed.quietSeconds;
      const fields = { name, settings, columns, revision, quietSeconds, updatedAt: new Date(), seenVersion: 0 };
      await tx.update(
        Feed,
        { workspaceId, id: feed.id },
        { ...fields, ...UNCLAIMED, ...stateFields(feed, change.state) },
      );
      const queued = change.state === 'active' ? await this.resume(tx, feed, fed) : null;
      const details = { name, ...(change.state && { state: change.state }), ...(isOther && { revision }) };
      await audit(tx, caller, { action: 'feed.update', entityId: feed.id, details });
      return { queued, shown: await this.show(tx, caller, path) };
    });
    this.feedRows.rows.notify(changed.queued);
    this.notifier.notify();
    return changed.shown;
  }

  /** Deletes the feed with its decisions. Its rows stay. Throws feed_not_found. */
  delete(caller: Caller, path: FeedPath): Promise<void> {
    return this.db.transaction(async (tx) => {
      await getSheet(tx, addressOf(caller, path));
      const feed = await findFeed(tx, caller, path, 'pessimistic_write');
      await deleteFeed(tx, feed);
      await audit(tx, caller, { action: 'feed.delete', entityId: feed.id, details: { name: feed.name } });
    });
  }

  /** Checks the settings and returns the columns of the fields. Adds missing columns. */
  private async check(
    tx: EntityManager,
    caller: Caller,
    fed: FedSheet,
    { source: kind, settings }: Pick<NewFeed, 'source' | 'settings'>,
  ): Promise<Record<string, string>> {
    const source = this.sources.get(kind);
    source.check(settings, settings);
    checkPublished(fed, settings);
    if (settings.keepRows > this.feedRows.rows.mostRows) {
      throw FeedErrors.feed_inconsistent(`a sheet has at most ${this.feedRows.rows.mostRows} rows. Keep fewer.`);
    }
    if (this.feedRows.rows.isPaid(fed) && !hasLimit(settings)) {
      throw FeedErrors.feed_limit_missing('everything that matches is computed');
    }
    const titles = source.titles(settings);
    const ids = await this.feedRows.rows.columnsFor(tx, fed, titles, caller.keyName);
    return Object.fromEntries(titles.map((title, index) => [title, ids[index]!]));
  }

  /** New settings also apply to items that are waiting. */
  private async addRevision(tx: EntityManager, feed: Feed, revision: { revision: number; settings: FeedSettings }) {
    const { workspaceId, id: feedId, source: kind, position: after } = feed;
    const waiting = await readArrivals(tx, { workspaceId, kind }, { after, limit: MOST_WAITING });
    const ids = waiting.map(({ itemId }) => itemId);
    const facts =
      kind === 'requests' ? await this.sources.get(kind).facts(tx, workspaceId, ids) : new Map<string, ItemFacts>();
    const moments = waiting.map(({ itemId, arrivedAt }) => (facts.get(itemId)?.storedAt ?? arrivedAt).getTime());
    const since = moments.length > 0 ? { since: new Date(Math.min(...moments)) } : {};
    await tx.insert(FeedRevision, { workspaceId, feedId, ...revision, ...since });
  }

  /** A feed that was stopped by failing cells computes those rows again. */
  private async resume(tx: EntityManager, feed: Feed, fed: FedSheet) {
    if (feed.pausedReason !== 'cells_failing') return null;
    const { workspaceId } = feed;
    const failed = await tx.find(FeedItem, {
      select: { rowIndex: true },
      where: { workspaceId, feedId: feed.id, isFailed: true },
      order: { rowIndex: 'DESC' },
      take: 1000,
    });
    const rows = failed.flatMap(({ rowIndex }) => rowIndex ?? []);
    await unsettleItems(tx, feed, rows);
    await tx.update(Feed, { workspaceId, id: feed.id }, { failingCount: 0 });
    const work = { feed, fed, source: this.sources.get(feed.source) };
    return this.feedRows.compute(tx, work, { rows: RowSet.of(rows), failed: true, use: await readUse(tx, feed) });
  }

  private async lock(tx: EntityManager, caller: Caller, path: SheetPath): Promise<FedSheet> {
    const fed = await this.feedRows.rows.lock(tx, caller.workspaceId, path.sheet_id.toLowerCase());
    // Throws when the sheet was deleted since it was found.
    if (!fed) await getSheet(tx, addressOf(caller, path));
    return fed!;
  }

  private async show(tx: EntityManager, caller: Caller, path: FeedPath): Promise<ShownFeed> {
    const [shown] = await readStanding(tx, caller.workspaceId, [await findFeed(tx, caller, path)]);
    return shown!;
  }
}

/** Includes items of senders whose clocks are ahead. */
const CLOCKS_AHEAD_MS = 24 * 3600 * 1000;

/** Throws feed_inconsistent. */
export function backfillFrom(beginsAt: Date): Backfill {
  const now = Date.now();
  if (beginsAt.getTime() > now) throw FeedErrors.feed_inconsistent('begins_at lies in the future.');
  const until = new Date(now + CLOCKS_AHEAD_MS).toISOString();
  return { from: beginsAt.toISOString(), until, at: null, id: null, isDone: false };
}

const hasLimit = ({ rowsPerHour, rowsPerDay, costPerDay }: FeedSettings): boolean =>
  rowsPerHour !== null || rowsPerDay !== null || costPerDay !== null;

function checkPublished({ columns }: FedSheet, { publishes }: FeedSettings): void {
  for (const { columnId } of publishes) columns.require(columnId);
  if (new Set(publishes.map(({ name }) => name)).size < publishes.length) {
    throw FeedErrors.feed_inconsistent('two columns publish a score of the same name.');
  }
}

function stateFields(feed: Feed, state: Feed['state'] | undefined): QueryDeepPartialEntity<Feed> {
  if (state === undefined || state === feed.state) return {};
  return state === 'active' ? active() : pausedFor('user', null);
}

/**
 * Queues a changed feed for a turn. A turn that is under way loses its claim and ends at its next step. Otherwise a feed that is
 * paused and resumed meanwhile would wait for the end of the lease.
 */
const UNCLAIMED: Partial<Feed> = { status: 'queued', claim: null, leaseUntil: null, attempts: 0 };

/** Throws feed_not_found. */
export async function findFeed(
  tx: EntityManager,
  { workspaceId }: Caller,
  { sheet_id: sheetId, feed_id: id }: FeedPath,
  lock?: 'pessimistic_write',
): Promise<Feed> {
  const where = { workspaceId, id: id.toLowerCase(), sheetId: sheetId.toLowerCase() };
  const feed = await tx.findOne(Feed, { where, ...(lock && { lock: { mode: lock } }) });
  if (!feed) throw FeedErrors.feed_not_found(id);
  return feed;
}
