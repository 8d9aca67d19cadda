import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { addQuietTraces, forgetArrivals, forgetOpenTraces, readArrivals, type ReadArrival } from '../arrivals/index.js';
import { emit } from '../events/index.js';
import { retrying } from '../platform/database/retrying.js';
import { type ClaimedRow, RowWork, type WorkTable } from '../platform/work/row-work.js';
import { WorkAborted, type WorkControl } from '../platform/work/work-kind.js';
import type { QueuedCells } from '../tables/index.js';
import { decide } from './decide.js';
import { takeBackfill } from './feed-backfill.js';
import { FeedEvents } from './feed-events.js';
import { FeedResults } from './feed-results.js';
import { FeedRows, FeedStop, type WorkingFeed } from './feed-rows.js';
import { FeedSignals } from './feed-signals.js';
import { FeedSources } from './feed-source.js';
import { Feed } from './feeds.entities.js';
import { forgetOld, readUnsettled } from './feeds.queries.js';

/** Arrivals that are decided in one transaction. */
const AT_ONCE = 500;

/**
 * Something has arrived, is quiet, waits for the backfill, or was computed since the feed looked last. Results of one operation may share a
 * version, so a sheet in which nothing is computed any more is looked at as well.
 */
const HAS_WORK = `(
  w.position < coalesce((SELECT l.last_seq FROM arrival_logs l WHERE l.workspace_id = w.workspace_id AND l.kind = w.source), 0)
  OR w.backfill ->> 'isDone' = 'false'
  OR w.source = 'traces' AND EXISTS (SELECT FROM open_traces o
       WHERE o.workspace_id = w.workspace_id AND o.changed_at <= now() - w.quiet_seconds * interval '1 second'
         AND w.quiet_seconds <> ALL (o.arrived_waits))
  OR EXISTS (SELECT FROM sheets s WHERE s.workspace_id = w.workspace_id AND s.id = w.sheet_id
       AND (s.version > w.seen_version OR s.deleted_at IS NOT NULL))
  OR EXISTS (SELECT FROM feed_items i WHERE i.workspace_id = w.workspace_id AND i.feed_id = w.id AND NOT i.is_settled)
     AND NOT EXISTS (SELECT FROM computation_tasks t WHERE t.workspace_id = w.workspace_id AND t.sheet_id = w.sheet_id))`;

export const FEED_ROWS: WorkTable = {
  name: 'feed',
  table: 'feeds',
  idType: 'uuid',
  open: `w.status IN ('queued', 'running') AND w.state = 'active' AND (w.status = 'running' OR ${HAS_WORK})`,
  wanted: `w.state = 'active'`,
  claimed: 'updated_at = updated_at',
  givenBack: `status = 'queued'`,
};

/** The result of one transaction of a feed. */
interface Step {
  hasMore: boolean;
  queued?: QueuedCells | null;
}

/** Services that the work of a feed uses. */
@Injectable()
export class FeedServices {
  constructor(
    readonly sources: FeedSources,
    readonly feedRows: FeedRows,
    readonly results: FeedResults,
    readonly signals: FeedSignals,
  ) {}
}

/** Decides about arrivals, one batch in one transaction: a worker that dies leaves the batch undone, and the next one does it. */
@Injectable()
export class FeedWork extends RowWork<Feed> {
  /** Feeds of one workspace leave places for others. */
  readonly mostOfOneWorkspace = 2;
  /** Its own traces would be arrivals. */
  readonly isUpkeep = true;
  private readonly services: FeedServices;

  constructor(db: DataSource, services: FeedServices) {
    super(db, FEED_ROWS, Feed);
    this.services = services;
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    try {
      await this.all(claim, signal, (tx, work) => this.addQuiet(tx, work));
      await this.all(claim, signal, (tx, work) => this.decideArrivals(tx, work));
      await this.all(claim, signal, (tx, work) => takeBackfill(tx, work, this.services.feedRows));
      await this.all(claim, signal, (tx, work) => this.lookAtResults(tx, work));
      const { hasMore } = await this.step(claim, (tx, work) => this.finish(tx, claim, work));
      if (hasMore) this.services.signals.lookAgain();
    } catch (error) {
      if (!(error instanceof FeedStop)) throw error;
      await this.pause(claim, error);
    }
  }

