import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys may end at a moment, and may count only when they come from certain networks. */
export class KeyLimits1780000000060 implements MigrationInterface {
  name = 'KeyLimits1780000000060';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE api_keys
        ADD COLUMN expires_at timestamptz(3),
        ADD COLUMN allowed_networks text[] NOT NULL DEFAULT '{}'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE api_keys DROP COLUMN expires_at, DROP COLUMN allowed_networks');
  }
}
