import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Imports can be cancelled: whoever carries one out sees it and takes back what was written. */
export class CancelledImports1780000000055 implements MigrationInterface {
  name = 'CancelledImports1780000000055';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE import_operations ADD COLUMN cancelled_at timestamptz(3)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE import_operations DROP COLUMN cancelled_at');
  }
}
