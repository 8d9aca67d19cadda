import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../platform/json.js';

/** Something that happened, written in the transaction that made it happen. Webhooks are delivered from these rows. */
@Entity('outbox_events')
@Index('outbox_events_occurred_idx', ['occurredAt'])
@Index('outbox_events_new_idx', { synchronize: false })
export class OutboxEvent {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'outbox_events_pkey' })
  workspaceId: number;

  @PrimaryColumn({
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'outbox_events_pkey',
  })
  id: string;

  @Column({ type: 'text' })
  type: string;

  @Column({ type: 'jsonb' })
  details: JsonObject;

  /** The key that acted; null when the operator or the server itself did. */
  @Column({ name: 'key_id', type: 'integer', nullable: true })
  keyId: number | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId: string;

  @Column({ name: 'occurred_at', type: 'timestamptz', default: () => 'now()' })
  occurredAt: Date;

  /** When its deliveries to webhooks were made; null until then. */
  @Column({ name: 'fanned_out_at', type: 'timestamptz', precision: 3, nullable: true })
  fannedOutAt: Date | null;
}
