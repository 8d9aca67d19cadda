import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sheets and columns say whose they are, so that datasets, evaluations and scorecards can use the grid of tables. */
export class GridOwners1780000000027 implements MigrationInterface {
  name = 'GridOwners1780000000027';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE sheets
        ADD owner text NOT NULL DEFAULT 'table',
        ALTER table_id DROP NOT NULL,
        ADD CONSTRAINT sheets_owner_check CHECK ((owner = 'table') = (table_id IS NOT NULL))`);
    await db.query(`ALTER TABLE sheet_columns ADD owner text NOT NULL DEFAULT 'sheet'`);
    await db.query(`UPDATE sheet_columns SET owner = 'metadata' WHERE type = 'EXECUTION_METADATA'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE sheet_columns DROP owner');
    await db.query('ALTER TABLE sheets DROP CONSTRAINT sheets_owner_check, ALTER table_id SET NOT NULL, DROP owner');
  }
}
