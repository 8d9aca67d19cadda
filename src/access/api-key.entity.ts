import { Column, Entity, Index, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import { IdentityColumn } from '../platform/database/common-columns.js';
import type { Role } from './roles/permissions.js';
import { User } from './user.entity.js';
import { Workspace } from './workspace.entity.js';

export type KeyKind = 'service' | 'personal' | 'member';

/** A key with a secret: any kind but a member. */
export type SecretKey = ApiKey & { kind: Exclude<KeyKind, 'member'>; hash: Buffer; lastFour: string };

/**
 * An identity that acts in a workspace: a service key, a personal key of a user, or a member, which is a user without a key. Records
 * of actions name one of these. A key itself is shown once and never stored: only its SHA-256 is. It is looked up by hash before the
 * workspace is known.
 */
@Entity('api_keys')
@Index('api_keys_hash_key', ['hash'], { unique: true })
@Index('api_keys_workspace_id_idx', ['workspaceId', 'id'])
@Index('api_keys_user_idx', { synchronize: false })
@Index('api_keys_maker_idx', { synchronize: false })
@Index('api_keys_member_key', { synchronize: false })
export class ApiKey {
  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'workspace_id', type: 'integer' })
  workspaceId: number;

  @ManyToOne(() => Workspace, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'workspace_id', foreignKeyConstraintName: 'api_keys_workspace_id_fkey' })
  workspace?: Relation<Workspace>;

  @Column({ type: 'text', nullable: true })
  name: string | null;

  /** The user behind a member or a personal key; null for a service key. */
  @Column({ name: 'user_id', type: 'integer', nullable: true })
  userId: number | null;

  @ManyToOne(() => User, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'api_keys_user_id_fkey' })
  user?: Relation<User>;

  /**
   * The user who created or rotated the key, also by another key; null if unknown: keys of the operator, of the first start, and
   * from before this was recorded.
   */
  @Column({ name: 'maker_id', type: 'integer', nullable: true })
  makerId: number | null;

  @ManyToOne(() => User, { onDelete: 'SET NULL' })
  @JoinColumn({ name: 'maker_id', foreignKeyConstraintName: 'api_keys_maker_id_fkey' })
  maker?: Relation<User>;

  @Column({ type: 'text', default: 'service' })
  kind: KeyKind;

  /** True for a member by group rules, which change and end it. */
  @Column({ name: 'by_rules', type: 'boolean', default: false })
  byRules: boolean;

  /** The person or team that the key acts for; the address of the user of a member or a personal key. Lists can be filtered by it. */
  @Column({ name: 'owner_email', type: 'text', nullable: true })
  ownerEmail: string | null;

  /** null for a member. */
  @Column({ type: 'bytea', nullable: true })
  hash: Buffer | null;

  /** null for a member. */
  @Column({ name: 'last_four', type: 'text', nullable: true })
  lastFour: string | null;

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
