import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is in segments of which a document lacks words or values. In a small one the term stands behind its length, in one value. */
const LACKING = `
  SELECT d.workspace_id, d.key FROM search_documents d
    JOIN search_segments s ON s.workspace_id = d.workspace_id AND s.id = d.segment_id
   WHERE d.kind = $1
     AND (position('\\x01002a'::bytea IN s.packed) > 0
          OR EXISTS (SELECT FROM search_postings p WHERE p.workspace_id = s.workspace_id AND p.segment_id = s.id AND p.term = '*'))`;
const [LOGS, TRACES] = [1, 2];

/**
 * Documents of which words, or exact values, were left out of the index wait to be put into it once more. They are looked for in a
 * migration of their own, because that reads the whole index and the one that adds the lists (70) locks it.
 */
export class WordsLeftOut1780000000110 implements MigrationInterface {
  name = 'WordsLeftOut1780000000110';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `INSERT INTO request_log_search_queue (workspace_id, log_id)
       SELECT workspace_id, key::bigint FROM (${LACKING}) AS lacking ON CONFLICT DO NOTHING`,
      [LOGS],
    );
    await db.query(
      `INSERT INTO trace_search_queue (workspace_id, trace_id, generation, due_at)
       SELECT workspace_id, key, nextval('trace_search_generations'), now() FROM (${LACKING}) AS lacking
       ON CONFLICT (workspace_id, trace_id) DO UPDATE SET generation = excluded.generation`,
      [TRACES],
    );
  }

  /** What waits is put into the index, which changes nothing. */
  async down(): Promise<void> {}
}
