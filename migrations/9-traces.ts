import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of spans that hold what was sent. */
const PAYLOADS = ['attributes', 'events', 'links'];

/**
 * Traces and spans, what links spans to request logs, the receipts of ingestion, and what traces are searched by.
 *
 * Trace and span ids are compared byte by byte (COLLATE "C"). Ids are handed out in blocks of 10,000 so that a batch knows
 * them before it is written.
 */
export class Traces1780000000009 implements MigrationInterface {
  name = 'Traces1780000000009';

  async up(db: QueryRunner): Promise<void> {
    await this.createTraces(db);
    await this.createSpans(db);
    await this.storePayloads(db);
    await this.createSpanLinks(db);
    await this.createLogEvents(db);
    await this.createReceipts(db);
    await this.createSearchQueue(db);
    await this.createTraceSearch(db);
    await this.createWordRuns(db);
    await this.createSpanSearch(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE span_search, trace_word_runs, trace_search, trace_search_queue`);
    await db.query(`DROP SEQUENCE trace_search_generations`);
    await db.query(
      `DROP TABLE ingest_receipts, span_log_events, linkable_spans, log_claims, spans, span_sources, traces`,
    );
    await db.query(`DROP SEQUENCE span_ids`);
  }

  private async createTraces(db: QueryRunner): Promise<void> {
    // Every batch updates the traces it touches: free space keeps those updates on their page. `unpriced_count` is null in
    // traces that are older than it.
    await db.query(`
      CREATE TABLE traces (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        start_ns bigint,
        end_ns bigint,
        span_count integer NOT NULL DEFAULT 0,
        error_count integer NOT NULL DEFAULT 0,
        unpriced_count integer DEFAULT 0,
        input_tokens bigint NOT NULL DEFAULT 0,
        output_tokens bigint NOT NULL DEFAULT 0,
        cost numeric NOT NULL DEFAULT 0,
        root_start_ns bigint,
        root_span_id text COLLATE "C",
        root_name text,
        created_at timestamptz NOT NULL DEFAULT now(),
        closed_at timestamptz,
        CONSTRAINT traces_pkey PRIMARY KEY (workspace_id, trace_id)
      ) WITH (fillfactor = 70)`);
    await db.query(`CREATE INDEX traces_start_idx ON traces (workspace_id, start_ns DESC, trace_id)`);
  }

  private async createSpans(db: QueryRunner): Promise<void> {
    await db.query(`CREATE SEQUENCE span_ids AS bigint INCREMENT BY 10000 START WITH 1`);
    // Which spans use a source is not indexed. One that nobody has sent for long can only be used by old traces.
    await db.query(`
      CREATE TABLE span_sources (
        workspace_id integer NOT NULL,
        hash bytea NOT NULL,
        last_seen_at timestamptz NOT NULL DEFAULT now(),
        resource jsonb NOT NULL,
        scope jsonb NOT NULL,
        CONSTRAINT span_sources_pkey PRIMARY KEY (workspace_id, hash)
      )`);
    await db.query(`
      CREATE TABLE spans (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        span_id text COLLATE "C" NOT NULL,
        id bigint NOT NULL,
        request_log_id bigint,
        repeats_log_id bigint,
        parent_id text COLLATE "C",
        start_ns bigint NOT NULL,
        end_ns bigint,
        cost double precision,
        input_tokens integer,
        output_tokens integer,
        prompt_id integer,
        prompt_version_number integer,
        kind smallint NOT NULL,
        status smallint NOT NULL,
        log_link smallint NOT NULL DEFAULT 0,
        sanitized boolean NOT NULL,
        source_hash bytea NOT NULL,
        name text NOT NULL,
        span_type text NOT NULL,
        provider text,
        model text,
        status_message text,
        trace_state text NOT NULL,
        attributes jsonb NOT NULL,
        events jsonb,
        links jsonb,
        CONSTRAINT spans_pkey PRIMARY KEY (workspace_id, trace_id, span_id)
      )`);
    // Calls inside calls share one log: the calls right around a span and right inside it are looked for.
    await db.query(`
      CREATE INDEX spans_call_parent_idx ON spans (workspace_id, trace_id, parent_id)
       WHERE parent_id IS NOT NULL AND (request_log_id IS NOT NULL OR repeats_log_id IS NOT NULL)`);
  }

  private async storePayloads(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE spans ALTER name SET STORAGE EXTERNAL, ALTER status_message SET STORAGE EXTERNAL`);
    // Their values say nothing to the planner.
    const unread = PAYLOADS.map((column) => `ALTER ${column} SET STATISTICS 0`);
    await db.query(`ALTER TABLE spans ${unread.join(', ')}`);
    // Several times as fast as the compression every server has, but a server may have been built without it (decision 006).
    const compressed = PAYLOADS.map((column) => `ALTER ${column} SET COMPRESSION lz4`);
    await db.query(`
      DO $$ BEGIN
        IF 'lz4' = ANY ((SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression')::text[]) THEN
          ALTER TABLE spans ${compressed.join(', ')};
        END IF;
      END $$`);
  }

