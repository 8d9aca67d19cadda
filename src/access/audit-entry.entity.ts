import { Column, Entity, Index } from 'typeorm';
import { IdentityColumn, WorkspaceColumn } from '../platform/database/common-columns.js';

/** One action of a caller, written in the transaction of the change. Append-only. */
@Entity('audit_entries')
@Index('audit_entries_action_idx', ['workspaceId', 'action', 'id'])
@Index('audit_entries_entity_idx', ['workspaceId', 'entityId', 'id'])
@Index('audit_entries_key_idx', ['workspaceId', 'keyId', 'id'])
export class AuditEntry {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('bigint')
  id: string;

  @Column({ name: 'occurred_at', type: 'timestamptz', default: () => 'now()' })
  occurredAt: Date;

  /** `<entity>.<verb>`, such as `api_key.revoke`. */
  @Column({ type: 'text' })
  action: string;

  @Column({ name: 'entity_id', type: 'text' })
  entityId: string;

  /** The key that acted; null for the operator. */
  @Column({ name: 'key_id', type: 'integer', nullable: true })
  keyId: number | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId: string;

  /** Details without secrets and customer content. */
  @Column({ type: 'jsonb', default: {} })
  details: object;
}
