import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tree that prompts, tables and other entities lie in. */
export class Folders1780000000006 implements MigrationInterface {
  name = 'Folders1780000000006';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE folders (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        parent_id integer,
        name text NOT NULL,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT folders_pkey PRIMARY KEY (workspace_id, id)
      )`);
    // The top level counts as a parent.
    await db.query(`CREATE UNIQUE INDEX folders_sibling_key ON folders (workspace_id, coalesce(parent_id, 0), name)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE folders`);
  }
}
