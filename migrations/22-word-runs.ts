import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Filters of request logs get a table of their own, where 15 to 25 of them are on a page and are read in turn, instead of
 * one by one from beside the lists of words. What was indexed before knows pairs of words, and no triples.
 */
export class WordRuns1780000000022 implements MigrationInterface {
  name = 'WordRuns1780000000022';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE request_log_word_runs (
        workspace_id integer NOT NULL,
        log_id bigint NOT NULL,
        request_start_time timestamptz NOT NULL,
        word_runs bytea,
        longest_run smallint NOT NULL
      )`);
    await db.query(`
      ALTER TABLE request_log_word_runs
        ALTER word_runs SET STORAGE EXTERNAL, ALTER word_runs SET STATISTICS 0`);
    await db.query(`
      INSERT INTO request_log_word_runs
      SELECT workspace_id, log_id, request_start_time, word_pairs, 2 FROM request_log_search ORDER BY request_start_time`);
    await db.query(`
      ALTER TABLE request_log_word_runs
        ADD CONSTRAINT request_log_word_runs_pkey PRIMARY KEY (workspace_id, log_id),
        ADD CONSTRAINT request_log_word_runs_log_id_fkey FOREIGN KEY (workspace_id, log_id)
          REFERENCES request_log_search (workspace_id, log_id) ON DELETE CASCADE`);
    await db.query(`
      CREATE INDEX request_log_word_runs_start_idx
          ON request_log_word_runs (workspace_id, request_start_time DESC, log_id DESC)`);
    await db.query('ALTER TABLE request_log_search DROP word_pairs');
    await db.query('ALTER TABLE trace_search RENAME word_pairs TO word_runs');
    await db.query('ALTER TABLE trace_search ADD longest_run smallint NOT NULL DEFAULT 2');
  }

  /** Filters with triples in them say of no pair that it is missing which is there. */
  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE trace_search DROP longest_run');
    await db.query('ALTER TABLE trace_search RENAME word_runs TO word_pairs');
    await db.query('ALTER TABLE request_log_search ADD word_pairs bytea');
    await db.query(`
      ALTER TABLE request_log_search
        ALTER word_pairs SET STORAGE EXTERNAL, ALTER word_pairs SET STATISTICS 0`);
    await db.query(`
      UPDATE request_log_search s SET word_pairs = r.word_runs
        FROM request_log_word_runs r WHERE r.workspace_id = s.workspace_id AND r.log_id = s.log_id`);
    await db.query('DROP TABLE request_log_word_runs');
  }
}
