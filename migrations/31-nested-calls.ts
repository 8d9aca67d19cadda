import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Calls inside calls share one log, what is told of spans in log records is kept for them, and JSON in attributes is compared
 * as people read it.
 */
export class NestedCalls1780000000031 implements MigrationInterface {
  name = 'NestedCalls1780000000031';

  /** No trace ends before it starts any more. */
  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE spans ADD repeats_log_id bigint');
    await db.query(`
      CREATE INDEX spans_call_parent_idx ON spans (workspace_id, trace_id, parent_id)
       WHERE parent_id IS NOT NULL AND (request_log_id IS NOT NULL OR repeats_log_id IS NOT NULL)`);
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
    await db.query('CREATE INDEX span_log_events_received_idx ON span_log_events (workspace_id, received_at)');
    await db.query('UPDATE traces SET end_ns = start_ns WHERE end_ns < start_ns');
    await this.readJson(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION texts_of_json, readable_json');
    await db.query('DROP TABLE span_log_events');
    await db.query('DROP INDEX spans_call_parent_idx');
    await db.query('ALTER TABLE spans DROP repeats_log_id');
  }

  /** Doubled, every backslash is itself but for the escapes of characters. */
  private async readJson(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION readable_json(content text) RETURNS text
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      BEGIN
        RETURN unistr(regexp_replace(content, '\\\\(\\\\|(?!u[0-9a-fA-F]{4}))', '\\\\\\\\\\1\\1', 'g'));
      EXCEPTION WHEN data_exception OR syntax_error THEN
        RETURN content;
      END
      $$`);
    await db.query(`
      CREATE FUNCTION texts_of_json(content text) RETURNS text[]
      LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE WHEN strpos(content, '\\u') > 0 AND content ~ '^\\s*[[{"]'
                    THEN ARRAY[content, readable_json(content)] ELSE ARRAY[content] END
      $$`);
  }
}
