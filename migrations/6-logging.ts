import type { MigrationInterface, QueryRunner } from 'typeorm';

const PAYLOADS = {
  spans: ['attributes', 'events', 'links'],
  request_logs: ['input', 'output', 'parameters', 'metadata', 'prompt_input_variables'],
};

/** Several times as fast as the compression every server has, but a server may have been built without it. */
const PREFER_LZ4 = `
  DO $$ BEGIN
    IF 'lz4' = ANY ((SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression')::text[]) THEN
      ${Object.entries(PAYLOADS)
        .flatMap(([table, columns]) =>
          columns.map((column) => `ALTER TABLE ${table} ALTER ${column} SET COMPRESSION lz4;`),
        )
        .join('\n      ')}
    END IF;
  END $$`;

/**
 * What request logs are searched, sorted and tracked by, the links between logs and spans that arrive apart, and the
 * receipts of ingestion.
 */
export class Logging1780000000006 implements MigrationInterface {
  name = 'Logging1780000000006';

  async up(db: QueryRunner): Promise<void> {
    await this.extendRequestLogs(db);
    await this.createTextSearch(db);
    await this.createTracking(db);
    await this.createSpanLinks(db);
    await this.createReceipts(db);
    await this.storePayloads(db, 'EXTENDED');
    await db.query(PREFER_LZ4);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE ingest_receipts, linkable_spans, log_claims, request_groups, request_scores`);
    await db.query(`DROP TABLE request_log_search, request_log_search_queue`);
    await db.query(`ALTER TABLE spans DROP log_link`);
    await this.storePayloads(db, 'EXTERNAL');
    await db.query(`
      DROP INDEX request_logs_price_idx, request_logs_latency_idx, request_logs_input_tokens_idx,
        request_logs_output_tokens_idx, request_logs_status_idx`);
    await db.query(`
      ALTER TABLE request_logs
        DROP group_id, DROP output_shape, DROP turn_count, DROP tool_call_count, DROP tool_names, DROP output_keys,
        DROP input_variable_keys, DROP output_data, DROP tracked`);
    await db.query(`ALTER TABLE request_logs ALTER facets SET STORAGE EXTENDED, SET (toast_tuple_target = 640)`);
    // The entries of the index carried their workspace.
    await db.query(`
      UPDATE request_logs SET facets = ARRAY(SELECT substr(f, strpos(f, ':') + 1) FROM unnest(facets) WITH ORDINALITY AS u(f, n) ORDER BY n)`);
  }

  /** Decision 012: compressed payloads take half the space; only new rows are stored in the new way. */
  private async storePayloads(db: QueryRunner, storage: 'EXTENDED' | 'EXTERNAL'): Promise<void> {
    for (const [table, columns] of Object.entries(PAYLOADS)) {
      const changes = columns.map(
        (column) => `ALTER ${column} SET STORAGE ${storage}, ALTER ${column} SET COMPRESSION DEFAULT`,
      );
      await db.query(`ALTER TABLE ${table} ${changes.join(', ')}`);
    }
  }

  private async extendRequestLogs(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE request_logs
        ADD group_id integer,
        ADD output_shape smallint,
        ADD turn_count integer NOT NULL DEFAULT 0,
        ADD tool_call_count integer NOT NULL DEFAULT 0,
        ADD tool_names text[] NOT NULL DEFAULT '{}',
        ADD output_keys text[] NOT NULL DEFAULT '{}',
        ADD input_variable_keys text[] NOT NULL DEFAULT '{}',
        ADD output_data jsonb,
        ADD tracked jsonb`);
    await db.query(`
      ALTER TABLE request_logs
        ALTER input_tokens SET STATISTICS 1000, ALTER output_tokens SET STATISTICS 1000`);
    // Filters test the facets of many rows: out of line that takes three times as long.
    await db.query(`ALTER TABLE request_logs ALTER facets SET STORAGE MAIN, SET (toast_tuple_target = 1024)`);
    // With the workspace in every entry a small workspace never reads the postings of a large one.
    await db.query(`
      UPDATE request_logs SET facets = ARRAY(SELECT workspace_id || ':' || f FROM unnest(facets) WITH ORDINALITY AS u(f, n) ORDER BY n)`);
    await db.query(`CREATE INDEX request_logs_price_idx ON request_logs (workspace_id, price, id)`);
    await db.query(`CREATE INDEX request_logs_latency_idx ON request_logs (workspace_id, latency_ms, id)`);
    await db.query(`CREATE INDEX request_logs_input_tokens_idx ON request_logs (workspace_id, input_tokens, id)`);
    await db.query(`CREATE INDEX request_logs_output_tokens_idx ON request_logs (workspace_id, output_tokens, id)`);
    await db.query(`CREATE INDEX request_logs_status_idx ON request_logs (workspace_id, status, id)`);
  }

  private async createTextSearch(db: QueryRunner): Promise<void> {
    // A log waits here until a worker has put its words into the index. Logs of before wait as well.
    await db.query(`
      CREATE TABLE request_log_search_queue (
        workspace_id integer NOT NULL,
        log_id bigint NOT NULL,
        CONSTRAINT request_log_search_queue_pkey PRIMARY KEY (workspace_id, log_id)
      )`);
    await db.query(`INSERT INTO request_log_search_queue SELECT workspace_id, id FROM request_logs`);
    await db.query(`
      CREATE TABLE request_log_search (
        workspace_id integer NOT NULL,
        log_id bigint NOT NULL,
        request_start_time timestamptz NOT NULL,
        words tsvector NOT NULL,
        CONSTRAINT request_log_search_pkey PRIMARY KEY (workspace_id, log_id),
        CONSTRAINT request_log_search_log_id_fkey FOREIGN KEY (workspace_id, log_id)
          REFERENCES request_logs (workspace_id, id) ON DELETE CASCADE
      )`);
    await db.query(`ALTER TABLE request_log_search ALTER words SET STATISTICS 1000`);
    await db.query(
      `CREATE INDEX request_log_search_start_idx ON request_log_search (workspace_id, request_start_time DESC, log_id DESC)`,
    );
    await db.query(`CREATE INDEX request_log_search_words_idx ON request_log_search USING gin (words)`);
  }

  private async createTracking(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE request_scores (
        workspace_id integer NOT NULL,
        log_id bigint NOT NULL,
        name text NOT NULL,
        score smallint NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT request_scores_pkey PRIMARY KEY (workspace_id, log_id, name),
        CONSTRAINT request_scores_log_id_fkey FOREIGN KEY (workspace_id, log_id)
          REFERENCES request_logs (workspace_id, id) ON DELETE CASCADE
      )`);
    await db.query(`
      CREATE TABLE request_groups (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT request_groups_pkey PRIMARY KEY (workspace_id, id)
      )`);
  }

  private async createSpanLinks(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE spans ADD log_link smallint NOT NULL DEFAULT 0`);
    // A log that names a span by its id alone, and the spans that such a log may belong to: either may come first.
    await db.query(`
      CREATE TABLE log_claims (
        workspace_id integer NOT NULL,
        span_id text COLLATE "C" NOT NULL,
        log_id bigint,
        CONSTRAINT log_claims_pkey PRIMARY KEY (workspace_id, span_id)
      ) WITH (fillfactor = 80)`);
    await db.query(`
      CREATE TABLE linkable_spans (
        workspace_id integer NOT NULL,
        request_span_id text COLLATE "C" NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        span_id text COLLATE "C" NOT NULL,
        CONSTRAINT linkable_spans_pkey PRIMARY KEY (workspace_id, request_span_id, trace_id, span_id)
      )`);
  }

  private async createReceipts(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE ingest_receipts (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        received_at timestamptz(3) NOT NULL DEFAULT now(),
        outcomes jsonb NOT NULL,
        CONSTRAINT ingest_receipts_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX ingest_receipts_received_idx ON ingest_receipts (received_at)`);
  }
}
