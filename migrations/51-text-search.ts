import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Indexes of documents in segments, in the place of the index of words of request logs. All logs wait to be put into the new one,
 * and are found while they wait.
 *
 * What is stored of terms is compressed by itself, or hardly gets smaller: nothing is compressed once more.
 */
export class TextSearch1780000000051 implements MigrationInterface {
  name = 'TextSearch1780000000051';

  async up(db: QueryRunner): Promise<void> {
    await createTables(db);
    await createTriggers(db);
    await db.query('DROP TABLE request_log_word_runs, request_log_search');
    await queueAll(db);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const event of ['stored', 'updated', 'deleted'])
      await db.query(`DROP TRIGGER request_logs_search_${event} ON request_logs`);
    await db.query('DROP FUNCTION queue_changed_logs');
    await db.query('DROP TABLE search_segments, search_postings, search_values, search_documents');
    await createWords(db);
    await queueAll(db);
  }
}

async function createTables(db: QueryRunner): Promise<void> {
  await db.query(`
    CREATE TABLE search_segments (
      workspace_id integer NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
      kind smallint NOT NULL,
      documents integer NOT NULL,
      parts integer NOT NULL,
      bytes integer NOT NULL,
      low double precision NOT NULL,
      high double precision NOT NULL,
      gone bytea,
      packed bytea,
      merged_at timestamptz,
      CONSTRAINT search_segments_pkey PRIMARY KEY (workspace_id, id)
    )`);
  await db.query('ALTER TABLE search_segments ALTER packed SET STORAGE EXTERNAL');
  await db.query('CREATE INDEX search_segments_kind_idx ON search_segments (workspace_id, kind)');
  await db.query('CREATE INDEX search_segments_merged_idx ON search_segments (merged_at) WHERE merged_at IS NOT NULL');
  await db.query(`
    CREATE TABLE search_postings (
      workspace_id integer NOT NULL,
      segment_id bigint NOT NULL,
      term text COLLATE "C" NOT NULL,
      count integer NOT NULL,
      ordinals bytea NOT NULL,
      places bytea,
      CONSTRAINT search_postings_pkey PRIMARY KEY (workspace_id, segment_id, term)
    )`);
  await db.query('ALTER TABLE search_postings ALTER ordinals SET STORAGE PLAIN, ALTER places SET STORAGE EXTERNAL');
  await db.query(`
    CREATE TABLE search_values (
      workspace_id integer NOT NULL,
      segment_id bigint NOT NULL,
      name text COLLATE "C" NOT NULL,
      value bytea NOT NULL,
      CONSTRAINT search_values_pkey PRIMARY KEY (workspace_id, segment_id, name)
    )`);
  await db.query('ALTER TABLE search_values ALTER value SET STORAGE EXTERNAL');
  // Rows are updated when segments are merged: with room on their pages these updates touch no index.
  await db.query(`
    CREATE TABLE search_documents (
      workspace_id integer NOT NULL,
      kind smallint NOT NULL,
      key text COLLATE "C" NOT NULL,
      segment_id bigint NOT NULL,
      document integer NOT NULL,
      CONSTRAINT search_documents_pkey PRIMARY KEY (workspace_id, kind, key)
    ) WITH (fillfactor = 80)`);
}

/**
 * Logs that anybody stores, changes or deletes wait for the index in the same transaction. The row conflicts with one that a worker is
 * deleting and then waits for the outcome, so that the worker cannot take the new version of a log for the one it has read: see
 * `projection.queries.ts`.
 */
async function createTriggers(db: QueryRunner): Promise<void> {
  await db.query(`
    CREATE FUNCTION queue_changed_logs() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO request_log_search_queue (workspace_id, log_id)
      SELECT workspace_id, id FROM changed ORDER BY workspace_id, id ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$`);
  for (const [event, verb, rows] of [
    ['stored', 'INSERT', 'NEW'],
    ['updated', 'UPDATE', 'NEW'],
    ['deleted', 'DELETE', 'OLD'],
  ]) {
    await db.query(`
      CREATE TRIGGER request_logs_search_${event} AFTER ${verb} ON request_logs REFERENCING ${rows} TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION queue_changed_logs()`);
  }
}

async function queueAll(db: QueryRunner): Promise<void> {
  await db.query(`
    INSERT INTO request_log_search_queue (workspace_id, log_id)
    SELECT workspace_id, id FROM request_logs ON CONFLICT DO NOTHING`);
}

async function createWords(db: QueryRunner): Promise<void> {
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
  await db.query('ALTER TABLE request_log_search ALTER words SET STORAGE EXTERNAL, ALTER words SET STATISTICS 500');
  await db.query(
    'CREATE INDEX request_log_search_start_idx ON request_log_search (workspace_id, request_start_time DESC, log_id DESC)',
  );
  await db.query(
    'CREATE INDEX request_log_search_words_idx ON request_log_search USING gin (words) WITH (gin_pending_list_limit = 32768)',
  );
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
  await db.query(
    'ALTER TABLE request_log_word_runs ALTER word_runs SET STORAGE EXTERNAL, ALTER word_runs SET STATISTICS 0',
  );
  await db.query(`
    CREATE INDEX request_log_word_runs_start_idx
        ON request_log_word_runs (workspace_id, request_start_time DESC, log_id DESC)`);
}
