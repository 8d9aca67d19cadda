import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import type { SubjectType } from './person-marks.js';
import { RequestedWorkRow } from '../platform/work/requested-work-row.js';

export const ERASURE_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

/** Numbers of erased items by kind; in a dry run those that would be erased. */
export type Counts = Record<string, number>;

/** The work of erasing a person. The subject is stored encrypted until the work has ended. */
@Entity('erasures')
@Index('erasures_subject_key', { synchronize: false })
@Index('erasures_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('erasures_open_idx', { synchronize: false })
export class Erasure extends RequestedWorkRow {
  @Column({ name: 'subject_type', type: 'text' })
  subjectType: SubjectType;

  @Column({ type: 'bytea', nullable: true })
  subject: Buffer | null;

  /** Keyed hash, useless without the key of the installation. */
  @Column({ name: 'subject_hash', type: 'bytea', nullable: true })
  subjectHash: Buffer | null;

  @Column({ type: 'text', default: 'queued' })
  status: ErasureStatus;

  /** Name of the current step. */
  @Column({ type: 'text', nullable: true })
  step: string | null;

  /** Number of completed rounds. */
  @Column({ type: 'smallint', default: 0 })
  round: number;

  @Column({ type: 'jsonb', default: {} })
  counts: Counts;

  /** When the first trace or log of the person was stored. */
  @Column({ name: 'first_at', type: 'timestamptz', nullable: true })
  firstAt: Date | null;

  /** End of the round in which nothing was found. */
  @Column({ name: 'verified_at', type: 'timestamptz', precision: 3, nullable: true })
  verifiedAt: Date | null;
}

/**
 * Targets of an erasure until it has ended. Ids of deleted traces, request logs and resources are searched in all other data.
 * Rows are still to be erased; the calls of erased ones are searched again.
 */
@Entity('erasure_targets')
export class ErasureTarget {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'erasure_id', type: 'uuid' })
  erasureId: string;

  @ManyToOne(() => Erasure, { onDelete: 'CASCADE' })
  @JoinInWorkspace('erasure_id', 'erasure_targets_erasure_id_fkey')
  erasure?: Relation<Erasure>;

  @PrimaryColumn({ type: 'text', collation: 'C' })
  kind: 'trace' | 'log' | 'source' | 'row' | 'erased_row';

  @PrimaryColumn({ type: 'text', collation: 'C' })
  key: string;
}
