import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Format } from './message-format.js';

/** A subscription: where the events of a workspace are sent. */
@Entity('webhooks')
export class Webhook {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'webhooks_pkey' })
  workspaceId: number;

  @PrimaryColumn({
    type: 'integer',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'webhooks_pkey',
  })
  id: number;

  @Column({ type: 'text', nullable: true })
  name: string | null;

  /** An address of http or https, or `mailto:` with an e-mail address. */
  @Column({ type: 'text' })
  url: string;

  @Column({ type: 'text', default: 'json' })
  format: Format;

  /** null for every event, also of types that do not exist yet. */
  @Column({ name: 'event_types', type: 'text', array: true, nullable: true })
  eventTypes: string[] | null;

  @Column({ type: 'boolean', default: true })
  enabled: boolean;

  /** Encrypted. */
  @Column({ type: 'bytea' })
  secret: Buffer;

  @Column({ name: 'created_by', type: 'integer', nullable: true })
  createdBy: number | null;

  /** Earlier events are not sent. */
  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  /** Until when one worker alone sends its deliveries; in the past when its deliveries were last sent. */
  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  /** How often a worker has taken it: tells the leases apart. */
  @Column({ type: 'integer', default: 0 })
  claims: number;
}
