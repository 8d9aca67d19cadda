import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../access/index.js';
import { addressOf, FedRows, getSheet } from '../tables/index.js';
import { decide, sampleOf } from './decide.js';
import type { Decision, FeedSettings } from './feed-settings.js';
import { FeedSources, type ItemFacts } from './shared/feed-source.js';
import { Feed, FeedHour, FeedItem, FeedRevision } from './feeds.entities.js';
import { FeedErrors } from './shared/feeds.errors.js';
import { findFeed, type FeedPath } from './feeds.service.js';

/** `waiting`: it has not been decided yet. `before_feed`: it was stored before the feed began. */
export type ItemDecision = Decision | 'waiting' | 'before_feed';

export interface ExplainedDecision {
  itemId: string;
  decision: ItemDecision;
  /** True when the decision is stored; otherwise it follows from the settings. */
  isRecorded: boolean;
  decidedAt: Date | null;
  revision: number;
  rowIndex: number | null;
  /** Between 0 and 1. Items below the rate are chosen. */
  sample: number | null;
  sampleRate: number;
  reason: string;
}

/** One of the two, like the source of the feed. */
export interface NamedItem {
  requestId?: number;
  traceId?: string;
}

const REASONS: Record<ItemDecision, string> = {
  chosen: 'It matched and was within the limits, so it got a row.',
  sampled_out: 'Its sample value is not below the sampling rate.',
  filtered: 'It did not match the filter when it arrived, or has another origin.',
  rows_per_hour: 'It matched, but the feed had as many rows as rows_per_hour allows.',
  rows_per_day: 'It matched, but the feed had as many rows as rows_per_day allows.',
  cost_per_day: 'It matched, but the feed had spent cost_per_day.',
  deleted: 'It is not stored, or not any more.',
  expired: 'It arrived while the feed was paused, and waited for 30 days.',
  waiting: 'It has arrived, and the feed has not come to it.',
  before_feed: 'It was stored before the feed began, and the feed has no backfill over it.',
};

/** Explains why an item was judged or not, and counts decisions. */
@Injectable()
export class FeedDecisionsService {
  constructor(
    private readonly db: DataSource,
    private readonly sources: FeedSources,
    private readonly rows: FedRows,
  ) {}

  /** Reads the record of a chosen item or one beyond a limit. Repeats any other decision by the settings that were in force. */
  explain(caller: Caller, path: FeedPath, named: NamedItem): Promise<ExplainedDecision> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      await getSheet(tx, addressOf(caller, path));
      const feed = await findFeed(tx, caller, path);
      const { workspaceId, id: feedId } = feed;
      const itemId = itemIdOf(feed, named);
      const item = await tx.findOneBy(FeedItem, { workspaceId, feedId, itemId });
      return item ? this.recorded(tx, feed, item) : this.concluded(tx, feed, itemId);
    });
  }

  /** Numbers of decisions by hour, newest first. */
  async hours(caller: Caller, path: FeedPath, limit: number): Promise<FeedHour[]> {
    await getSheet(this.db.manager, addressOf(caller, path));
    const { workspaceId, id: feedId } = await findFeed(this.db.manager, caller, path);
    return this.db.manager.find(FeedHour, { where: { workspaceId, feedId }, order: { hour: 'DESC' }, take: limit });
  }

  private async recorded(tx: EntityManager, feed: Feed, item: FeedItem): Promise<ExplainedDecision> {
    const { itemId, decision, decidedAt, revision, rowIndex } = item;
    const settings = await settingsAt(tx, feed, { revision });
    const fed = await this.rows.find(tx, feed.workspaceId, feed.sheetId);
    const isThere = rowIndex !== null && fed?.sheet.rows.has(rowIndex) === true;
    const sample = await this.sampleOf(tx, feed, itemId);
    const row = isThere ? rowIndex : null;
    const explained = { itemId, decision, isRecorded: true, decidedAt, revision, rowIndex: row, ...sample };
    return { ...explained, sampleRate: settings.sampleRate, reason: REASONS[decision] };
  }

  private async concluded(tx: EntityManager, feed: Feed, itemId: string): Promise<ExplainedDecision> {
    const { workspaceId } = feed;
    const source = this.sources.get(feed.source);
    const facts = (await source.facts(tx, workspaceId, [itemId])).get(itemId);
    const arrival = await readArrival(tx, feed, itemId);
    const at = arrival?.arrivedAt ?? facts?.storedAt ?? null;
    const { revision, settings } = await revisionAt(tx, feed, at);
    const [judged] = await decide(tx, { source, workspaceId, settings }, [itemId]);
    const decision =
      hasExpired(feed, arrival, at) && facts ? 'expired' : standingOf(feed, arrival, judged!.decision, facts);
    const sample = facts ? sampleOf(facts.sampleKey) : null;
    const explained = { itemId, decision, isRecorded: false, decidedAt: null, revision, rowIndex: null, sample };
    return { ...explained, sampleRate: settings.sampleRate, reason: REASONS[decision] };
  }

  private async sampleOf(tx: EntityManager, feed: Feed, itemId: string): Promise<{ sample: number | null }> {
    const facts = await this.sources.get(feed.source).facts(tx, feed.workspaceId, [itemId]);
    const known = facts.get(itemId);
    return { sample: known ? sampleOf(known.sampleKey) : null };
  }
}

