import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The work of deleting a workspace. The rows stay when the workspace is gone. */
export class WorkspaceDeletions1780000000088 implements MigrationInterface {
  name = 'WorkspaceDeletions1780000000088';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE workspaces ADD COLUMN deleted_at timestamptz(3)');
    await db.query(`
      CREATE TABLE workspace_deletions (
        workspace_id integer NOT NULL,
        id uuid CONSTRAINT workspace_deletions_pkey PRIMARY KEY,
        name text NOT NULL,
        dry_run boolean NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        counts jsonb NOT NULL DEFAULT '{}',
        error_message text,
        attempts smallint NOT NULL DEFAULT 0,
        lease_until timestamptz,
        claim uuid,
        request_id text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3)
      )`);
    await db.query(
      'CREATE INDEX workspace_deletions_open_idx ON workspace_deletions (created_at) WHERE finished_at IS NULL',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE workspace_deletions');
    await db.query('ALTER TABLE workspaces DROP COLUMN deleted_at');
  }
}
