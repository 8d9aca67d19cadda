import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Operations that somebody has asked for call models again. Processes of the release before know nothing of it: what they start
 * reuses results as they did.
 */
export class AskingAgain1780000000073 implements MigrationInterface {
  name = 'AskingAgain1780000000073';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE executions ADD COLUMN asks_again boolean NOT NULL DEFAULT false');
    await db.query('ALTER TABLE cell_memo ADD COLUMN origin uuid');
    await db.query('ALTER TABLE reports ADD COLUMN reuses_results boolean NOT NULL DEFAULT false');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE reports DROP COLUMN reuses_results');
    await db.query('ALTER TABLE cell_memo DROP COLUMN origin');
    await db.query('ALTER TABLE executions DROP COLUMN asks_again');
  }
}
