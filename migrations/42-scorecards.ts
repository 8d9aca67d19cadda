import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Scorecards of sheets, their calculations, and what each calculation found in each row. */
export class Scorecards1780000000042 implements MigrationInterface {
  name = 'Scorecards1780000000042';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE executions ADD COLUMN owner text NOT NULL DEFAULT 'sheet'`);
    await addScorecards(db);
    await addCalculations(db);
    await addRows(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE scorecard_rows, scorecard_calculations, scorecards');
    await db.query('ALTER TABLE executions DROP COLUMN owner');
  }
}

async function addScorecards(db: QueryRunner): Promise<void> {
  await db.query(`
    CREATE TABLE scorecards (
      workspace_id integer NOT NULL,
      sheet_id uuid NOT NULL,
      version_from integer NOT NULL,
      version_to integer,
      id uuid NOT NULL,
      name text NOT NULL,
      aggregation jsonb NOT NULL,
      evaluated_column_ids jsonb NOT NULL,
      display_config jsonb,
      baseline_config jsonb,
      steps jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT scorecards_pkey PRIMARY KEY (workspace_id, sheet_id, version_from),
      CONSTRAINT scorecards_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
    )`);
}

async function addCalculations(db: QueryRunner): Promise<void> {
  await db.query(`
    CREATE TABLE scorecard_calculations (
      workspace_id integer NOT NULL,
      id uuid NOT NULL,
      number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
      sheet_id uuid NOT NULL,
      scorecard_id uuid NOT NULL,
      execution_id uuid,
      status text NOT NULL,
      version integer NOT NULL,
      plan jsonb NOT NULL,
      scope jsonb,
      rows int4multirange NOT NULL DEFAULT '{}',
      result jsonb,
      error text,
      completed_at timestamptz(3),
      lease_until timestamptz,
      attempts smallint NOT NULL DEFAULT 0,
      claim uuid,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT scorecard_calculations_pkey PRIMARY KEY (workspace_id, id),
      CONSTRAINT scorecard_calculations_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
    )`);
  await db.query(`CREATE UNIQUE INDEX scorecard_calculations_active_key ON scorecard_calculations (workspace_id, sheet_id)
    WHERE status IN ('queued', 'running')`);
  await db.query(`CREATE INDEX scorecard_calculations_open_idx ON scorecard_calculations (workspace_id, created_at)
    WHERE status IN ('queued', 'running')`);
  await db.query(
    'CREATE INDEX scorecard_calculations_sheet_idx ON scorecard_calculations (workspace_id, sheet_id, number DESC)',
  );
}

async function addRows(db: QueryRunner): Promise<void> {
  await db.query(`
    CREATE TABLE scorecard_rows (
      workspace_id integer NOT NULL,
      calculation_id uuid NOT NULL,
      row_index integer NOT NULL,
      verdict text NOT NULL,
      score double precision,
      previous_verdict text,
      previous_score double precision,
      is_source_stale boolean NOT NULL,
      input_hash bytea,
      steps jsonb NOT NULL,
      CONSTRAINT scorecard_rows_pkey PRIMARY KEY (workspace_id, calculation_id, row_index)
    )`);
}
