import { Column, Entity, Index } from 'typeorm';
import { IdentityColumn, WorkspaceColumn } from '../platform/database/common-columns.js';
import type { JsonObject } from '../platform/json.js';

/** An event, written in the transaction that caused it. Consumers get these rows. */
@Entity('outbox_events')
@Index('outbox_events_occurred_idx', ['occurredAt'])
@Index('outbox_events_xid_idx', ['workspaceId', 'xid', 'id'])
export class OutboxEvent {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('bigint')
  id: string;

  @Column({ type: 'text' })
  type: string;

  @Column({ type: 'jsonb' })
  details: JsonObject;

  /** The key that caused the event; null for the operator and the server itself. */
  @Column({ name: 'key_id', type: 'integer', nullable: true })
  keyId: number | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId: string;

  @Column({ name: 'occurred_at', type: 'timestamptz', default: () => 'now()' })
  occurredAt: Date;

  /** The transaction that emitted it. TypeORM does not support xid8, so the older functions are used: they return a bigint. */
  @Column({ type: 'bigint', default: () => 'txid_current()' })
  xid: string;
}
