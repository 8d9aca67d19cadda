import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { JsonObject } from '../platform/json.js';

/** Something that happened, written in the transaction that made it happen. Consumers are given these rows. */
@Entity('outbox_events')
@Index('outbox_events_occurred_idx', ['occurredAt'])
@Index('outbox_events_xid_idx', ['workspaceId', 'xid', 'id'])
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

  /** The transaction that announced it. TypeORM does not know the type xid8, so the older functions are used: they give a bigint. */
  @Column({ type: 'bigint', default: () => 'txid_current()' })
  xid: string;
}
