import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The fingerprint of the installation's SECRETS_KEY, so that backups and messages can name the key. */
export class SecretsKeyId1780000000086 implements MigrationInterface {
  name = 'SecretsKeyId1780000000086';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE secrets_check ADD COLUMN key_id text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE secrets_check DROP COLUMN key_id');
  }
}
