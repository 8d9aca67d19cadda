import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The index of traces in segments, in the place of the indexes of words and facets. All traces wait to be put into the new one, and
 * the newest are found while they wait.
 */
export class TracesInSegments1780000000059 implements MigrationInterface {
  name = 'TracesInSegments1780000000059';

  async up(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE trace_word_runs');
    await db.query('DROP INDEX trace_search_facets_idx, span_search_facets_idx');
    await db.query('ALTER TABLE trace_search DROP COLUMN words');
    await createTrigger(db);
    await queueAll(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TRIGGER traces_search_deleted ON traces');
    await db.query('DROP FUNCTION queue_deleted_traces');
    await db.query(
      'DELETE FROM search_postings p USING search_segments s WHERE s.kind = 2 AND (p.workspace_id, p.segment_id) = (s.workspace_id, s.id)',
    );
    await db.query(
      'DELETE FROM search_values v USING search_segments s WHERE s.kind = 2 AND (v.workspace_id, v.segment_id) = (s.workspace_id, s.id)',
    );
    await db.query('DELETE FROM search_segments WHERE kind = 2');
    await db.query('DELETE FROM search_documents WHERE kind = 2');
    await createWords(db);
    await queueAll(db);
  }
}

/** Traces that anybody deletes wait to be taken out of the index, in the same transaction. */
async function createTrigger(db: QueryRunner): Promise<void> {
  await db.query(`
    CREATE FUNCTION queue_deleted_traces() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO trace_search_queue (workspace_id, trace_id, generation)
      SELECT workspace_id, trace_id, nextval('trace_search_generations') FROM deleted ORDER BY workspace_id, trace_id
      ON CONFLICT (workspace_id, trace_id) DO UPDATE SET generation = excluded.generation;
      RETURN NULL;
    END $$`);
  await db.query(`
    CREATE TRIGGER traces_search_deleted AFTER DELETE ON traces REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION queue_deleted_traces()`);
}

/** The time by which traces wait is that of their beginning, so that the newest come first. */
async function queueAll(db: QueryRunner): Promise<void> {
  await db.query(`
    INSERT INTO trace_search_queue (workspace_id, trace_id, generation, due_at)
    SELECT workspace_id, trace_id, nextval('trace_search_generations'), least(now(), to_timestamp(start_ns / 1e9)) FROM traces
    ON CONFLICT (workspace_id, trace_id) DO UPDATE SET generation = excluded.generation`);
}

async function createWords(db: QueryRunner): Promise<void> {
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
  await db.query('ALTER TABLE trace_word_runs ALTER word_runs SET STORAGE EXTERNAL, ALTER word_runs SET STATISTICS 0');
  await db.query('CREATE INDEX trace_word_runs_start_idx ON trace_word_runs (workspace_id, start_ns DESC, trace_id)');
  await db.query(`ALTER TABLE trace_search ADD words tsvector NOT NULL DEFAULT ''`);
  await db.query(
    'ALTER TABLE trace_search ALTER words DROP DEFAULT, ALTER words SET STORAGE EXTERNAL, ALTER words SET STATISTICS 200',
  );
  for (const [table, column] of [
    ['trace_search', 'words'],
    ['trace_search', 'facets'],
    ['span_search', 'facets'],
  ]) {
    await db.query(
      `CREATE INDEX ${table}_${column}_idx ON ${table} USING gin (${column}) WITH (gin_pending_list_limit = 32768)`,
    );
  }
}
