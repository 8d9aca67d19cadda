import type { MigrationInterface, QueryRunner } from 'typeorm';

const SHEET = 'FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)';

/**
 * Sheets of cells with a history of every version; tables, imports, scores and settings on them.
 *
 * A cell is addressed by (column key, row index) and has no other index. A computed cell that was never computed has no
 * row. What is stale or failed is kept as sets of row indexes per chunk of 1,000 rows, and what is to be computed as
 * tasks, so that marking or counting a whole column touches a handful of rows instead of every cell.
 *
 * Times have millisecond precision, so that a cursor made of a JavaScript date is exact.
 */
export class Tables1780000000011 implements MigrationInterface {
  name = 'Tables1780000000011';

  async up(db: QueryRunner): Promise<void> {
    await this.createSheets(db);
    await this.createColumns(db);
    await this.createColumnSources(db);
    await this.createVersions(db);
    await this.createCells(db);
    await this.createStates(db);
    await this.createComputation(db);
    await this.createMemo(db);
    await this.createImports(db);
    await this.createScores(db);
    await this.createSettings(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE workspace_settings, version_scores, score_calculations, score_configurations, import_chunks, import_operations,
        cell_memo, computation_tasks, executions, column_chunk_history, column_chunks, cell_history, cells, sheet_versions,
        composition_links, column_prompts, column_edges, column_history, sheet_columns, sheets, tables`);
  }

  private async createSheets(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE tables (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        title text NOT NULL,
        folder_id integer,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT tables_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX tables_created_idx ON tables (workspace_id, created_at, id) WHERE deleted_at IS NULL`);
    await db.query(
      `CREATE INDEX tables_folder_idx ON tables (workspace_id, folder_id) WHERE folder_id IS NOT NULL AND deleted_at IS NULL`,
    );
    await db.query(`
      CREATE TABLE sheets (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        owner text NOT NULL DEFAULT 'table',
        table_id uuid,
        title text NOT NULL,
        index integer NOT NULL,
        version integer NOT NULL DEFAULT 0,
        rows int4multirange NOT NULL DEFAULT '{}',
        reserved_rows integer NOT NULL DEFAULT 0,
        auto_recalculate text NOT NULL DEFAULT 'off',
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT sheets_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT sheets_owner_check CHECK ((owner = 'table') = (table_id IS NOT NULL)),
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
        owner text NOT NULL DEFAULT 'sheet',
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
        CONSTRAINT sheet_columns_sheet_id_fkey ${SHEET}
      )`);
    await db.query(`CREATE UNIQUE INDEX sheet_columns_key_key ON sheet_columns (workspace_id, key)`);
    await db.query(
      `CREATE INDEX sheet_columns_sheet_idx ON sheet_columns (workspace_id, sheet_id, position_rank) WHERE deleted_at IS NULL`,
    );
    await db.query(`
      CREATE TABLE column_history (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        column_id uuid NOT NULL,
        version_from integer NOT NULL,
        version_to integer NOT NULL,
        title text NOT NULL,
        type text NOT NULL,
        config jsonb NOT NULL,
        edges jsonb NOT NULL,
        position_rank integer NOT NULL,
        is_output_column boolean NOT NULL,
        CONSTRAINT column_history_pkey PRIMARY KEY (workspace_id, sheet_id, column_id, version_to)
      )`);
  }

  /** What columns read: other columns of their sheet, prompts, and columns of other sheets. */
  private async createColumnSources(db: QueryRunner): Promise<void> {
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
    await db.query(`
      CREATE TABLE column_prompts (
        workspace_id integer NOT NULL,
        column_id uuid NOT NULL,
        ordinal smallint NOT NULL,
        prompt_id integer NOT NULL,
        version_number integer,
        label text,
        CONSTRAINT column_prompts_pkey PRIMARY KEY (workspace_id, column_id, ordinal),
        CONSTRAINT column_prompts_column_id_fkey FOREIGN KEY (workspace_id, column_id) REFERENCES sheet_columns (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX column_prompts_prompt_idx ON column_prompts (workspace_id, prompt_id)`);
    // seen_version moves with every change of the source: free space keeps those updates on their page.
    await db.query(`
      CREATE TABLE composition_links (
        workspace_id integer NOT NULL,
        column_id uuid NOT NULL,
        sheet_id uuid NOT NULL,
        source_sheet_id uuid NOT NULL,
        source_column_id uuid NOT NULL,
        seen_version integer,
        CONSTRAINT composition_links_pkey PRIMARY KEY (workspace_id, column_id),
        CONSTRAINT composition_links_column_id_fkey FOREIGN KEY (workspace_id, column_id)
          REFERENCES sheet_columns (workspace_id, id),
        CONSTRAINT composition_links_source_column_id_fkey FOREIGN KEY (workspace_id, source_column_id)
          REFERENCES sheet_columns (workspace_id, id)
      ) WITH (fillfactor = 70)`);
    await db.query(`CREATE INDEX composition_links_source_idx ON composition_links (workspace_id, source_sheet_id)`);
  }

