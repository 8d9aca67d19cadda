import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns of request logs that hold what was sent and answered. */
const PAYLOADS = ['input', 'output', 'parameters', 'metadata', 'prompt_input_variables'];

/**
 * Request logs, the indexes they are searched by, what clients add to them, and what models cost.
 *
 * Ids are handed out in blocks of 10,000 so that a batch knows them before it is written.
 */
export class Requests1780000000008 implements MigrationInterface {
  name = 'Requests1780000000008';

  async up(db: QueryRunner): Promise<void> {
    await this.createRequestLogs(db);
    await this.storePayloads(db);
    await this.createIndexes(db);
    await this.createTracking(db);
    await this.createTextSearch(db);
    await this.createWordRuns(db);
    await this.createVocabulary(db);
    await this.createPrices(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE model_prices`);
    await db.query(`DROP SEQUENCE model_price_revisions`);
    await db.query(`DROP TABLE vocabulary`);
    await db.query(`DROP FUNCTION word_parts`);
    await db.query(`DROP TABLE request_log_word_runs, request_log_search, request_log_search_queue`);
    await db.query(`DROP TABLE request_groups, request_scores, request_logs`);
    await db.query(`DROP SEQUENCE request_log_ids`);
  }

  private async createRequestLogs(db: QueryRunner): Promise<void> {
    await db.query(`CREATE SEQUENCE request_log_ids AS bigint INCREMENT BY 10000 START WITH 1`);
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
        group_id integer,
        turn_count integer NOT NULL DEFAULT 0,
        tool_call_count integer NOT NULL DEFAULT 0,
        output_shape smallint,
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
        priced_by text,
        tags text[] NOT NULL,
        facets text[] NOT NULL,
        tool_names text[] NOT NULL DEFAULT '{}',
        output_keys text[] NOT NULL DEFAULT '{}',
        input_variable_keys text[] NOT NULL DEFAULT '{}',
        metadata jsonb NOT NULL,
        parameters jsonb NOT NULL,
        prompt_input_variables jsonb NOT NULL,
        input jsonb NOT NULL,
        output jsonb NOT NULL,
        output_data jsonb,
        tracked jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT request_logs_pkey PRIMARY KEY (workspace_id, id)
      ) WITH (toast_tuple_target = 1024)`);
    // Filters test the facets of many rows: out of line that takes three times as long.
    await db.query(`ALTER TABLE request_logs ALTER facets SET STORAGE MAIN`);
  }

  private async storePayloads(db: QueryRunner): Promise<void> {
    // Their values say nothing to the planner, and to look at them was half of what an ANALYZE took.
    const unread = [...PAYLOADS, 'output_data', 'tracked'].map((column) => `ALTER ${column} SET STATISTICS 0`);
    await db.query(`ALTER TABLE request_logs ${unread.join(', ')}`);
    // Several times as fast as the compression every server has, but a server may have been built without it (decision 006).
    const compressed = PAYLOADS.map((column) => `ALTER ${column} SET COMPRESSION lz4`);
    await db.query(`
      DO $$ BEGIN
        IF 'lz4' = ANY ((SELECT enumvals FROM pg_settings WHERE name = 'default_toast_compression')::text[]) THEN
          ALTER TABLE request_logs ${compressed.join(', ')};
        END IF;
      END $$`);
  }

