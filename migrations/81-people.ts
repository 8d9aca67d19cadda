import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * People: users of the installation, their membership of workspaces, invitations and links for passwords. A membership is a row of
 * `api_keys` without a secret, so that everything that names who did something names members as it names keys.
 */
export class People1780000000081 implements MigrationInterface {
  name = 'People1780000000081';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE users (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT users_pkey PRIMARY KEY,
        email text NOT NULL,
        email_key text NOT NULL,
        name text,
        status text NOT NULL DEFAULT 'active',
        password text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_seen_at timestamptz(3)
      )`);
    await db.query('CREATE UNIQUE INDEX users_email_key ON users (email_key)');
    await db.query(`
      CREATE TABLE user_links (
        token_hash bytea CONSTRAINT user_links_pkey PRIMARY KEY,
        user_id integer NOT NULL CONSTRAINT user_links_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL
      )`);
    await db.query('CREATE INDEX user_links_user_idx ON user_links (user_id)');
    await db.query(`
      CREATE TABLE invitations (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        email text NOT NULL,
        email_key text NOT NULL,
        roles text NOT NULL,
        token_hash bytea NOT NULL,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        accepted_at timestamptz(3),
        withdrawn_at timestamptz(3),
        CONSTRAINT invitations_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT invitations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
      )`);
    await db.query('CREATE UNIQUE INDEX invitations_token_hash_key ON invitations (token_hash)');
    await db.query(`
      ALTER TABLE api_keys
        ALTER COLUMN hash DROP NOT NULL,
        ALTER COLUMN last_four DROP NOT NULL,
        ADD COLUMN user_id integer CONSTRAINT api_keys_user_id_fkey REFERENCES users (id) ON DELETE SET NULL,
        ADD COLUMN kind text NOT NULL DEFAULT 'service'`);
    await db.query('CREATE INDEX api_keys_user_idx ON api_keys (user_id) WHERE user_id IS NOT NULL');
    await db.query(`
      CREATE UNIQUE INDEX api_keys_member_key ON api_keys (workspace_id, user_id) WHERE kind = 'member' AND revoked_at IS NULL`);
    await db.query(`
      ALTER TABLE console_sessions
        ADD COLUMN id uuid DEFAULT gen_random_uuid(),
        ADD COLUMN address text,
        ADD COLUMN user_agent text`);
    await db.query('ALTER TABLE console_sessions ALTER COLUMN id DROP DEFAULT');
    await db.query('CREATE INDEX console_sessions_key_idx ON console_sessions (workspace_id, key_id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX console_sessions_key_idx');
    await db.query('ALTER TABLE console_sessions DROP COLUMN id, DROP COLUMN address, DROP COLUMN user_agent');
    await db.query(`DELETE FROM api_keys WHERE kind <> 'service'`);
    await db.query('DROP INDEX api_keys_member_key, api_keys_user_idx');
    await db.query(`
      ALTER TABLE api_keys DROP COLUMN user_id, DROP COLUMN kind, ALTER COLUMN hash SET NOT NULL, ALTER COLUMN last_four SET NOT NULL`);
    await db.query('DROP TABLE invitations, user_links, users');
  }
}
