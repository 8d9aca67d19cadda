import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { CreatedAtColumn } from '../../platform/database/common-columns.js';
import { User } from '../../access/index.js';

/** `password` sets a new password, `sign_in` begins a session. */
export type LinkPurpose = 'password' | 'sign_in';

/** A link with which a user sets a password or signs in, once. Only the SHA-256 of its token is stored. */
@Entity('user_links')
@Index('user_links_user_idx', ['userId'])
export class UserLink {
  @PrimaryColumn({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;

  @Column({ name: 'user_id', type: 'integer' })
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_links_user_id_fkey' })
  user?: Relation<User>;

  @Column({ type: 'text', default: 'password' })
  purpose: LinkPurpose;

  @CreatedAtColumn()
  createdAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