/** Throws feed_item_ambiguous when the id is missing or of the other source. */
function itemIdOf({ source }: Feed, { requestId, traceId }: NamedItem): string {
  const [wanted, id, other] =
    source === 'requests' ? ['request_id', requestId, traceId] : ['trace_id', traceId, requestId];
  if (id === undefined || id === '' || other !== undefined) throw FeedErrors.feed_item_ambiguous(String(wanted));
  return String(id);
}

interface KnownArrival {
  arrivedAt: Date;
  isDecided: boolean;
  isOpen: boolean;
}

/** The arrival of an item while a feed still needs it, or its entry among the open traces. */
async function readArrival(tx: EntityManager, feed: Feed, itemId: string): Promise<KnownArrival | null> {
  const { workspaceId, source, position, quietSeconds } = feed;
  const rows = await tx.query<KnownArrival[]>(
    `SELECT arrived_at AS "arrivedAt", seq <= $4::bigint AS "isDecided", false AS "isOpen" FROM arrivals
      WHERE workspace_id = $1 AND kind = $2 AND item_id = $3::text AND (quiet_seconds IS NULL OR quiet_seconds = $5::int)
     UNION ALL
     SELECT changed_at, false, true FROM open_traces
      WHERE $2 = 'traces' AND workspace_id = $1 AND trace_id = $3::text AND $5::int <> ALL (arrived_waits)`,
    [workspaceId, source, itemId, position, quietSeconds],
  );
  return rows[0] ?? null;
}

/** Completes a decision. An item that matches now without a record did not match at its arrival, or was stored before the feed. */
function standingOf(
  feed: Feed,
  arrival: KnownArrival | null,
  judged: ItemDecision,
  facts: ItemFacts | undefined,
): ItemDecision {
  if (arrival && !arrival.isDecided) return 'waiting';
  if (judged !== 'chosen' || !facts) return judged;
  if (facts.storedAt >= feed.createdAt) return 'filtered';
  const isOfBackfill = feed.backfill !== null && facts.beganAt >= feed.beginsAt;
  return isOfBackfill && !feed.backfill!.isDone ? 'waiting' : 'before_feed';
}

/** Arrivals of a pause that have expired have no record. */
function hasExpired({ expiredFrom, expiredUntil }: Feed, arrival: KnownArrival | null, at: Date | null): boolean {
  if (!expiredFrom || !expiredUntil || !at || (arrival && !arrival.isDecided)) return false;
  return at >= expiredFrom && at <= expiredUntil;
}

async function settingsAt(tx: EntityManager, feed: Feed, { revision }: { revision: number }): Promise<FeedSettings> {
  const { workspaceId, id: feedId } = feed;
  const found = await tx.findOneBy(FeedRevision, { workspaceId, feedId, revision });
  return found?.settings ?? feed.settings;
}

/** The settings in force at a moment; the first settings for earlier moments. */
async function revisionAt(tx: EntityManager, feed: Feed, at: Date | null): Promise<FeedRevision> {
  const [found] = await tx.query<[FeedRevision]>(
    `SELECT revision, settings FROM feed_revisions WHERE workspace_id = $1 AND feed_id = $2
      ORDER BY (since <= $3::timestamptz) IS TRUE DESC, CASE WHEN since <= $3::timestamptz THEN -revision ELSE revision END LIMIT 1`,
    [feed.workspaceId, feed.id, at],
  );
  return found;
}
