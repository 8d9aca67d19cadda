import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Free space on the pages of cells: recalculating a column replaces all its cells, and those that find room on their own
 * page need no new index entry.
 */
export class CellSpace1780000000010 implements MigrationInterface {
  name = 'CellSpace1780000000010';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE cells SET (fillfactor = 70)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE cells SET (fillfactor = 90)`);
  }
}
