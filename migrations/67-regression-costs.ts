import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a search for a regression may cost and has cost, and the order in which the searches of a sheet are listed. */
export class RegressionCosts1780000000067 implements MigrationInterface {
  name = 'RegressionCosts1780000000067';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE regressions
        ADD COLUMN max_cost double precision,
        ADD COLUMN cost double precision NOT NULL DEFAULT 0,
        ADD COLUMN scratch_execution_id uuid`);
    await db.query('CREATE INDEX regressions_created_idx ON regressions (workspace_id, sheet_id, created_at, id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX regressions_created_idx');
    await db.query('ALTER TABLE regressions DROP COLUMN scratch_execution_id, DROP COLUMN cost, DROP COLUMN max_cost');
  }
}
