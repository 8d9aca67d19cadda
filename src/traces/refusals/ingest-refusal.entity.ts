import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export const REFUSED = ['request', 'span'] as const;

/** How much of what was sent to a workspace in an hour was refused for one reason. It names nothing of what was sent. */
@Entity('ingest_refusals')
@Index('ingest_refusals_hour_idx', ['hour'])
export class IngestRefusal {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'ingest_refusals_pkey' })
  workspaceId: number;

  /** When it begins. */
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
