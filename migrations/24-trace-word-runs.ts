import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Filters of traces get a table of their own, in which they are tested one after the other along the newest traces. Triples
 * of words begin with the end of a word: what was indexed before is asked for pairs only.
 */
export class TraceWordRuns1780000000024 implements MigrationInterface {
  name = 'TraceWordRuns1780000000024';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE request_log_word_runs RENAME longest_run TO known_runs');
    await db.query(`
      CREATE TABLE trace_word_runs (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        start_ns bigint NOT NULL,
        word_runs bytea,
        known_runs smallint NOT NULL
      ) WITH (toast_tuple_target = 8160)`);
    await db.query(`
      ALTER TABLE trace_word_runs
        ALTER word_runs SET STORAGE EXTERNAL, ALTER word_runs SET STATISTICS 0`);
    await db.query(`
      INSERT INTO trace_word_runs
      SELECT x.workspace_id, x.trace_id, t.start_ns, x.word_runs, x.longest_run
        FROM trace_search x JOIN traces t ON t.workspace_id = x.workspace_id AND t.trace_id = x.trace_id
       ORDER BY t.start_ns`);
    await db.query(`
      ALTER TABLE trace_word_runs
        ADD CONSTRAINT trace_word_runs_pkey PRIMARY KEY (workspace_id, trace_id),
        ADD CONSTRAINT trace_word_runs_trace_id_fkey FOREIGN KEY (workspace_id, trace_id)
          REFERENCES trace_search (workspace_id, trace_id) ON DELETE CASCADE`);
    await db.query(`
      CREATE INDEX trace_word_runs_start_idx ON trace_word_runs (workspace_id, start_ns DESC, trace_id)`);
    await db.query('ALTER TABLE trace_search DROP word_runs, DROP longest_run');
  }

  /** Filters that know other triples say of no pair that it is missing which is there. */
  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE trace_search ADD word_runs bytea, ADD longest_run smallint NOT NULL DEFAULT 2');
    await db.query(`
      ALTER TABLE trace_search
        ALTER word_runs SET STORAGE EXTERNAL, ALTER word_runs SET STATISTICS 0`);
    await db.query(`
      UPDATE trace_search x SET word_runs = r.word_runs
        FROM trace_word_runs r WHERE r.workspace_id = x.workspace_id AND r.trace_id = x.trace_id`);
    await db.query('DROP TABLE trace_word_runs');
    await db.query('UPDATE request_log_word_runs SET known_runs = 2');
    await db.query('ALTER TABLE request_log_word_runs RENAME known_runs TO longest_run');
  }
}
