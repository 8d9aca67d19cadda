import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The groups of users, as identity providers say them, and the rules that turn groups into memberships of workspaces. */
export class Groups1780000000082 implements MigrationInterface {
  name = 'Groups1780000000082';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE user_groups (
        user_id integer NOT NULL CONSTRAINT user_groups_user_id_fkey REFERENCES users (id) ON DELETE CASCADE,
        source text NOT NULL,
        group_name text NOT NULL,
        CONSTRAINT user_groups_pkey PRIMARY KEY (user_id, source, group_name)
      )`);
    await db.query('CREATE INDEX user_groups_group_idx ON user_groups (group_name, source, user_id)');
    await db.query(`
      CREATE TABLE group_rules (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT group_rules_pkey PRIMARY KEY,
        group_name text NOT NULL,
        workspace_id integer NOT NULL CONSTRAINT group_rules_workspace_id_fkey REFERENCES workspaces (id) ON DELETE CASCADE,
        roles text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await db.query('CREATE UNIQUE INDEX group_rules_group_key ON group_rules (group_name, workspace_id)');
    await db.query('ALTER TABLE api_keys ADD COLUMN by_rules boolean NOT NULL DEFAULT false');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE api_keys DROP COLUMN by_rules');
    await db.query('DROP TABLE group_rules, user_groups');
  }
}
