import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../platform/database/common-columns.js';
import { ApiKey } from '../access/index.js';
import { IdentityProvider } from '../single-sign-on/index.js';

/**
 * A session of the console. It is an alias of the key that was entered, or of the member who has signed in, and ends when that is revoked.
 * The cookie holds a random token, of which only the SHA-256 is stored.
 */
@Entity('console_sessions')
@Index('console_sessions_token_hash_key', ['tokenHash'], { unique: true })
@Index('console_sessions_key_idx', ['workspaceId', 'keyId'])
@Index('console_sessions_provider_idx', { synchronize: false })
export class ConsoleSession {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;

  /** The public id of the session; the token is its secret. null for a session that a process of release 0.2 has begun. */
  @Column({ type: 'uuid', nullable: true })
  id: string | null;

  @Column({ name: 'key_id', type: 'integer' })
  keyId: number;

  @ManyToOne(() => ApiKey, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'key_id', foreignKeyConstraintName: 'console_sessions_key_id_fkey' })
  key?: Relation<ApiKey>;

  /** The identity provider that the session began with; null for another way of signing in. */
  @Column({ name: 'provider_id', type: 'integer', nullable: true })
  providerId: number | null;

  @ManyToOne(() => IdentityProvider, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'provider_id', foreignKeyConstraintName: 'console_sessions_provider_id_fkey' })
  provider?: Relation<IdentityProvider>;

  /** The session at the provider, as its tokens name it. */
  @Column({ name: 'provider_sid', type: 'text', nullable: true })
  providerSid: string | null;

  /**
   * The ID token with which the person signed in, encrypted: with it the provider ends its session without a question. Null without a
   * provider, and for long tokens. Only ending a session reads it.
   */
  @Column({ name: 'id_token', type: 'bytea', nullable: true, select: false })
  idToken: Buffer | null;

  /** Network address at the start of the session. */
  @Column({ type: 'text', nullable: true })
  address: string | null;

  @Column({ name: 'user_agent', type: 'text', nullable: true })
  userAgent: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz', default: () => 'now()' })
  lastUsedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}

/** The encryption context of the ID token of a session. */
export const idTokenPlace = (workspaceId: number, hash: Buffer): string =>
  `console session ${workspaceId} ${hash.toString('hex')}`;
