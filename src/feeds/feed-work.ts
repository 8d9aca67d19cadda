import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { addQuietTraces, type ReadArrival, readArrivals } from '../arrivals/index.js';
import { emit } from '../events/index.js';
import { retrying } from '../platform/database/retrying.js';
import { type ClaimedRow, RowWork, type WorkTable } from '../platform/work/row-work.js';
import { WorkAborted, type WorkControl } from '../platform/work/work-kind.js';
import type { QueuedCells } from '../grid/computing/queue-cells.js';
import { decide } from './decide.js';
import { takeBackfill } from './feed-backfill.js';
import { FeedEvents } from './feed-events.js';
import { BEHIND_SECONDS, noteBehind } from './feed-lag.queries.js';
import { FeedResults } from './feed-results.js';
import { FeedRows, FeedStop, type WorkingFeed } from './feed-rows.js';
import { FeedSignals } from './feed-signals.js';
import { FeedSources } from './shared/feed-source.js';
import { pausedFor } from './feed-state.js';
import { Feed } from './feeds.entities.js';
import { forgetOld, forgetRead, newsOf } from './feed-arrivals.queries.js';
import { readUnsettled } from './feeds.queries.js';

/** Arrivals that are decided in one transaction. */
const AT_ONCE = 500;

/** Maximum number of batches of each kind in a turn. The rest follows in the next turn, so other feeds do not wait long. */
const MOST_BATCHES = 4;

/** A feed has caught up when it has decided about everything that it finds. */
const CAUGHT_UP = { behindSince: null };

export const FEED_ROWS: WorkTable = {
  name: 'feed',
  table: 'feeds',
  idType: 'uuid',
  open: `w.state = 'active' AND w.status IN ('queued', 'running')`,
  wanted: `w.state = 'active'`,
  claimed: 'served_at = now()',
  givenBack: `status = 'queued'`,
  order: 'w.served_at',
};

/** The result of one transaction of a feed. */
interface Step {
  hasMore: boolean;
  queued?: QueuedCells | null;
}

type FeedStep = (tx: EntityManager, work: WorkingFeed) => Promise<Step>;

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

