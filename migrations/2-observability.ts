import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Traces, spans and request logs.
 *
 * Trace and span ids are compared byte by byte (COLLATE "C"). Payload columns are stored out of line and
 * uncompressed: compressing them is the largest cost of an insert. Ids are handed out in blocks of 10,000 so
 * that a batch knows them before it is written.
 */
export class Observability1780000000002 implements MigrationInterface {
  name = 'Observability1780000000002';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`CREATE SEQUENCE span_ids AS bigint INCREMENT BY 10000 START WITH 1`);
    await db.query(`CREATE SEQUENCE request_log_ids AS bigint INCREMENT BY 10000 START WITH 1`);
    await this.createTraces(db);
    await this.createSpans(db);
    await this.createRequestLogs(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE request_logs, spans, span_sources, traces`);
    await db.query(`DROP SEQUENCE span_ids, request_log_ids`);
  }

  private async createTraces(db: QueryRunner): Promise<void> {
    // Every batch updates the traces it touches: free space keeps those updates on their page.
    await db.query(`
      CREATE TABLE traces (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        start_ns bigint,
        end_ns bigint,
        span_count integer NOT NULL DEFAULT 0,
        error_count integer NOT NULL DEFAULT 0,
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
    await db.query(`
      CREATE TABLE span_sources (
        workspace_id integer NOT NULL,
        hash bytea NOT NULL,
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
        parent_id text COLLATE "C",
        start_ns bigint NOT NULL,
        end_ns bigint,
        kind smallint NOT NULL,
        status smallint NOT NULL,
        sanitized boolean NOT NULL,
        input_tokens integer,
        output_tokens integer,
        cost double precision,
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
    await db.query(`
      ALTER TABLE spans
        ALTER attributes SET STORAGE EXTERNAL, ALTER events SET STORAGE EXTERNAL, ALTER links SET STORAGE EXTERNAL,
        ALTER name SET STORAGE EXTERNAL, ALTER status_message SET STORAGE EXTERNAL`);
    await db.query(`CREATE INDEX spans_start_idx ON spans (workspace_id, start_ns DESC)`);
  }

  private async createRequestLogs(db: QueryRunner): Promise<void> {
    // Lists, sorts and counts scan this heap: a low target moves the payloads out of it.
    await db.query(`
      CREATE TABLE request_logs (
        workspace_id integer NOT NULL,
        id bigint NOT NULL,
        request_start_time timestamptz NOT NULL,
        request_end_time timestamptz NOT NULL,
        latency_ms double precision NOT NULL,
        price double precision,
        input_tokens integer,
        output_tokens integer,
        cached_tokens integer,
        cache_write_tokens integer,
        thinking_tokens integer,
        prompt_id integer,
        prompt_version_number integer,
        sanitized boolean NOT NULL,
        trace_id text COLLATE "C",
        span_id text COLLATE "C",
        provider text NOT NULL,
        model text NOT NULL,
        api_type text,
        function_name text NOT NULL,
        status text NOT NULL,
        error_type text,
        error_message text,
        tags text[] NOT NULL,
        facets text[] NOT NULL,
        metadata jsonb NOT NULL,
        parameters jsonb NOT NULL,
        prompt_input_variables jsonb NOT NULL,
        input jsonb NOT NULL,
        output jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT request_logs_pkey PRIMARY KEY (workspace_id, id)
      ) WITH (toast_tuple_target = 640)`);
    await db.query(`
      ALTER TABLE request_logs
        ALTER input SET STORAGE EXTERNAL, ALTER output SET STORAGE EXTERNAL, ALTER parameters SET STORAGE EXTERNAL,
        ALTER metadata SET STORAGE EXTERNAL, ALTER prompt_input_variables SET STORAGE EXTERNAL,
        ALTER facets SET STATISTICS 1000, ALTER latency_ms SET STATISTICS 1000, ALTER price SET STATISTICS 1000`);
    await db.query(
      `CREATE INDEX request_logs_start_idx ON request_logs (workspace_id, request_start_time DESC, id DESC)`,
    );
    await db.query(`CREATE INDEX request_logs_facets_idx ON request_logs USING gin (facets)`);
  }
}
