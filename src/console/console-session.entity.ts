import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { ApiKey } from '../access/index.js';

/**
 * A session of the console. It is an alias of the key that was entered and ends when the key is revoked. The cookie holds a random
 * token, of which only the SHA-256 is stored.
 */
@Entity('console_sessions')
@Index('console_sessions_token_hash_key', ['tokenHash'], { unique: true })
export class ConsoleSession {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'console_sessions_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'token_hash', type: 'bytea', primaryKeyConstraintName: 'console_sessions_pkey' })
  tokenHash: Buffer;

  @Column({ name: 'key_id', type: 'integer' })
  keyId: number;

  @ManyToOne(() => ApiKey, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'key_id', foreignKeyConstraintName: 'console_sessions_key_id_fkey' })
  key?: Relation<ApiKey>;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz', default: () => 'now()' })
  lastUsedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
