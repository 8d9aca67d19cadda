import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Scores of traces, which columns of sheets publish. */
export class TraceScores1780000000102 implements MigrationInterface {
  name = 'TraceScores1780000000102';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE trace_scores (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        name text NOT NULL,
        score smallint NOT NULL,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT trace_scores_pkey PRIMARY KEY (workspace_id, trace_id, name),
        CONSTRAINT trace_scores_trace_id_fkey FOREIGN KEY (workspace_id, trace_id)
          REFERENCES traces (workspace_id, trace_id) ON DELETE CASCADE
      )`);
    await db.query('CREATE INDEX trace_scores_name_idx ON trace_scores (workspace_id, name, score)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE trace_scores');
  }
}
