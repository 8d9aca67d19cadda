import { Column, Entity, Index, ManyToOne, type Relation } from 'typeorm';
import { CreatedAtColumn, IdentityColumn, WorkspaceColumn } from '../platform/database/common-columns.js';
import { OutboxEvent } from '../events/index.js';
import { JoinInWorkspace } from '../platform/database/join-in-workspace.js';
import { Webhook } from './webhook.entity.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * The delivery of one event to one webhook, with its outcome. The row is the work. It is deleted with its webhook or its event.
 * Events are deleted after a while.
 */
@Entity('webhook_deliveries')
@Index('webhook_deliveries_event_key', ['workspaceId', 'eventId', 'webhookId'], { unique: true })
@Index('webhook_deliveries_webhook_idx', ['workspaceId', 'webhookId', 'id'])
@Index('webhook_deliveries_due_idx', { synchronize: false })
export class WebhookDelivery {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('bigint')
  id: string;

  @Column({ name: 'webhook_id', type: 'integer' })
  webhookId: number;

  @ManyToOne(() => Webhook, { onDelete: 'CASCADE' })
  @JoinInWorkspace('webhook_id', 'webhook_deliveries_webhook_id_fkey')
  webhook?: Relation<Webhook>;

  @Column({ name: 'event_id', type: 'bigint' })
  eventId: string;

  @ManyToOne(() => OutboxEvent, { onDelete: 'CASCADE' })
  @JoinInWorkspace('event_id', 'webhook_deliveries_event_id_fkey')
  event?: Relation<OutboxEvent>;

  @Column({ name: 'event_type', type: 'text' })
  eventType: string;

  /** The exact body, the same for every try and every repetition. */
  @Column({ type: 'text' })
  body: string;

  @Column({ type: 'text', default: 'pending' })
  status: DeliveryStatus;

  /** Tries so far. */
  @Column({ type: 'smallint', default: 0 })
  attempts: number;

  @Column({ name: 'next_attempt_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  nextAttemptAt: Date;

  @Column({ name: 'last_attempt_at', type: 'timestamptz', precision: 3, nullable: true })
  lastAttemptAt: Date | null;

  /** HTTP status of the last try; null without a response. */
  @Column({ name: 'response_status', type: 'smallint', nullable: true })
  responseStatus: number | null;

  /** The first KB of the last answer. */
  @Column({ name: 'response_body', type: 'text', nullable: true })
  responseBody: string | null;

  /** Why the last try did not succeed. */
  @Column({ type: 'text', nullable: true })
  error: string | null;

  @CreatedAtColumn()
  createdAt: Date;
}
