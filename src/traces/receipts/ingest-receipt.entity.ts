import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';

/** Outcomes of the spans of one accepted request. */
@Entity('ingest_receipts')
@Index('ingest_receipts_received_idx', ['receivedAt'])
export class IngestReceipt {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'received_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  receivedAt: Date;

  /** Runs of spans, as `ReceiptRuns` writes them. */
  @Column({ type: 'text' })
  outcomes: string;
}
