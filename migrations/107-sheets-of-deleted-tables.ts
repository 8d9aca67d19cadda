import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deletes the sheets of deleted tables: until 0.3 they stayed, and those that follow their inputs went on to be computed. */
export class SheetsOfDeletedTables1780000000107 implements MigrationInterface {
  name = 'SheetsOfDeletedTables1780000000107';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      UPDATE sheets s SET deleted_at = t.deleted_at FROM tables t
       WHERE t.workspace_id = s.workspace_id AND t.id = s.table_id AND t.deleted_at IS NOT NULL AND s.deleted_at IS NULL`);
  }

  /** Sheets of deleted tables cannot be read, so nothing has to be put back. */
  async down(): Promise<void> {}
}