  private async createVersions(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE sheet_versions (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        number integer NOT NULL,
        id uuid NOT NULL,
        source_version_id uuid,
        name text,
        title text,
        index integer,
        rows int4multirange NOT NULL,
        deltas jsonb NOT NULL,
        created_by text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT sheet_versions_pkey PRIMARY KEY (workspace_id, sheet_id, number),
        CONSTRAINT sheet_versions_sheet_id_fkey ${SHEET}
      )`);
    await db.query(`CREATE UNIQUE INDEX sheet_versions_id_key ON sheet_versions (workspace_id, id)`);
  }

  private async createCells(db: QueryRunner): Promise<void> {
    // Recalculating a column replaces all its cells. Those that find room on their own page need no new index entry.
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
        metrics jsonb,
        CONSTRAINT cells_pkey PRIMARY KEY (workspace_id, column_key, row_index)
      ) WITH (fillfactor = 70)`);
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
        metrics jsonb,
        CONSTRAINT cell_history_pkey PRIMARY KEY (workspace_id, column_key, row_index, version_to)
      )`);
    for (const table of ['cells', 'cell_history']) {
      await db.query(`
        ALTER TABLE ${table} ALTER value SET STORAGE EXTERNAL, ALTER display_value SET STORAGE EXTERNAL,
          ALTER error SET STORAGE EXTERNAL`);
    }
  }

  private async createStates(db: QueryRunner): Promise<void> {
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
        message text,
        is_forced boolean NOT NULL DEFAULT false,
        version integer,
        cell_count integer NOT NULL,
        completed_count integer NOT NULL DEFAULT 0,
        failed_count integer NOT NULL DEFAULT 0,
        max_cost double precision,
        cost double precision NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        CONSTRAINT executions_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT executions_sheet_id_fkey ${SHEET}
      ) WITH (fillfactor = 70)`);
    await db.query(
      `CREATE INDEX executions_active_idx ON executions (workspace_id, sheet_id) WHERE finished_at IS NULL`,
    );
    // A claim can take a part of the rows of a task; it leaves the others as a task of their own.
    await db.query(`
      CREATE TABLE computation_tasks (
        workspace_id integer NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        sheet_id uuid NOT NULL,
        chunk_no integer NOT NULL,
        rank smallint NOT NULL,
        is_external boolean NOT NULL DEFAULT false,
        column_key bigint NOT NULL,
        execution_id uuid NOT NULL,
        rows int4multirange NOT NULL,
        claim uuid,
        lease_until timestamptz,
        attempts smallint NOT NULL DEFAULT 0,
        CONSTRAINT computation_tasks_pkey PRIMARY KEY (workspace_id, id)
      ) WITH (fillfactor = 50)`);
    await db.query(`CREATE INDEX computation_tasks_execution_idx ON computation_tasks (workspace_id, execution_id)`);
    await db.query(
      `CREATE INDEX computation_tasks_turn_idx ON computation_tasks (is_external, workspace_id, chunk_no, rank, id)`,
    );
    await db.query(
      `CREATE INDEX computation_tasks_chunk_idx ON computation_tasks (workspace_id, sheet_id, chunk_no, rank)`,
    );
  }

  /** Results of cells from outside, which are used again while their inputs are the same. */
  private async createMemo(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE cell_memo (
        workspace_id integer NOT NULL,
        key bytea NOT NULL,
        value jsonb,
        metrics jsonb,
        computed_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT cell_memo_pkey PRIMARY KEY (workspace_id, key)
      )`);
    await db.query(`ALTER TABLE cell_memo ALTER value SET STORAGE EXTERNAL`);
    await db.query(`CREATE INDEX cell_memo_computed_idx ON cell_memo (computed_at)`);
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
        claim uuid,
        attempts smallint NOT NULL DEFAULT 0,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT import_operations_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT import_operations_sheet_id_fkey ${SHEET}
      ) WITH (fillfactor = 70)`);
    // One running import per sheet, whatever races.
    await db.query(
      `CREATE UNIQUE INDEX import_operations_active_key ON import_operations (workspace_id, sheet_id) WHERE status IN ('queued', 'running')`,
    );
    await db.query(`
      CREATE TABLE import_chunks (
        workspace_id integer NOT NULL,
        operation_id text NOT NULL,
        number integer NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT import_chunks_pkey PRIMARY KEY (workspace_id, operation_id, number),
        CONSTRAINT import_chunks_operation_id_fkey FOREIGN KEY (workspace_id, operation_id)
          REFERENCES import_operations (workspace_id, id) ON DELETE CASCADE
      )`);
    await db.query(`ALTER TABLE import_chunks ALTER content SET STORAGE EXTERNAL`);
  }

  /** How scores are calculated, the calculations, and what came of them by version. */
  private async createScores(db: QueryRunner): Promise<void> {
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
        CONSTRAINT score_configurations_sheet_id_fkey ${SHEET}
      )`);
    await db.query(`CREATE UNIQUE INDEX score_configurations_id_key ON score_configurations (workspace_id, id)`);
    await db.query(`
      CREATE TABLE score_calculations (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
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
        CONSTRAINT score_calculations_sheet_id_fkey ${SHEET}
      )`);
    await db.query(
      `CREATE UNIQUE INDEX score_calculations_queued_key ON score_calculations (workspace_id, sheet_id) WHERE status = 'queued'`,
    );
    await db.query(
      `CREATE INDEX score_calculations_open_idx ON score_calculations (workspace_id, created_at) WHERE status IN ('queued', 'running')`,
    );
    await db.query(
      `CREATE INDEX score_calculations_sheet_idx ON score_calculations (workspace_id, sheet_id, number DESC)`,
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
        CONSTRAINT version_scores_sheet_id_fkey ${SHEET}
      )`);
  }

  /** What a workspace has set for itself. */
  private async createSettings(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workspace_settings (
        workspace_id integer NOT NULL,
        import_max_bytes integer,
        auto_recalculate text NOT NULL DEFAULT 'off',
        default_model text,
        embedding_model text,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT workspace_settings_pkey PRIMARY KEY (workspace_id)
      )`);
  }
}
