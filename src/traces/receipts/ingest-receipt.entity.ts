import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Outcomes of the spans of one accepted request. */
@Entity('ingest_receipts')
@Index('ingest_receipts_received_idx', ['receivedAt'])
export class IngestReceipt {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'ingest_receipts_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'ingest_receipts_pkey' })
  id: string;

  @Column({ name: 'received_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  receivedAt: Date;

  /** Runs of spans, as `ReceiptRuns` writes them. */
  @Column({ type: 'text' })
  outcomes: string;
}
