import { Column, Entity, Index, JoinColumn, ManyToOne, type Relation } from 'typeorm';
import { CreatedAtColumn, IdentityColumn } from '../platform/database/common-columns.js';
import { User } from '../access/index.js';
import { IdentityProvider } from './identity-provider.entity.js';

/** A user as an issuer knows them. Users are found by issuer and subject, and never by an e-mail address. */
@Entity('user_identities')
@Index('user_identities_subject_key', ['providerId', 'issuer', 'subject'], { unique: true })
@Index('user_identities_user_idx', ['userId'])
export class UserIdentity {
  @IdentityColumn('integer')
  id: number;

  @Column({ name: 'provider_id', type: 'integer' })
  providerId: number;

  @ManyToOne(() => IdentityProvider, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'provider_id', foreignKeyConstraintName: 'user_identities_provider_id_fkey' })
  provider?: Relation<IdentityProvider>;

  /** The issuer at the time of the first sign-in: another issuer's subjects are other people. */
  @Column({ type: 'text' })
  issuer: string;

  @Column({ type: 'text' })
  subject: string;

  @Column({ name: 'user_id', type: 'integer' })
  userId: number;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_identities_user_id_fkey' })
  user?: Relation<User>;

  /** The address of the last sign-in, for display only. */
  @Column({ type: 'text', nullable: true })
  email: string | null;

  @CreatedAtColumn()
  createdAt: Date;

  @Column({ name: 'last_sign_in_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  lastSignInAt: Date;
}
