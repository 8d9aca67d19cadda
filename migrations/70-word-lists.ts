import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Words of documents that have very many different ones, in lists. */
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
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE search_segments DROP CONSTRAINT search_segments_lists_check, DROP COLUMN lists');
    await db.query('DROP TABLE search_word_lists');
  }
}
