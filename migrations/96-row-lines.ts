import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many lines of text a row of a sheet shows. */
export class RowLines1780000000096 implements MigrationInterface {
  name = 'RowLines1780000000096';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE sheet_views ADD COLUMN row_lines smallint NOT NULL DEFAULT 1');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE sheet_views DROP COLUMN row_lines');
  }
}
