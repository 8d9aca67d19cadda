import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { User } from '../access/index.js';

/**
 * A sign-in under way at a provider. The row is deleted when the browser returns, so a callback works once. It belongs to
 * one browser, which has a cookie with a random token.
 */
@Entity('sign_in_attempts')
@Index('sign_in_attempts_expiry_idx', ['expiresAt'])
export class SignInAttempt {
  /** SHA-256 of the state. */
  @PrimaryColumn({ name: 'state_hash', type: 'bytea' })
  stateHash: Buffer;

  /** SHA-256 of the token in the cookie. */
  @Column({ name: 'browser_hash', type: 'bytea' })
  browserHash: Buffer;

  @Column({ type: 'text' })
  provider: string;

  @Column({ type: 'text' })
  nonce: string;

  /** The code verifier of PKCE. */
  @Column({ type: 'text' })
  verifier: string;

  @Column({ name: 'redirect_uri', type: 'text' })
  redirectUri: string;

  /** The page of the console to go to. */
  @Column({ name: 'return_to', type: 'text' })
  returnTo: string;

  /** The workspace to open; null for the one that the user joined first. */
  @Column({ name: 'workspace_id', type: 'integer', nullable: true })
  workspaceId: number | null;

  /** SHA-256 of the token of the invitation that is accepted by this sign-in. */
  @Column({ name: 'invitation_hash', type: 'bytea', nullable: true })
  invitationHash: Buffer | null;

  /** The signed-in user who links the identity to their account. */
  @Column({ name: 'user_id', type: 'integer', nullable: true })
  userId: number | null;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'sign_in_attempts_user_id_fkey' })
  user?: Relation<User>;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