  /** A log that names a span by its id alone, and the spans that such a log may belong to: either may come first. */
  private async createSpanLinks(db: QueryRunner): Promise<void> {
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
    await db.query(`CREATE INDEX linkable_spans_trace_idx ON linkable_spans (workspace_id, trace_id)`);
  }

  /** What log records tell about spans, which may come before the spans do. */
  private async createLogEvents(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE span_log_events (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        span_id text COLLATE "C" NOT NULL,
        hash bytea NOT NULL,
        time_ns bigint NOT NULL,
        name text NOT NULL,
        attributes jsonb NOT NULL,
        received_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT span_log_events_pkey PRIMARY KEY (workspace_id, trace_id, span_id, hash)
      )`);
    await db.query(`CREATE INDEX span_log_events_received_idx ON span_log_events (workspace_id, received_at)`);
  }

  /**
   * Receipts are text that says once what spans in a row have in common. Every span that is ingested writes its part of one and
   * hardly anyone ever asks for it, so it is neither taken apart into jsonb nor compressed.
   */
  private async createReceipts(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE ingest_receipts (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        received_at timestamptz(3) NOT NULL DEFAULT now(),
        outcomes text NOT NULL,
        CONSTRAINT ingest_receipts_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(`ALTER TABLE ingest_receipts ALTER outcomes SET STORAGE EXTERNAL`);
    await db.query(`CREATE INDEX ingest_receipts_received_idx ON ingest_receipts (received_at)`);
  }

  /**
   * Ingestion only queues a trace; workers read its spans and write the tables of search, so nothing here costs ingestion more
   * than a row in the queue. There are no foreign keys to traces: checking one locks the trace, and ingestion would wait for it.
   */
  private async createSearchQueue(db: QueryRunner): Promise<void> {
    // Every change of a trace and every claim takes a number of its own, so that none is ever mistaken for another.
    await db.query(`CREATE SEQUENCE trace_search_generations AS bigint`);
    await db.query(`
      CREATE TABLE trace_search_queue (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        generation bigint NOT NULL,
        due_at timestamptz NOT NULL DEFAULT now(),
        claim bigint,
        lease_until timestamptz,
        CONSTRAINT trace_search_queue_pkey PRIMARY KEY (workspace_id, trace_id)
      ) WITH (fillfactor = 50)`);
    await db.query(`CREATE INDEX trace_search_queue_due_idx ON trace_search_queue (workspace_id, due_at)`);
  }

  private async createTraceSearch(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE trace_search (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        root_span_id text COLLATE "C" NOT NULL,
        name text NOT NULL,
        status text NOT NULL,
        depth integer NOT NULL,
        models_used text[] NOT NULL,
        tool_names text[] NOT NULL,
        prompt_ids integer[] NOT NULL,
        prompt_versions text[] NOT NULL,
        workflow_ids text[] NOT NULL,
        workflow_versions text[] NOT NULL,
        workflows jsonb NOT NULL,
        user_id text,
        tags text[] NOT NULL,
        metadata jsonb NOT NULL,
        first_input text,
        last_output text,
        facets text[] NOT NULL,
        facets_cut boolean NOT NULL,
        words tsvector NOT NULL,
        CONSTRAINT trace_search_pkey PRIMARY KEY (workspace_id, trace_id)
      )`);
    // Lists of distinct words hardly get smaller by compression. ANALYZE looks at 300 rows for each unit of statistics: with
    // 1,000 units and 140,000 traces it took 38 s, and the planner took 2 ms to read 10,000 facets for every condition.
    await db.query(`
      ALTER TABLE trace_search
        ALTER words SET STORAGE EXTERNAL, ALTER words SET STATISTICS 200, ALTER facets SET STATISTICS 200,
        ALTER workflows SET STATISTICS 0, ALTER metadata SET STATISTICS 0`);
    // Workers merge what they add, in large portions: a list of pending entries has room for one from each of two workers.
    for (const column of ['facets', 'words']) {
      await db.query(
        `CREATE INDEX trace_search_${column}_idx ON trace_search USING gin (${column}) WITH (gin_pending_list_limit = 32768)`,
      );
    }
  }

  /**
   * Which words follow each other in a trace. In a table of their own these filters are tested one after the other along the
   * newest traces. The high target keeps them in their rows.
   */
  private async createWordRuns(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE trace_word_runs (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        start_ns bigint NOT NULL,
        known_runs smallint NOT NULL,
        word_runs bytea,
        CONSTRAINT trace_word_runs_pkey PRIMARY KEY (workspace_id, trace_id),
        CONSTRAINT trace_word_runs_trace_id_fkey FOREIGN KEY (workspace_id, trace_id)
          REFERENCES trace_search (workspace_id, trace_id) ON DELETE CASCADE
      ) WITH (toast_tuple_target = 8160)`);
    await db.query(`
      ALTER TABLE trace_word_runs ALTER word_runs SET STORAGE EXTERNAL, ALTER word_runs SET STATISTICS 0`);
    await db.query(`CREATE INDEX trace_word_runs_start_idx ON trace_word_runs (workspace_id, start_ns DESC, trace_id)`);
  }

  private async createSpanSearch(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE span_search (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        span_id text COLLATE "C" NOT NULL,
        start_ns bigint NOT NULL,
        end_ns bigint,
        input_tokens integer,
        output_tokens integer,
        cost double precision,
        prompt_id integer,
        prompt_version_number integer,
        name text NOT NULL,
        tool_name text,
        workflow_id text,
        workflow_version text,
        subtree_prompt_ids integer[] NOT NULL,
        subtree_workflow_ids text[] NOT NULL,
        facets text[] NOT NULL,
        output_keys text[] NOT NULL,
        output_values jsonb,
        input_variables jsonb,
        attributes_deep jsonb,
        exception text,
        input text,
        output text,
        CONSTRAINT span_search_pkey PRIMARY KEY (workspace_id, trace_id, span_id)
      ) WITH (toast_tuple_target = 384)`);
    // Searches read many of these rows and few of their texts: the facets stay in the row and the texts leave it.
    await db.query(`
      ALTER TABLE span_search
        ALTER facets SET STORAGE MAIN, ALTER facets SET STATISTICS 200, ALTER output_values SET STATISTICS 0,
        ALTER input_variables SET STATISTICS 0, ALTER attributes_deep SET STATISTICS 0`);
    await db.query(
      `CREATE INDEX span_search_facets_idx ON span_search USING gin (facets) WITH (gin_pending_list_limit = 32768)`,
    );
    await db.query(`CREATE INDEX span_search_span_idx ON span_search (workspace_id, span_id)`);
  }
}
