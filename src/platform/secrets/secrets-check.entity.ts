import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One row: a value that is encrypted with the SECRETS_KEY of the installation, see `secrets-check.ts`. */
@Entity('secrets_check')
export class SecretsCheck {
  @PrimaryColumn({ type: 'smallint' })
  id: number;

  @Column({ type: 'bytea' })
  value: Buffer;

  /** The fingerprint of that key; null until a process of this release has started. */
  @Column({ name: 'key_id', type: 'text', nullable: true })
  keyId: string | null;
}
