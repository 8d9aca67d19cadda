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
 * Words of documents that have very many different ones, in lists. Documents of which words, or exact values, were left out of the index
 * wait to be put into it once more.
 */
export class WordLists1780000000070 implements MigrationInterface {
  name = 'WordLists1780000000070';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE search_word_lists (
        workspace_id integer NOT NULL,
        segment_id bigint NOT NULL,
        list integer NOT NULL,
        last_word text COLLATE "C" NOT NULL,
        words text COLLATE "C" NOT NULL,
        CONSTRAINT search_word_lists_pkey PRIMARY KEY (workspace_id, segment_id, list, last_word)
      )`);
    await db.query('ALTER TABLE search_segments ADD COLUMN lists integer NOT NULL DEFAULT 0');
    // A worker of the release before, which does not know of lists, must not merge a segment without them.
    await db.query(
      'ALTER TABLE search_segments ADD CONSTRAINT search_segments_lists_check CHECK (merged_at IS NULL OR lists = 0)',
    );
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

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE search_segments DROP CONSTRAINT search_segments_lists_check, DROP COLUMN lists');
    await db.query('DROP TABLE search_word_lists');
  }
}
