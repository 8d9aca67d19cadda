import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { CreatedByColumn, WorkspaceColumn } from '../platform/database/common-columns.js';
import type { ArrivalKind } from '../arrivals/index.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { TimestampedWorkRow } from '../platform/work/work-row.js';
import type { Backfill, Decision, FeedSettings, PauseReason } from './feed-settings.js';

/** Fills a sheet with request logs or traces as they arrive. */
@Entity('feeds')
@Index('feeds_sheet_idx', ['workspaceId', 'sheetId', 'createdAt', 'id'])
@Index('feeds_open_idx', { synchronize: false })
export class Feed extends TimestampedWorkRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @ManyToOne('Sheet')
  @JoinInWorkspace('sheet_id', 'feeds_sheet_id_fkey')
  sheet?: Relation<object>;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  source: ArrivalKind;

  @Column({ type: 'jsonb' })
  settings: FeedSettings;

  /** Column ids by the title of the field. */
  @Column({ type: 'jsonb' })
  columns: Record<string, string>;

  /** Changes with the settings. */
  @Column({ type: 'integer', default: 1 })
  revision: number;

  /** Seconds without new spans after which an open trace counts as complete. */
  @Column({ name: 'quiet_seconds', type: 'integer' })
  quietSeconds: number;

  /** Start of the backfill: stored items that began then or later are decided about as well. */
  @Column({ name: 'begins_at', type: 'timestamptz', precision: 3 })
  beginsAt: Date;

  @Column({ type: 'text', default: 'active' })
  state: 'active' | 'paused';

  @Column({ name: 'paused_reason', type: 'text', nullable: true })
  pausedReason: PauseReason | null;

  @Column({ name: 'paused_message', type: 'text', nullable: true })
  pausedMessage: string | null;

  /** The last arrival before the feed was created. */
  @Column({ name: 'begin_seq', type: 'bigint' })
  beginSeq: string;

  /** The last arrival that was decided. */
  @Column({ type: 'bigint' })
  position: string;

  @Column({ type: 'jsonb', nullable: true })
  backfill: Backfill | null;

  /** The version of the sheet whose results were read last. */
  @Column({ name: 'seen_version', type: 'integer', default: 0 })
  seenVersion: number;

  /** The operation that computes its rows while it runs. */
  @Column({ name: 'execution_id', type: 'uuid', nullable: true })
  executionId: string | null;

  /** Number of consecutive newest rows with a failed cell. */
  @Column({ name: 'failing_count', type: 'integer', default: 0 })
  failingCount: number;

  @CreatedByColumn()
  createdBy: number | null;

  /** Whether a worker has claimed it. An idle feed has no work until it is woken. */
  @Column({ type: 'text', default: 'queued' })
  status: 'idle' | 'queued' | 'running';

  /** When a worker began its last turn. */
  @Column({ name: 'served_at', type: 'timestamptz', default: () => 'now()' })
  servedAt: Date;

  /** When it was created, paused or resumed last. */
  @Column({ name: 'state_since', type: 'timestamptz', precision: 3, default: () => 'now()' })
  stateSince: Date;

  /** When it was found to be behind. */
  @Column({ name: 'behind_since', type: 'timestamptz', precision: 3, nullable: true })
  behindSince: Date | null;

  /** Items that arrived in this range, during a pause, have expired. */
  @Column({ name: 'expired_from', type: 'timestamptz', precision: 3, nullable: true })
  expiredFrom: Date | null;

  @Column({ name: 'expired_until', type: 'timestamptz', precision: 3, nullable: true })
  expiredUntil: Date | null;
}

/** A decision that does not follow from the settings alone: an item that was chosen, or that a limit left out. */
@Entity('feed_items')
@Index('feed_items_row_idx', { synchronize: false })
@Index('feed_items_unsettled_idx', { synchronize: false })
@Index('feed_items_decided_idx', { synchronize: false })
export class FeedItem {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'feed_id', type: 'uuid' })
  feedId: string;

  @PrimaryColumn({ name: 'item_id', type: 'text', collation: 'C' })
  itemId: string;

  @Column({ type: 'text' })
  decision: Decision;

  @Column({ name: 'decided_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  decidedAt: Date;

  @Column({ type: 'integer' })
  revision: number;

  /** The row of a chosen item while it exists. */
  @Column({ name: 'row_index', type: 'integer', nullable: true })
  rowIndex: number | null;

  /** The version of the sheet in which the row came. */
  @Column({ type: 'integer', nullable: true })
  version: number | null;

  /** False while cells of the row are computed. */
  @Column({ name: 'is_settled', type: 'boolean', default: true })
  isSettled: boolean;

  @Column({ name: 'is_failed', type: 'boolean', default: false })
  isFailed: boolean;

  /** Versions of published cells by the id of the column. */
  @Column({ type: 'jsonb', nullable: true })
  published: Record<string, number> | null;

  @ManyToOne(() => Feed)
  @JoinInWorkspace('feed_id', 'feed_items_feed_id_fkey')
  feed?: Relation<Feed>;
}

/** Numbers of items that a feed decided in an hour, by decision. */
@Entity('feed_hours')
export class FeedHour {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'feed_id', type: 'uuid' })
  feedId: string;

  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  hour: Date;

  @Column({ type: 'jsonb' })
  counts: Partial<Record<Decision | 'grown', number>>;

  @ManyToOne(() => Feed)
  @JoinInWorkspace('feed_id', 'feed_hours_feed_id_fkey')
  feed?: Relation<Feed>;
}

/** Settings with the start of their use. */
@Entity('feed_revisions')
export class FeedRevision {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'feed_id', type: 'uuid' })
  feedId: string;

  @PrimaryColumn({ type: 'integer' })
  revision: number;

  @Column({ type: 'jsonb' })
  settings: FeedSettings;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  since: Date;

  @ManyToOne(() => Feed)
  @JoinInWorkspace('feed_id', 'feed_revisions_feed_id_fkey')
  feed?: Relation<Feed>;
}

/** An operation that computed rows of a feed, for its costs of a day. */
@Entity('feed_executions')
export class FeedExecution {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'feed_id', type: 'uuid' })
  feedId: string;

  @PrimaryColumn({ name: 'execution_id', type: 'uuid' })
  executionId: string;

  /** Day in UTC. */
  @Column({ type: 'date' })
  day: string;

  @ManyToOne(() => Feed)
  @JoinInWorkspace('feed_id', 'feed_executions_feed_id_fkey')
  feed?: Relation<Feed>;
}
