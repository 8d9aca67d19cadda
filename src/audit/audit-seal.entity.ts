import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';

/** The place of an audit entry in the hash chain of its workspace. Positions grow with the ids of entries. */
@Entity('audit_seals')
export class AuditSeal {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'entry_id', type: 'bigint' })
  entryId: string;

  /** From 1, without gaps. */
  @Column({ type: 'bigint' })
  position: string;

  /** SHA-256 of the details as they were sealed. An erasure changes the details of the entry and not this. */
  @Column({ name: 'details_hash', type: 'bytea' })
  detailsHash: Buffer;

  /** SHA-256 over the entry, its position, `details_hash` and the hash before. */
  @Column({ type: 'bytea' })
  hash: Buffer;
}
