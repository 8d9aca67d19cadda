import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users and groups that an identity provider keeps up to date, and the tokens with which it does. */
export class Scim1780000000084 implements MigrationInterface {
  name = 'Scim1780000000084';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE users
        ADD COLUMN external_id text,
        ADD COLUMN scim jsonb,
        ADD COLUMN updated_at timestamptz(3) NOT NULL DEFAULT now()`);
    await db.query('CREATE INDEX users_external_id_idx ON users (external_id) WHERE external_id IS NOT NULL');
    await db.query(`
      CREATE TABLE scim_groups (
        id uuid CONSTRAINT scim_groups_pkey PRIMARY KEY,
        display_name text NOT NULL,
        external_id text,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    // Members of a group name it by its display name.
    await db.query('CREATE UNIQUE INDEX scim_groups_display_name_key ON scim_groups (display_name)');
    await db.query(
      'CREATE INDEX scim_groups_external_id_idx ON scim_groups (external_id) WHERE external_id IS NOT NULL',
    );
    await db.query(`
      CREATE TABLE scim_tokens (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT scim_tokens_pkey PRIMARY KEY,
        name text NOT NULL,
        token_hash bytea NOT NULL,
        last_four text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        last_used_at timestamptz(3)
      )`);
    await db.query('CREATE UNIQUE INDEX scim_tokens_token_hash_key ON scim_tokens (token_hash)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE scim_tokens, scim_groups');
    await db.query('DROP INDEX users_external_id_idx');
    await db.query('ALTER TABLE users DROP COLUMN external_id, DROP COLUMN scim, DROP COLUMN updated_at');
  }
}
