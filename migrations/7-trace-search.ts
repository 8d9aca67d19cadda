import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What traces are searched by. Ingestion only queues a trace; workers read its spans and write these tables, so nothing
 * here costs ingestion more than a row in the queue. There are no foreign keys: checking one locks the trace, and
 * ingestion would wait for it.
 */
export class TraceSearch1780000000007 implements MigrationInterface {
  name = 'TraceSearch1780000000007';

  async up(db: QueryRunner): Promise<void> {
    await this.createQueue(db);
    await this.createTraceSearch(db);
    await this.createSpanSearch(db);
    // Traces of before wait as well.
    await db.query(`
      INSERT INTO trace_search_queue (workspace_id, trace_id, generation)
      SELECT workspace_id, trace_id, nextval('trace_search_generations') FROM traces WHERE span_count > 0`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE span_search, trace_search, trace_search_queue`);
    await db.query(`DROP SEQUENCE trace_search_generations`);
  }

  private async createQueue(db: QueryRunner): Promise<void> {
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
    await db.query(`ALTER TABLE trace_search ALTER facets SET STATISTICS 1000, ALTER words SET STATISTICS 1000`);
    await db.query(`CREATE INDEX trace_search_facets_idx ON trace_search USING gin (facets)`);
    await db.query(`CREATE INDEX trace_search_words_idx ON trace_search USING gin (words)`);
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
    await db.query(`ALTER TABLE span_search ALTER facets SET STATISTICS 1000, ALTER facets SET STORAGE MAIN`);
    await db.query(`CREATE INDEX span_search_facets_idx ON span_search USING gin (facets)`);
    await db.query(`CREATE INDEX span_search_span_idx ON span_search (workspace_id, span_id)`);
  }
}
