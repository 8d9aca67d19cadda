import { Column, Entity, Index } from 'typeorm';
import { CreatedAtColumn, IdentityColumn } from '../../platform/database/common-columns.js';

/** A token with which an identity provider manages the users and groups of the installation. Only its SHA-256 is stored. */
@Entity('scim_tokens')
@Index('scim_tokens_token_hash_key', ['tokenHash'], { unique: true })
export class ScimToken {
  @IdentityColumn('integer')
  id: number;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;

  @Column({ name: 'last_four', type: 'text' })
  lastFour: string;

  @CreatedAtColumn()
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt: Date | null;
}
