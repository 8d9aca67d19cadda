import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who says what a call has cost. Of logs that are there already it is not known. */
export class PricedBy1780000000030 implements MigrationInterface {
  name = 'PricedBy1780000000030';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE request_logs ADD priced_by text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE request_logs DROP priced_by');
  }
}
