import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The labels of a workspace that only some may create, move or delete. */
export class ProtectedLabels1780000000066 implements MigrationInterface {
  name = 'ProtectedLabels1780000000066';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE workspaces ADD COLUMN protected_labels text[] NOT NULL DEFAULT '{}'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE workspaces DROP COLUMN protected_labels');
  }
}
