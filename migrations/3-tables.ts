import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tables: sheets of cells with a history of every version.
 *
 * A cell is addressed by (column key, row index) and has no other index. A computed cell that was never computed has no
 * row. What is stale or failed is kept as sets of row indexes per chunk of 1,000 rows, and what is to be computed as
 * tasks, so that marking or counting a whole column touches a handful of rows instead of every cell.
 */
export class Tables1780000000003 implements MigrationInterface {
  name = 'Tables1780000000003';

  async up(db: QueryRunner): Promise<void> {
    await this.createStructure(db);
    await this.createColumns(db);
    await this.createVersions(db);
    await this.createCells(db);
    await this.createComputation(db);
    await this.createImports(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE import_operations, computation_tasks, executions, column_chunk_history, column_chunks, cell_history,
        cells, sheet_versions, column_edges, sheet_columns, sheets, tables`);
  }

  private async createStructure(db: QueryRunner): Promise<void> {
    // Millisecond precision, so that a cursor made of a JavaScript date is exact.
    await db.query(`
      CREATE TABLE tables (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        title text NOT NULL,
        folder_id integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT tables_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX tables_created_idx ON tables (workspace_id, created_at, id) WHERE deleted_at IS NULL`);
    await db.query(`
      CREATE TABLE sheets (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        table_id uuid NOT NULL,
        title text NOT NULL,
        index integer NOT NULL,
        version integer NOT NULL DEFAULT 0,
        rows int4multirange NOT NULL DEFAULT '{}',
        reserved_rows integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT sheets_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT sheets_table_id_fkey FOREIGN KEY (workspace_id, table_id) REFERENCES tables (workspace_id, id)
      ) WITH (fillfactor = 80)`);
    await db.query(`CREATE INDEX sheets_table_idx ON sheets (workspace_id, table_id, index) WHERE deleted_at IS NULL`);
  }

  private async createColumns(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE sheet_columns (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        key bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        sheet_id uuid NOT NULL,
        title text NOT NULL,
        type text NOT NULL,
        config jsonb NOT NULL,
        position_rank integer NOT NULL,
        is_output_column boolean NOT NULL,
        version integer NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT sheet_columns_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT sheet_columns_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
    await db.query(`CREATE UNIQUE INDEX sheet_columns_key_key ON sheet_columns (workspace_id, key)`);
    await db.query(
      `CREATE INDEX sheet_columns_sheet_idx ON sheet_columns (workspace_id, sheet_id, position_rank) WHERE deleted_at IS NULL`,
    );
    await db.query(`
      CREATE TABLE column_edges (
        workspace_id integer NOT NULL,
        column_id uuid NOT NULL,
        ordinal smallint NOT NULL,
        sheet_id uuid NOT NULL,
        source_id uuid NOT NULL,
        config_key text,
        config_meta jsonb,
        CONSTRAINT column_edges_pkey PRIMARY KEY (workspace_id, column_id, ordinal),
        CONSTRAINT column_edges_column_id_fkey FOREIGN KEY (workspace_id, column_id) REFERENCES sheet_columns (workspace_id, id),
        CONSTRAINT column_edges_source_id_fkey FOREIGN KEY (workspace_id, source_id) REFERENCES sheet_columns (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX column_edges_sheet_idx ON column_edges (workspace_id, sheet_id)`);
  }

  private async createVersions(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE sheet_versions (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        number integer NOT NULL,
        id uuid NOT NULL,
        name text,
        created_by text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        rows int4multirange NOT NULL,
        deltas jsonb NOT NULL,
        CONSTRAINT sheet_versions_pkey PRIMARY KEY (workspace_id, sheet_id, number),
        CONSTRAINT sheet_versions_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
  }

  private async createCells(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE cells (
        workspace_id integer NOT NULL,
        row_index integer NOT NULL,
        column_key bigint NOT NULL,
        version integer NOT NULL,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        execution_id uuid,
        input_hash bytea,
        value jsonb,
        display_value text,
        error text,
        CONSTRAINT cells_pkey PRIMARY KEY (workspace_id, column_key, row_index)
      ) WITH (fillfactor = 90)`);
    await db.query(`
      CREATE TABLE cell_history (
        workspace_id integer NOT NULL,
        row_index integer NOT NULL,
        column_key bigint NOT NULL,
        version_from integer NOT NULL,
        version_to integer NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        execution_id uuid,
        input_hash bytea,
        value jsonb,
        display_value text,
        error text,
        CONSTRAINT cell_history_pkey PRIMARY KEY (workspace_id, column_key, row_index, version_to)
      )`);
    for (const table of ['cells', 'cell_history']) {
      await db.query(`
        ALTER TABLE ${table} ALTER value SET STORAGE EXTERNAL, ALTER display_value SET STORAGE EXTERNAL,
          ALTER error SET STORAGE EXTERNAL`);
    }
    await db.query(`
      CREATE TABLE column_chunks (
        workspace_id integer NOT NULL,
        column_key bigint NOT NULL,
        chunk_no integer NOT NULL,
        version integer NOT NULL,
        stale int4multirange NOT NULL,
        failed int4multirange NOT NULL,
        CONSTRAINT column_chunks_pkey PRIMARY KEY (workspace_id, column_key, chunk_no)
      ) WITH (fillfactor = 50)`);
    await db.query(`
      CREATE TABLE column_chunk_history (
        workspace_id integer NOT NULL,
        column_key bigint NOT NULL,
        chunk_no integer NOT NULL,
        version_from integer NOT NULL,
        version_to integer NOT NULL,
        stale int4multirange NOT NULL,
        failed int4multirange NOT NULL,
        CONSTRAINT column_chunk_history_pkey PRIMARY KEY (workspace_id, column_key, chunk_no, version_to)
      )`);
  }

  private async createComputation(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE executions (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        sheet_id uuid NOT NULL,
        status text NOT NULL,
        skips_blank_rows boolean NOT NULL,
        version integer,
        cell_count integer NOT NULL,
        completed_count integer NOT NULL DEFAULT 0,
        failed_count integer NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        CONSTRAINT executions_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT executions_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      ) WITH (fillfactor = 70)`);
    await db.query(
      `CREATE INDEX executions_active_idx ON executions (workspace_id, sheet_id) WHERE finished_at IS NULL`,
    );
    await db.query(`
      CREATE TABLE computation_tasks (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        chunk_no integer NOT NULL,
        rank smallint NOT NULL,
        column_key bigint NOT NULL,
        execution_id uuid NOT NULL,
        rows int4multirange NOT NULL,
        claim uuid,
        lease_until timestamptz,
        attempts smallint NOT NULL DEFAULT 0,
        CONSTRAINT computation_tasks_pkey PRIMARY KEY (workspace_id, sheet_id, chunk_no, rank, column_key, execution_id)
      ) WITH (fillfactor = 50)`);
    await db.query(`CREATE INDEX computation_tasks_execution_idx ON computation_tasks (workspace_id, execution_id)`);
  }

  private async createImports(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE import_operations (
        workspace_id integer NOT NULL,
        id text NOT NULL,
        table_id uuid NOT NULL,
        sheet_id uuid NOT NULL,
        source text NOT NULL,
        status text NOT NULL,
        progress integer NOT NULL DEFAULT 0,
        message text,
        rows_added integer,
        row_count integer,
        file_name text,
        error_message text,
        request jsonb NOT NULL,
        state jsonb,
        lease_until timestamptz,
        attempts smallint NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT import_operations_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT import_operations_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      ) WITH (fillfactor = 70)`);
    // One running import per sheet, whatever races.
    await db.query(
      `CREATE UNIQUE INDEX import_operations_active_key ON import_operations (workspace_id, sheet_id) WHERE status IN ('queued', 'running')`,
    );
  }
}
