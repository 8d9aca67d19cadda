import { Column, Entity, Index } from 'typeorm';
import { CreatedAtColumn, IdentityColumn, UpdatedAtColumn } from '../platform/database/common-columns.js';

export const USER_STATUSES = ['active', 'disabled'] as const;
type UserStatus = (typeof USER_STATUSES)[number];

/** A person who signs in to the installation. What they may do is said by their memberships of workspaces. */
@Entity('users')
@Index('users_email_key', ['emailKey'], { unique: true })
@Index('users_external_id_idx', { synchronize: false })
@Index('users_email_prefix_idx', { synchronize: false })
export class User {
  @IdentityColumn('integer')
  id: number;

  /** The address as it was entered. */
  @Column({ type: 'text' })
  email: string;

  /** The address as it is compared, see `emailKey`. */
  @Column({ name: 'email_key', type: 'text' })
  emailKey: string;

  @Column({ type: 'text', nullable: true })
  name: string | null;

  /** A disabled user is out everywhere, with all personal keys and sessions. */
  @Column({ type: 'text', default: 'active' })
  status: UserStatus;

  /** The hash of the password, see `passwords.ts`; null for a user who cannot sign in with one. */
  @Column({ type: 'text', nullable: true })
  password: string | null;

  /** The id that the identity provider uses for the user; null for a user whom none has provisioned. */
  @Column({ name: 'external_id', type: 'text', nullable: true })
  externalId: string | null;

  /** Further attributes from the identity provider, as its SCIM schemas name them; null when there are none. */
  @Column({ type: 'jsonb', nullable: true })
  scim: object | null;

  @CreatedAtColumn()
  createdAt: Date;

  /** The last change of the user by the operator or the identity provider. */
  @UpdatedAtColumn()
  updatedAt: Date;

  @Column({ name: 'last_seen_at', type: 'timestamptz', precision: 3, nullable: true })
  lastSeenAt: Date | null;
}
