import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { CreatedAtColumn, WorkspaceColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import type { Definition } from './definition.js';
import type { Verdict } from './judge.js';
import { Monitor } from './monitor.entity.js';
import type { Cause, Closing } from './play.js';

export const ALERT_STATES = ['open', 'closed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** A time in which a group of a monitor was not as it should be. */
@Entity('monitor_alerts')
@Index('monitor_alerts_created_idx', ['workspaceId', 'monitorId', 'createdAt', 'id'])
@Index('monitor_alerts_open_key', { synchronize: false })
export class MonitorAlert {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'monitor_id', type: 'uuid' })
  monitorId: string;

  @ManyToOne(() => Monitor, { onDelete: 'CASCADE' })
  @JoinInWorkspace('monitor_id', 'monitor_alerts_monitor_id_fkey')
  monitor?: Relation<Monitor>;

  /** Empty for monitors without groups. */
  @Column({ name: 'group_key', type: 'text' })
  groupKey: string;

  @Column({ name: 'group_label', type: 'text' })
  groupLabel: string;

  @Column({ type: 'text' })
  cause: Cause;

  @Column({ type: 'text', default: 'open' })
  state: AlertState;

  /** The end of the window that opened it. */
  @Column({ name: 'opened_at', type: 'timestamptz', precision: 3 })
  openedAt: Date;

  @Column({ name: 'closed_at', type: 'timestamptz', precision: 3, nullable: true })
  closedAt: Date | null;

  @Column({ type: 'text', nullable: true })
  closing: Closing | null;

  @Column({ name: 'fine_since', type: 'timestamptz', precision: 3, nullable: true })
  fineSince: Date | null;

  @Column({ name: 'empty_since', type: 'timestamptz', precision: 3, nullable: true })
  emptySince: Date | null;

  /** When it was last sent. */
  @Column({ name: 'repeated_at', type: 'timestamptz', precision: 3, nullable: true })
  repeatedAt: Date | null;

  @Column({ name: 'first_verdict', type: 'jsonb' })
  firstVerdict: Verdict;

  @Column({ name: 'last_verdict', type: 'jsonb' })
  lastVerdict: Verdict;

  /** The monitor as it was. */
  @Column({ type: 'jsonb' })
  definition: Definition;

  @CreatedAtColumn()
  createdAt: Date;
}
