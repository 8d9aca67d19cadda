import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What workspaces may store, and how much they did when that was last counted. */
export class WorkspaceStorage1780000000071 implements MigrationInterface {
  name = 'WorkspaceStorage1780000000071';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workspace_storage (
        workspace_id integer NOT NULL,
        max_stored_bytes bigint,
        max_rows bigint,
        stored_bytes bigint,
        counted_at timestamptz(3),
        count_began_at timestamptz(3),
        count_ms integer NOT NULL DEFAULT 0,
        CONSTRAINT workspace_storage_pkey PRIMARY KEY (workspace_id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE workspace_storage');
  }
}
