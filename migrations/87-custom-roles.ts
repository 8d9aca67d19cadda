import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Roles that workspaces define beside the built-in ones. They are read with a key, before its workspace is known. */
export class CustomRoles1780000000087 implements MigrationInterface {
  name = 'CustomRoles1780000000087';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE custom_roles (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT custom_roles_pkey PRIMARY KEY,
        workspace_id integer NOT NULL CONSTRAINT custom_roles_workspace_id_fkey REFERENCES workspaces (id) ON DELETE CASCADE,
        name text NOT NULL,
        description text,
        permissions text[] NOT NULL,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await db.query('CREATE UNIQUE INDEX custom_roles_name_key ON custom_roles (workspace_id, name)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE custom_roles');
  }
}
