import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The id that a model's service gave its answer, by which two spans of one call find each other. Spans that are stored already, and
 * those of processes of the release before, have none: they are compared by what they say, as before.
 *
 * Answers that are JSON, as they were written: filters look at them beside their lines of paths and values. Exports say whether traces
 * were still waiting for search when they were read.
 */
export class ResponseIds1780000000078 implements MigrationInterface {
  name = 'ResponseIds1780000000078';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE spans ADD COLUMN response_id text COLLATE "C"');
    await db.query('ALTER TABLE span_search ADD COLUMN answer text');
    await db.query('ALTER TABLE exports ADD COLUMN is_partial boolean NOT NULL DEFAULT false');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE exports DROP COLUMN is_partial');
    await db.query('ALTER TABLE span_search DROP COLUMN answer');
    await db.query('ALTER TABLE spans DROP COLUMN response_id');
  }
}
