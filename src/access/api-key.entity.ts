import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { Role } from './permissions.js';
import { Workspace } from './workspace.entity.js';

/**
 * A key of one workspace. The key itself is shown once and never stored: only its SHA-256 is. It is looked up by hash before the
 * workspace is known, so with `workspaces` this is the only table whose lookups do not start with the workspace.
 */
@Entity('api_keys')
@Index('api_keys_hash_key', ['hash'], { unique: true })
@Index('api_keys_workspace_id_idx', ['workspaceId', 'id'])
export class ApiKey {
  @PrimaryColumn({
    type: 'integer',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'api_keys_pkey',
  })
  id: number;

  @Column({ name: 'workspace_id', type: 'integer' })
  workspaceId: number;

  @ManyToOne(() => Workspace, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'api_keys_workspace_id_fkey' })
  workspace?: Relation<Workspace>;

  @Column({ type: 'text', nullable: true })
  name: string | null;

  /** The person or team that the key acts for. Lists can be filtered by it. */
  @Column({ name: 'owner_email', type: 'text', nullable: true })
  ownerEmail: string | null;

  @Column({ type: 'bytea' })
  hash: Buffer;

  @Column({ name: 'last_four', type: 'text' })
  lastFour: string;

  /** Its roles; it has the permissions of all of them. */
  @Column({ name: 'role', type: 'simple-array' })
  roles: Role[];

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  /** When the key expires; null = never. */
  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  /** Allowed networks; empty = any network. */
  @Column({ name: 'allowed_networks', type: 'text', array: true, default: '{}' })
  allowedNetworks: string[];
}
