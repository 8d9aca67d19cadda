import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The models that columns of a workspace call when they name none. */
export class DefaultModels1780000000039 implements MigrationInterface {
  name = 'DefaultModels1780000000039';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE workspace_settings ADD COLUMN default_model text, ADD COLUMN embedding_model text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE workspace_settings DROP COLUMN default_model, DROP COLUMN embedding_model');
  }
}
