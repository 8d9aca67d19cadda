import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Scores of sheets: how they are calculated, the calculations, and what came of them by version. */
export class Scores1780000000041 implements MigrationInterface {
  name = 'Scores1780000000041';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE score_configurations (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        version_from integer NOT NULL,
        version_to integer,
        id uuid NOT NULL,
        score_type text NOT NULL,
        config jsonb NOT NULL,
        CONSTRAINT score_configurations_pkey PRIMARY KEY (workspace_id, sheet_id, version_from),
        CONSTRAINT score_configurations_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
    await db.query('CREATE UNIQUE INDEX score_configurations_id_key ON score_configurations (workspace_id, id)');
    await db.query(`
      CREATE TABLE score_calculations (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
        sheet_id uuid NOT NULL,
        configuration_id uuid NOT NULL,
        key_id integer,
        status text NOT NULL,
        error text,
        result jsonb,
        calculated_at timestamptz(3),
        lease_until timestamptz,
        attempts smallint NOT NULL DEFAULT 0,
        claim uuid,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT score_calculations_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT score_calculations_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
    await db.query(`CREATE UNIQUE INDEX score_calculations_queued_key ON score_calculations (workspace_id, sheet_id)
      WHERE status = 'queued'`);
    await db.query(`CREATE INDEX score_calculations_open_idx ON score_calculations (workspace_id, created_at)
      WHERE status IN ('queued', 'running')`);
    await db.query(
      'CREATE INDEX score_calculations_sheet_idx ON score_calculations (workspace_id, sheet_id, number DESC)',
    );
    await db.query(`
      CREATE TABLE version_scores (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        version integer NOT NULL,
        score double precision NOT NULL,
        score_type text NOT NULL,
        source text NOT NULL,
        calculated_at timestamptz(3) NOT NULL,
        CONSTRAINT version_scores_pkey PRIMARY KEY (workspace_id, sheet_id, version),
        CONSTRAINT version_scores_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE version_scores, score_calculations, score_configurations');
  }
}
