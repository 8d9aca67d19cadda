import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Indexes that are written to after the commit, mostly by workers. */
const MERGED = [
  'request_log_search_words_idx',
  'trace_search_words_idx',
  'trace_search_facets_idx',
  'span_search_facets_idx',
];
const TABLES = ['request_log_search', 'trace_search'];

/**
 * What workers add to the indexes of words and facets is merged by them, in large portions: the lists of pending entries
 * have room for one from each of two workers. Lists of distinct words hardly get smaller by compression.
 */
export class WordIndexes1780000000012 implements MigrationInterface {
  name = 'WordIndexes1780000000012';

  async up(db: QueryRunner): Promise<void> {
    for (const index of MERGED) await db.query(`ALTER INDEX ${index} SET (gin_pending_list_limit = 32768)`);
    for (const table of TABLES) await db.query(`ALTER TABLE ${table} ALTER words SET STORAGE EXTERNAL`);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of TABLES) await db.query(`ALTER TABLE ${table} ALTER words SET STORAGE EXTENDED`);
    for (const index of MERGED) await db.query(`ALTER INDEX ${index} RESET (gin_pending_list_limit)`);
  }
}
