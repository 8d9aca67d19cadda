import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES_OF_WORDS = ['request_log_search', 'trace_search'];

/**
 * Which words stand beside each other, so that looking for a phrase of common words need not read all texts that have the
 * words. What was indexed before has none and is looked at itself, as it was; bits that are all alike likely are not
 * worth compressing.
 */
export class WordPairs1780000000016 implements MigrationInterface {
  name = 'WordPairs1780000000016';

  async up(db: QueryRunner): Promise<void> {
    for (const table of INDEXES_OF_WORDS) {
      await db.query(`ALTER TABLE ${table} ADD word_pairs bytea`);
      await db.query(`ALTER TABLE ${table} ALTER word_pairs SET STORAGE EXTERNAL, ALTER word_pairs SET STATISTICS 0`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of INDEXES_OF_WORDS) await db.query(`ALTER TABLE ${table} DROP word_pairs`);
  }
}