/** Decides about arrivals, one batch in one transaction. The next worker repeats the batch of one that dies. */
@Injectable()
export class FeedWork extends RowWork<Feed> {
  /** Feeds of one workspace must not take all slots. */
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
      await this.turn(claim, signal);
    } catch (error) {
      if (!(error instanceof FeedStop)) throw error;
      await this.pause(claim, error);
    }
  }

  /** A feed without more work becomes idle. It checks for work once more, because nothing wakes a feed during its turn. */
  private async turn(claim: ClaimedRow, signal: AbortSignal): Promise<void> {
    const { feedRows, signals } = this.services;
    const parts: FeedStep[] = [
      (tx, work) => this.addQuiet(tx, work),
      (tx, work) => this.decideArrivals(tx, work),
      (tx, work) => takeBackfill(tx, work, feedRows),
      (tx, work) => this.lookAtResults(tx, work),
    ];
    let isCut = false;
    for (const part of parts) isCut = (await this.some(claim, signal, part)) || isCut;
    const { hasMore } = await this.step(claim, (tx, work) => this.finish(tx, claim, { ...work, isCut }));
    if (isCut) return;
    if (hasMore) signals.lookAgain(claim.workspaceId);
    else await signals.wake({ workspaceId: claim.workspaceId, feedId: claim.id });
  }

  /** Pauses the feed with a message on any error but lost connections. The position stays, so nothing is lost. */
  async fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(
      error,
      claim,
      'The feed failed for an unknown reason, which is in the log of the server.',
    );
    await this.pause(claim, new FeedStop('feed_failed', message));
  }

  /** Runs the batches of one turn. Returns whether there are more. */
  private async some(claim: ClaimedRow, signal: AbortSignal, step: FeedStep): Promise<boolean> {
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      signal.throwIfAborted();
      const { hasMore } = await this.step(claim, step);
      if (!hasMore) return false;
    }
    return true;
  }

  /** One transaction with the feed and its sheet locked. Throws WorkAborted when the claim is lost. */
  private async step(claim: ClaimedRow, step: FeedStep): Promise<Step> {
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
    return { hasMore: (await addQuietTraces(tx, feed.workspaceId, feed)) > 0 };
  }

  private async decideArrivals(tx: EntityManager, work: WorkingFeed): Promise<Step> {
    const { feed, source } = work;
    const { workspaceId, id, settings } = feed;
    const place = { workspaceId, kind: feed.source };
    const arrivals = await readArrivals(tx, place, { after: feed.position, limit: AT_ONCE });
    if (arrivals.length === 0) return this.catchUp(tx, feed);
    await this.noteLag(tx, feed, arrivals[0]!);
    const news = arrivals.filter((each) => newsOf(each, feed) === 'new');
    const fresh = [...new Set(news.map(({ itemId }) => itemId))];
    const judged = await decide(tx, { source, workspaceId, settings }, fresh);
    const { taken, queued } = await this.services.feedRows.add(tx, work, judged);
    // The batch may hold entries of the same item for feeds with another quiet time.
    const next = news.find(({ itemId }) => itemId === fresh[taken]);
    const done = next ? arrivals.slice(0, arrivals.indexOf(next)) : arrivals;
    const grown = done.filter((arrival) => newsOf(arrival, feed) === 'grown').map(({ itemId }) => itemId);
    const again = grown.length > 0 ? await this.services.feedRows.regrow(tx, work, grown) : null;
    const hasMore = next !== undefined || arrivals.length === AT_ONCE;
    await tx.update(Feed, { workspaceId, id }, { position: done.at(-1)!.seq, ...(!hasMore && CAUGHT_UP) });
    return { hasMore, queued: queued ?? again };
  }

  private async noteLag(tx: EntityManager, feed: Feed, { waitedSeconds }: ReadArrival): Promise<void> {
    const { workspaceId, id, behindSince } = feed;
    if (behindSince === null && waitedSeconds > BEHIND_SECONDS) await noteBehind(tx, workspaceId, id);
  }

  private async catchUp(tx: EntityManager, { workspaceId, id, behindSince }: Feed): Promise<Step> {
    if (behindSince !== null) await tx.update(Feed, { workspaceId, id }, CAUGHT_UP);
    return { hasMore: false };
  }

  private async lookAtResults(tx: EntityManager, work: WorkingFeed): Promise<Step> {
    const { results } = this.services;
    const { feed, fed } = work;
    const hasMore = await results.settle(tx, work);
    if (!hasMore) {
      await results.republish(tx, work);
      // Later results make another version or share this one. The next read starts at this version.
      await tx.update(Feed, { workspaceId: feed.workspaceId, id: feed.id }, { seenVersion: fed.sheet.version });
    }
    return { hasMore: (await results.trim(tx, work)) || hasMore };
  }

  /** Returns whether rows are still being computed. `isCut` means that the turn ended before its work did. */
  private async finish(tx: EntityManager, claim: ClaimedRow, work: WorkingFeed & { isCut: boolean }): Promise<Step> {
    const { feed, isCut } = work;
    this.services.results.check(work);
    await forgetOld(tx, feed);
    await forgetRead(tx, feed);
    await this.requeue(tx, claim, { status: isCut ? 'queued' : 'idle' });
    return { hasMore: (await readUnsettled(tx, feed, 1)).length > 0 };
  }

  private pause(claim: ClaimedRow, { reason, message }: FeedStop): Promise<void> {
    const { workspaceId, id } = claim;
    const paused = { ...pausedFor(reason, message), updatedAt: new Date() };
    return this.db.transaction(async (tx) => {
      await this.requeue(tx, claim, paused);
      const { name, sheetId } = await tx.findOneByOrFail(Feed, { workspaceId, id });
      const event = FeedEvents.paused({ feed_id: id, name, sheet_id: sheetId, reason, message });
      await emit(tx, { workspaceId, keyId: null, requestId: id }, event);
    });
  }
}
