import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A value that only the SECRETS_KEY of the installation reads: a process with another one notices it when it starts. */
export class SecretsCheck1780000000072 implements MigrationInterface {
  name = 'SecretsCheck1780000000072';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE secrets_check (
        id smallint NOT NULL,
        value bytea NOT NULL,
        CONSTRAINT secrets_check_pkey PRIMARY KEY (id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE secrets_check');
  }
}
