import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Evaluation pipelines and their runs. Their rows and cells are sheets that they own. */
export class Evaluations1780000000044 implements MigrationInterface {
  name = 'Evaluations1780000000044';

  async up(db: QueryRunner): Promise<void> {
    await this.createReports(db);
    await this.createColumns(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE report_columns, reports');
  }

  private async createReports(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE reports (
        workspace_id integer NOT NULL,
        id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
        name text NOT NULL,
        comment text,
        folder_id integer,
        tags text[] NOT NULL DEFAULT '{}',
        is_blueprint boolean NOT NULL,
        parent_id integer,
        dataset_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        score_configuration jsonb,
        score jsonb,
        score_matrix jsonb,
        status_counts jsonb,
        score_error text,
        prompt_id integer,
        prompt_version integer,
        status text NOT NULL,
        step text,
        lease_until timestamptz,
        attempts smallint NOT NULL DEFAULT 0,
        claim uuid,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT reports_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT reports_parent_id_fkey FOREIGN KEY (workspace_id, parent_id) REFERENCES reports (workspace_id, id),
        CONSTRAINT reports_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
    await db.query('CREATE UNIQUE INDEX reports_sheet_key ON reports (workspace_id, sheet_id)');
    await db.query('CREATE INDEX reports_created_idx ON reports (workspace_id, created_at, id) WHERE is_blueprint');
    await db.query(
      'CREATE INDEX reports_parent_idx ON reports (workspace_id, parent_id, id) WHERE parent_id IS NOT NULL',
    );
    await db.query(
      'CREATE INDEX reports_folder_idx ON reports (workspace_id, folder_id) WHERE folder_id IS NOT NULL AND deleted_at IS NULL',
    );
    await db.query('CREATE INDEX reports_name_idx ON reports (workspace_id, name) WHERE deleted_at IS NULL');
    await db.query(
      `CREATE INDEX reports_open_idx ON reports (workspace_id, created_at) WHERE status IN ('queued', 'running')`,
    );
  }

  private async createColumns(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE report_columns (
        workspace_id integer NOT NULL,
        id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
        report_id integer NOT NULL,
        column_id uuid NOT NULL,
        is_dataset boolean NOT NULL,
        is_part_of_score boolean NOT NULL DEFAULT false,
        CONSTRAINT report_columns_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT report_columns_report_id_fkey FOREIGN KEY (workspace_id, report_id) REFERENCES reports (workspace_id, id),
        CONSTRAINT report_columns_column_id_fkey FOREIGN KEY (workspace_id, column_id) REFERENCES sheet_columns (workspace_id, id)
      )`);
    await db.query('CREATE UNIQUE INDEX report_columns_column_key ON report_columns (workspace_id, column_id)');
    await db.query('CREATE INDEX report_columns_report_idx ON report_columns (workspace_id, report_id)');
  }
}
