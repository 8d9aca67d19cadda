import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Runs of workflows: rows of sheets whose columns have guards. */
export class WorkflowRuns1780000000048 implements MigrationInterface {
  name = 'WorkflowRuns1780000000048';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE sheet_columns ADD COLUMN guard jsonb');
    await this.createSheets(db);
    await this.createRuns(db);
    await this.createEnds(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE workflow_run_ends, workflow_runs, workflow_run_sheets');
    await db.query('ALTER TABLE sheet_columns DROP COLUMN guard');
  }

  private async createSheets(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workflow_run_sheets (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        workflow_version_id integer NOT NULL,
        depth smallint NOT NULL,
        number integer NOT NULL,
        CONSTRAINT workflow_run_sheets_pkey PRIMARY KEY (workspace_id, sheet_id),
        CONSTRAINT workflow_run_sheets_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id)
          REFERENCES sheets (workspace_id, id),
        CONSTRAINT workflow_run_sheets_workflow_version_id_fkey FOREIGN KEY (workspace_id, workflow_version_id)
          REFERENCES workflow_versions (workspace_id, id)
      )`);
    await db.query(`CREATE UNIQUE INDEX workflow_run_sheets_number_key
      ON workflow_run_sheets (workspace_id, workflow_version_id, depth, number)`);
  }

  private async createRuns(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workflow_runs (
        workspace_id integer NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        workflow_id integer NOT NULL,
        workflow_version_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        row_index integer NOT NULL,
        execution_id uuid NOT NULL,
        status text NOT NULL,
        metadata jsonb NOT NULL DEFAULT '{}',
        callback_url text,
        channel text,
        return_all_outputs boolean NOT NULL DEFAULT false,
        cause text,
        started_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        CONSTRAINT workflow_runs_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT workflow_runs_workflow_id_fkey FOREIGN KEY (workspace_id, workflow_id)
          REFERENCES workflows (workspace_id, id),
        CONSTRAINT workflow_runs_workflow_version_id_fkey FOREIGN KEY (workspace_id, workflow_version_id)
          REFERENCES workflow_versions (workspace_id, id),
        CONSTRAINT workflow_runs_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id)
          REFERENCES workflow_run_sheets (workspace_id, sheet_id)
      )`);
    await db.query('CREATE INDEX workflow_runs_workflow_idx ON workflow_runs (workspace_id, workflow_id, id)');
    await db.query(`CREATE UNIQUE INDEX workflow_runs_cause_key ON workflow_runs (workspace_id, cause)
      WHERE cause IS NOT NULL`);
    await db.query(`CREATE INDEX workflow_runs_running_idx ON workflow_runs (workspace_id, execution_id)
      WHERE status = 'running'`);
    await db.query(`CREATE INDEX workflow_runs_channel_idx ON workflow_runs (workspace_id, workflow_id, channel)
      WHERE channel IS NOT NULL`);
  }

  private async createEnds(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workflow_run_ends (
        workspace_id integer NOT NULL,
        id bigint NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        is_traced boolean NOT NULL DEFAULT false,
        tries smallint NOT NULL DEFAULT 0,
        next_try_at timestamptz(3) NOT NULL DEFAULT now(),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        attempts smallint NOT NULL DEFAULT 0,
        lease_until timestamptz,
        claim uuid,
        CONSTRAINT workflow_run_ends_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT workflow_run_ends_id_fkey FOREIGN KEY (workspace_id, id) REFERENCES workflow_runs (workspace_id, id)
      )`);
    await db.query('CREATE INDEX workflow_run_ends_open_idx ON workflow_run_ends (workspace_id, created_at)');
  }
}
