import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions of the console: cookies that stand for an API key. */
export class ConsoleSessions1780000000054 implements MigrationInterface {
  name = 'ConsoleSessions1780000000054';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE console_sessions (
        workspace_id integer NOT NULL,
        token_hash bytea NOT NULL,
        key_id integer NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz NOT NULL,
        CONSTRAINT console_sessions_pkey PRIMARY KEY (workspace_id, token_hash),
        CONSTRAINT console_sessions_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE
      )`);
    await db.query(`CREATE UNIQUE INDEX console_sessions_token_hash_key ON console_sessions (token_hash)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE console_sessions`);
  }
}
