import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calculations of all sheets of a workspace are listed by time. */
export class CalculationList1780000000103 implements MigrationInterface {
  name = 'CalculationList1780000000103';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      'CREATE INDEX scorecard_calculations_time_idx ON scorecard_calculations (workspace_id, created_at DESC, id DESC)',
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX scorecard_calculations_time_idx');
  }
}
