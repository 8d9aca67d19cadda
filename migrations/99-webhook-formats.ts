import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How a webhook writes events: as JSON, or as messages of chat systems. */
export class WebhookFormats1780000000099 implements MigrationInterface {
  name = 'WebhookFormats1780000000099';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE webhooks ADD COLUMN format text NOT NULL DEFAULT 'json'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE webhooks DROP COLUMN format');
  }
}
