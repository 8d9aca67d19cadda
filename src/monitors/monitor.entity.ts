import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CreatedByColumn, WorkspaceColumn } from '../platform/database/common-columns.js';
import { TimestampedWorkRow } from '../platform/work/work-row.js';
import type { Definition } from './definition.js';
import type { Verdict } from './judge.js';

export const MONITOR_STATES = ['active', 'paused'] as const;
export type MonitorState = (typeof MONITOR_STATES)[number];

/** The verdict of a group at the last evaluation. */
export interface GroupVerdict {
  group: string;
  label: string;
  verdict: Verdict;
}

/** The figure of the most frequent group at a moment, in milliseconds since 1970. */
export interface RecentFigure {
  at: number;
  figure: number | null;
}

/** A monitor with the results of its last evaluation. */
@Entity('monitors')
@Index('monitors_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('monitors_due_idx', { synchronize: false })
export class Monitor extends TimestampedWorkRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'jsonb' })
  definition: Definition;

  @Column({ type: 'text', default: 'active' })
  state: MonitorState;

  @Column({ type: 'jsonb', default: () => "'[]'" })
  latest: GroupVerdict[];

  /** Figures of the last 24 hours, one for each hour. */
  @Column({ type: 'jsonb', default: () => "'[]'" })
  recent: RecentFigure[];

  /** Why the last evaluation failed. */
  @Column({ type: 'text', nullable: true })
  problem: string | null;

  /** The end of the windows that were evaluated last. */
  @Column({ name: 'evaluated_to', type: 'timestamptz', precision: 3, nullable: true })
  evaluatedTo: Date | null;

  /** When the next windows have ended and late arrivals are in. */
  @Column({ name: 'due_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  dueAt: Date;

  @CreatedByColumn()
  createdBy: number | null;
}
