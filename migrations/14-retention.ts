import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How long workspaces keep what they logged, and when the sweep has last been through what has no date of its own. */
export class Retention1780000000014 implements MigrationInterface {
  name = 'Retention1780000000014';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE retention_policies (
        workspace_id integer NOT NULL,
        traces_days integer,
        request_logs_days integer,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        sources_checked_at timestamptz,
        words_checked_at timestamptz,
        CONSTRAINT retention_policies_pkey PRIMARY KEY (workspace_id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE retention_policies`);
  }
}