  private async createIndexes(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE INDEX request_logs_start_idx ON request_logs (workspace_id, request_start_time DESC, id DESC)`,
    );
    await db.query(`CREATE INDEX request_logs_price_idx ON request_logs (workspace_id, price, id)`);
    await db.query(`CREATE INDEX request_logs_latency_idx ON request_logs (workspace_id, latency_ms, id)`);
    await db.query(`CREATE INDEX request_logs_input_tokens_idx ON request_logs (workspace_id, input_tokens, id)`);
    await db.query(`CREATE INDEX request_logs_output_tokens_idx ON request_logs (workspace_id, output_tokens, id)`);
    await db.query(`CREATE INDEX request_logs_status_idx ON request_logs (workspace_id, status, id)`);
    await db.query(
      `CREATE INDEX request_logs_trace_idx ON request_logs (workspace_id, trace_id) WHERE trace_id IS NOT NULL`,
    );
    // Every entry begins with the workspace, so that a small one never reads the postings of a large one (decision 009). A long
    // list of pending entries was merged once in 12,000 logs, for which all that were under way waited 80 ms.
    await db.query(
      `CREATE INDEX request_logs_facets_idx ON request_logs USING gin (facets) WITH (gin_pending_list_limit = 256)`,
    );
  }

  private async createTracking(db: QueryRunner): Promise<void> {
    // `tracked` says that a client has added the score after the call. Those that came with the call are not.
    await db.query(`
      CREATE TABLE request_scores (
        workspace_id integer NOT NULL,
        log_id bigint NOT NULL,
        name text NOT NULL,
        score smallint NOT NULL,
        tracked boolean NOT NULL DEFAULT true,
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

  private async createTextSearch(db: QueryRunner): Promise<void> {
    // A log waits here until a worker has put its words into the index.
    await db.query(`
      CREATE TABLE request_log_search_queue (
        workspace_id integer NOT NULL,
        log_id bigint NOT NULL,
        CONSTRAINT request_log_search_queue_pkey PRIMARY KEY (workspace_id, log_id)
      )`);
    // The words are out of line: what is read beside the index is the time, and the fewer pages that takes the better.
    await db.query(`
      CREATE TABLE request_log_search (
        workspace_id integer NOT NULL,
        log_id bigint NOT NULL,
        request_start_time timestamptz NOT NULL,
        words tsvector NOT NULL,
        CONSTRAINT request_log_search_pkey PRIMARY KEY (workspace_id, log_id),
        CONSTRAINT request_log_search_log_id_fkey FOREIGN KEY (workspace_id, log_id)
          REFERENCES request_logs (workspace_id, id) ON DELETE CASCADE
      ) WITH (toast_tuple_target = 128)`);
    // Lists of distinct words hardly get smaller by compression. ANALYZE looks at 300 rows for each unit of statistics: with
    // 1,000 units and a million lists of words it took 11 s.
    await db.query(`
      ALTER TABLE request_log_search ALTER words SET STORAGE EXTERNAL, ALTER words SET STATISTICS 500`);
    await db.query(
      `CREATE INDEX request_log_search_start_idx ON request_log_search (workspace_id, request_start_time DESC, log_id DESC)`,
    );
    // Workers merge what they add, in large portions: the list of pending entries has room for one from each of two workers.
    await db.query(
      `CREATE INDEX request_log_search_words_idx ON request_log_search USING gin (words) WITH (gin_pending_list_limit = 32768)`,
    );
  }

  /**
   * Which words follow each other in a log. In a table of their own 15 to 25 of these filters are on a page and are read in
   * turn. Bits that are as good as random are not worth compressing.
   */
  private async createWordRuns(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE request_log_word_runs (
        workspace_id integer NOT NULL,
        log_id bigint NOT NULL,
        request_start_time timestamptz NOT NULL,
        known_runs smallint NOT NULL,
        word_runs bytea,
        CONSTRAINT request_log_word_runs_pkey PRIMARY KEY (workspace_id, log_id),
        CONSTRAINT request_log_word_runs_log_id_fkey FOREIGN KEY (workspace_id, log_id)
          REFERENCES request_log_search (workspace_id, log_id) ON DELETE CASCADE
      )`);
    await db.query(`
      ALTER TABLE request_log_word_runs ALTER word_runs SET STORAGE EXTERNAL, ALTER word_runs SET STATISTICS 0`);
    await db.query(`
      CREATE INDEX request_log_word_runs_start_idx
          ON request_log_word_runs (workspace_id, request_start_time DESC, log_id DESC)`);
  }

  /**
   * The words of each workspace, so that a part of a word leads to the words, and these to what holds them.
   *
   * The parts of a word are every three characters that stand beside each other in it, with the workspace in front, so that a
   * small one never reads the postings of others. A word so long that the index of words may have cut it could go on with
   * anything: "*".
   */
  private async createVocabulary(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE vocabulary (
        workspace_id integer NOT NULL,
        word text COLLATE "C" NOT NULL,
        last_day date NOT NULL,
        CONSTRAINT vocabulary_pkey PRIMARY KEY (workspace_id, word)
      )`);
    await db.query(`
      CREATE FUNCTION word_parts(workspace integer, word text) RETURNS text[]
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT array_agg(workspace || ':' || substr(word, place, 3))
               || CASE WHEN octet_length(word) >= 99 THEN ARRAY[workspace || ':*'] END
          FROM generate_series(1, length(word) - 2) place
      $$`);
    await db.query(
      `CREATE INDEX vocabulary_parts_idx ON vocabulary USING gin (word_parts(workspace_id, word)) WITH (gin_pending_list_limit = 1024)`,
    );
  }

  /** What workspaces have said that models cost. Processes look for new prices by their number and greatest revision. */
  private async createPrices(db: QueryRunner): Promise<void> {
    await db.query(`CREATE SEQUENCE model_price_revisions`);
    await db.query(`
      CREATE TABLE model_prices (
        workspace_id integer NOT NULL,
        provider text COLLATE "C" NOT NULL,
        model text COLLATE "C" NOT NULL,
        input float8,
        output float8,
        cached_input float8,
        cache_write float8,
        revision bigint NOT NULL,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT model_prices_pkey PRIMARY KEY (workspace_id, provider, model)
      )`);
  }
}
