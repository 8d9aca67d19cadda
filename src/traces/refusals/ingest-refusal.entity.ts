import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const REFUSED = ['request', 'span'] as const;

/** Number of refusals in a workspace in one hour for one reason. It contains no content of requests. */
@Entity('ingest_refusals')
@Index('ingest_refusals_hour_idx', ['hour'])
export class IngestRefusal {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'ingest_refusals_pkey' })
  workspaceId: number;

  /** Beginning of the hour. */
  @PrimaryColumn({ type: 'timestamptz', precision: 3, primaryKeyConstraintName: 'ingest_refusals_pkey' })
  hour: Date;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'ingest_refusals_pkey' })
  what: (typeof REFUSED)[number];

  /** The code of an error, or one of the texts that receipts give for spans. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'ingest_refusals_pkey' })
  reason: string;

  @Column({ type: 'bigint' })
  count: string;

  @Column({ name: 'last_at', type: 'timestamptz', precision: 3 })
  lastAt: Date;
}
