import type { MigrationInterface, QueryRunner } from 'typeorm';

/** ID tokens of sessions, with which they are ended at the identity provider, and an index for users by the start of their address. */
export class SessionsAtProviders1780000000090 implements MigrationInterface {
  name = 'SessionsAtProviders1780000000090';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE console_sessions ADD COLUMN id_token bytea');
    await db.query('CREATE INDEX users_email_prefix_idx ON users (email_key text_pattern_ops)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX users_email_prefix_idx');
    await db.query('ALTER TABLE console_sessions DROP COLUMN id_token');
  }
}
