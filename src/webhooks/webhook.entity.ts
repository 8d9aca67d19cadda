import { Column, Entity } from 'typeorm';
import {
  CreatedByColumn,
  IdentityColumn,
  UpdatedAtColumn,
  WorkspaceColumn,
} from '../platform/database/common-columns.js';
import type { Format } from './message-format.js';

/** A subscription of a URL or an e-mail address to the events of a workspace. */
@Entity('webhooks')
export class Webhook {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('integer')
  id: number;

  @Column({ type: 'text', nullable: true })
  name: string | null;

  /** An address of http or https, or `mailto:` with an e-mail address. */
  @Column({ type: 'text' })
  url: string;

  @Column({ type: 'text', default: 'json' })
  format: Format;

  /** null for every event, including types that are added later. */
  @Column({ name: 'event_types', type: 'text', array: true, nullable: true })
  eventTypes: string[] | null;

  @Column({ type: 'boolean', default: true })
  enabled: boolean;

  /** Encrypted. */
  @Column({ type: 'bytea' })
  secret: Buffer;

  @CreatedByColumn()
  createdBy: number | null;

  /** Earlier events are not sent. */
  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @UpdatedAtColumn()
  updatedAt: Date;

  /** End of the lease. A worker alone sends the deliveries until then. A past end is the time of the last turn. */
  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  /** Number of claims and releases by workers, which identifies a lease. */
  @Column({ type: 'integer', default: 0 })
  claims: number;
}