  /** Any error but those of the connection ends in a pause that says so. Nothing is lost: the position stays. */
  async fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(
      error,
      claim,
      'The feed failed for an unknown reason, which is in the log of the server.',
    );
    await this.pause(claim, new FeedStop('feed_failed', message));
  }

  private async all(
    claim: ClaimedRow,
    signal: AbortSignal,
    step: (tx: EntityManager, work: WorkingFeed) => Promise<Step>,
  ): Promise<void> {
    for (let hasMore = true; hasMore;) {
      signal.throwIfAborted();
      ({ hasMore } = await this.step(claim, step));
    }
  }

  /** One transaction with the feed and its sheet locked. Throws WorkAborted when the claim is lost. */
  private async step(claim: ClaimedRow, step: (tx: EntityManager, work: WorkingFeed) => Promise<Step>): Promise<Step> {
    const { rows } = this.services.feedRows;
    const inTransaction = async (tx: EntityManager) => {
      const { workspaceId, id } = claim;
      const lock = { mode: 'pessimistic_write' as const };
      const feed = await tx.findOne(Feed, { where: { workspaceId, id, claim: claim.claim }, lock });
      if (!feed || feed.state !== 'active') throw new WorkAborted('lease_lost');
      const fed = await rows.lock(tx, workspaceId, feed.sheetId);
      if (!fed) throw new FeedStop('sheet_deleted', 'The sheet was deleted.');
      return step(tx, { feed, fed, source: this.services.sources.get(feed.source) });
    };
    const done = await retrying(() => this.db.transaction(inTransaction));
    rows.notify(done.queued ?? null);
    return done;
  }

  private async addQuiet(tx: EntityManager, { feed }: WorkingFeed): Promise<Step> {
    if (feed.source !== 'traces') return { hasMore: false };
    return { hasMore: (await addQuietTraces(tx, feed.workspaceId, feed.quietSeconds)) > 0 };
  }

  private async decideArrivals(tx: EntityManager, work: WorkingFeed): Promise<Step> {
    const { feed, source } = work;
    const { workspaceId, id, settings } = feed;
    const place = { workspaceId, kind: feed.source };
    const arrivals = await readArrivals(tx, place, { after: feed.position, limit: AT_ONCE });
    if (arrivals.length === 0) return { hasMore: false };
    const fresh = arrivals.filter((arrival) => newsOf(arrival, feed) === 'new').map(({ itemId }) => itemId);
    const judged = await decide(tx, { source, workspaceId, settings }, fresh);
    const { taken, queued } = await this.services.feedRows.add(tx, work, judged);
    const isCut = taken < fresh.length;
    const done = isCut
      ? arrivals.slice(
          0,
          arrivals.findIndex(({ itemId }) => itemId === fresh[taken]),
        )
      : arrivals;
    const grown = done.filter((arrival) => newsOf(arrival, feed) === 'grown').map(({ itemId }) => itemId);
    const again = grown.length > 0 ? await this.services.feedRows.regrow(tx, work, grown) : null;
    await tx.update(Feed, { workspaceId, id }, { position: done.at(-1)!.seq });
    return { hasMore: isCut || arrivals.length === AT_ONCE, queued: queued ?? again };
  }

  private async lookAtResults(tx: EntityManager, work: WorkingFeed): Promise<Step> {
    const { results } = this.services;
    const { feed, fed } = work;
    // Later results make another version, or share this one: those from this version on are read the next time.
    await tx.update(Feed, { workspaceId: feed.workspaceId, id: feed.id }, { seenVersion: fed.sheet.version });
    const hasMore = await results.settle(tx, work);
    if (!hasMore) await results.republish(tx, work);
    return { hasMore: (await results.trim(tx, work)) || hasMore };
  }

  /** Deletes what all feeds have read. Gives whether rows are still being computed. */
  private async finish(tx: EntityManager, claim: ClaimedRow, work: WorkingFeed): Promise<Step> {
    const { feed } = work;
    const { workspaceId, source: kind } = feed;
    this.services.results.check(work);
    await forgetOld(tx, feed);
    const [slowest] = await tx.query<[{ seq: string; waits: number[] }]>(
      `SELECT min(CASE WHEN f.backfill ->> 'isDone' = 'false' THEN least(f.position, f.begin_seq) ELSE f.position END) AS seq,
              array_agg(DISTINCT f.quiet_seconds) AS waits FROM feeds f WHERE f.workspace_id = $1 AND f.source = $2`,
      [workspaceId, kind],
    );
    await forgetArrivals(tx, { workspaceId, kind }, slowest.seq);
    if (kind === 'traces') await forgetOpenTraces(tx, workspaceId, slowest.waits);
    await this.requeue(tx, claim, {});
    return { hasMore: (await readUnsettled(tx, feed, 1)).length > 0 };
  }

  private pause(claim: ClaimedRow, { reason, message }: FeedStop): Promise<void> {
    const { workspaceId, id } = claim;
    const paused = { state: 'paused' as const, pausedReason: reason, pausedMessage: message, updatedAt: new Date() };
    return this.db.transaction(async (tx) => {
      await this.requeue(tx, claim, paused);
      const { name, sheetId } = await tx.findOneByOrFail(Feed, { workspaceId, id });
      const event = FeedEvents.paused({ feed_id: id, name, sheet_id: sheetId, reason, message });
      await emit(tx, { workspaceId, keyId: null, requestId: id }, event);
    });
  }
}

/** The meaning of an arrival for a feed: an item to decide about, one that has grown since, or nothing. */
function newsOf({ quietSeconds, known, current }: ReadArrival, feed: Feed): 'new' | 'grown' | null {
  const wait = feed.quietSeconds;
  if (quietSeconds !== null && quietSeconds !== wait) return null;
  if (current.includes(wait)) return null;
  return known.includes(wait) ? 'grown' : 'new';
}
