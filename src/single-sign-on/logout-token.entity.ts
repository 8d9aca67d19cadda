import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { IdentityProvider } from './identity-provider.entity.js';

/** A logout token that was used, until it is too old to be used again. */
@Entity('logout_tokens')
export class LogoutToken {
  @PrimaryColumn({ name: 'provider_id', type: 'integer' })
  providerId: number;

  @ManyToOne(() => IdentityProvider, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'provider_id', foreignKeyConstraintName: 'logout_tokens_provider_id_fkey' })
  provider?: Relation<IdentityProvider>;

  /** SHA-256 of its `jti`. */
  @PrimaryColumn({ name: 'jti_hash', type: 'bytea' })
  jtiHash: Buffer;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;
}
