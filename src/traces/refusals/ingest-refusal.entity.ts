import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';

export const REFUSED = ['request', 'span'] as const;

/** Number of refusals in a workspace in one hour for one reason. It contains no content of requests. */
@Entity('ingest_refusals')
@Index('ingest_refusals_hour_idx', ['hour'])
export class IngestRefusal {
  @WorkspaceColumn()
  workspaceId: number;

  /** Beginning of the hour. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3 })
  hour: Date;

  @PrimaryColumn({ type: 'text' })
  what: (typeof REFUSED)[number];

  /** The code of an error, or one of the texts that receipts give for spans. */
  @PrimaryColumn({ type: 'text' })
  reason: string;

  @Column({ type: 'bigint' })
  count: string;

  @Column({ name: 'last_at', type: 'timestamptz', precision: 3 })
  lastAt: Date;
}
