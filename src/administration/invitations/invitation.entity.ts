import { Column, Entity, Index, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import {
  CreatedAtColumn,
  CreatedByColumn,
  IdentityColumn,
  WorkspaceColumn,
} from '../../platform/database/common-columns.js';
import { type Role, Workspace } from '../../access/index.js';

/** An invitation of an e-mail address to a workspace. Only the SHA-256 of the token in its link is stored. */
@Entity('invitations')
@Index('invitations_token_hash_key', ['tokenHash'], { unique: true })
export class Invitation {
  @WorkspaceColumn()
  workspaceId: number;

  @ManyToOne(() => Workspace, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'invitations_workspace_id_fkey' })
  workspace?: Relation<Workspace>;

  @IdentityColumn('integer')
  id: number;

  @Column({ type: 'text' })
  email: string;

  /** The address as it is compared, see `emailKey`. */
  @Column({ name: 'email_key', type: 'text' })
  emailKey: string;

  /** Roles of the new member. */
  @Column({ type: 'simple-array' })
  roles: Role[];

  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;

  @CreatedByColumn()
  createdBy: number | null;

  @CreatedAtColumn()
  createdAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  @Column({ name: 'accepted_at', type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt: Date | null;

  @Column({ name: 'withdrawn_at', type: 'timestamptz', precision: 3, nullable: true })
  withdrawnAt: Date | null;
}
