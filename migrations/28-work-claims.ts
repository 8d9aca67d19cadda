import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Every claim on an import or export has a number of its own: a count of attempts was used again after a give back. */
export class WorkClaims1780000000028 implements MigrationInterface {
  name = 'WorkClaims1780000000028';

  async up(db: QueryRunner): Promise<void> {
    for (const table of ['import_operations', 'exports']) await db.query(`ALTER TABLE ${table} ADD claim uuid`);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of ['import_operations', 'exports']) await db.query(`ALTER TABLE ${table} DROP claim`);
  }
}
