import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES_OF_WORDS = ['request_log_search', 'trace_search'];

/**
 * Which words stand beside each other, so that looking for a phrase of common words need not read all texts that have the
 * words. What was indexed before has none and is looked at itself, as it was. Bits that are as good as random are not worth
 * compressing.
 */
export class WordPairs1780000000016 implements MigrationInterface {
  name = 'WordPairs1780000000016';

  async up(db: QueryRunner): Promise<void> {
    for (const table of INDEXES_OF_WORDS) {
      await db.query(`ALTER TABLE ${table} ADD word_pairs bytea`);
      await db.query(`ALTER TABLE ${table} ALTER word_pairs SET STORAGE EXTERNAL, ALTER word_pairs SET STATISTICS 0`);
    }
    // Out of line, as the words are: most searches look for single words, and the fewer pages those have to read the better.
    await db.query('ALTER TABLE request_log_search SET (toast_tuple_target = 128)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE request_log_search RESET (toast_tuple_target)');
    for (const table of INDEXES_OF_WORDS) await db.query(`ALTER TABLE ${table} DROP word_pairs`);
  }
}
