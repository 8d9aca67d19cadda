import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Searches for the first version at which a score fell. */
export class Regressions1780000000063 implements MigrationInterface {
  name = 'Regressions1780000000063';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE regressions (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        sheet_id uuid NOT NULL,
        status text NOT NULL,
        request jsonb NOT NULL,
        steps jsonb NOT NULL DEFAULT '[]',
        baseline jsonb,
        found jsonb,
        scratch_sheet_id uuid,
        scratch_version integer,
        error text,
        completed_at timestamptz(3),
        lease_until timestamptz,
        attempts smallint NOT NULL DEFAULT 0,
        claim uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT regressions_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT regressions_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
    await db.query(`CREATE UNIQUE INDEX regressions_active_key ON regressions (workspace_id, sheet_id)
      WHERE status IN ('queued', 'running')`);
    await db.query(`CREATE INDEX regressions_open_idx ON regressions (workspace_id, created_at)
      WHERE status IN ('queued', 'running')`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE regressions');
  }
}
