import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkRow } from '../platform/work/work-row.js';

export const REPRICING_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
export type RepricingStatus = (typeof REPRICING_STATUSES)[number];

/** The work of pricing stored calls of a model that have no price, because it was set later. */
@Entity('repricings')
@Index('repricings_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('repricings_open_idx', { synchronize: false })
export class Repricing extends WorkRow {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'repricings_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'repricings_pkey' })
  id: string;

  /** In lower case, as the price was set. */
  @Column({ type: 'text', collation: 'C' })
  provider: string;

  @Column({ type: 'text', collation: 'C' })
  model: string;

  /** Calls that started before keep no price; null for all. */
  @Column({ type: 'timestamptz', nullable: true })
  since: Date | null;

  @Column({ name: 'dry_run', type: 'boolean' })
  dryRun: boolean;

  @Column({ type: 'text', default: 'queued' })
  status: RepricingStatus;

  /** The id of the last request log that was read. */
  @Column({ type: 'bigint', default: 0 })
  position: string;

  @Column({ name: 'priced_count', type: 'integer', default: 0 })
  pricedCount: number;

  @Column({ name: 'left_count', type: 'integer', default: 0 })
  leftCount: number;

  /** US dollars of the calls that were priced. */
  @Column({ type: 'double precision', default: 0 })
  cost: number;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage: string | null;

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;
}
