import { Column, Entity } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';

/** The head of the hash chain over the audit entries of a workspace. Workers lock it to append to the chain. */
@Entity('audit_heads')
export class AuditHead {
  @WorkspaceColumn()
  workspaceId: number;

  /** The number of sealed entries. */
  @Column({ type: 'bigint', default: 0 })
  position: string;

  /** The last sealed entry; 0 before the first. */
  @Column({ name: 'entry_id', type: 'bigint', default: 0 })
  entryId: string;

  /** Hash of the last sealed entry; empty before the first. */
  @Column({ type: 'bytea', default: () => "'\\x'" })
  hash: Buffer;

  @Column({ name: 'sealed_at', type: 'timestamptz', precision: 3, nullable: true })
  sealedAt: Date | null;

  /** Entries up to this one are older than the chain and are not sent to webhooks. */
  @Column({ name: 'sent_after', type: 'bigint', default: 0 })
  sentAfter: string;
}
