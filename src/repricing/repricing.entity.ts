import { Column, Entity, Index } from 'typeorm';
import { RequestedWorkRow } from '../platform/work/requested-work-row.js';

export const REPRICING_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
export type RepricingStatus = (typeof REPRICING_STATUSES)[number];

/** The work of pricing stored calls of a model that have no price, because it was set later. */
@Entity('repricings')
@Index('repricings_created_idx', ['workspaceId', 'createdAt', 'id'])
@Index('repricings_open_idx', { synchronize: false })
export class Repricing extends RequestedWorkRow {
  /** In lower case, as the price was set. */
  @Column({ type: 'text', collation: 'C' })
  provider: string;

  @Column({ type: 'text', collation: 'C' })
  model: string;

  /** Calls that started before keep no price; null for all. */
  @Column({ type: 'timestamptz', nullable: true })
  since: Date | null;

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
}
