import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many cells of an operation have the result of earlier ones. Processes of the release before count none. */
export class ReusedCells1780000000076 implements MigrationInterface {
  name = 'ReusedCells1780000000076';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE executions ADD COLUMN reused_count integer NOT NULL DEFAULT 0');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE executions DROP COLUMN reused_count');
  }
}
