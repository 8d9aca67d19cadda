import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sums by the hour, by their table. */
const SUMS = ['request_hours', 'trace_hours'];

/**
 * Who made a call or a trace, and the deployment environment that it is from. What is stored already counts as made by
 * applications, from no known environment. Sums of hours are kept by origin, so that filters by it are answered from them.
 *
 * Not a transaction: logs and traces must not stay locked while the keys of the sums are built. An interrupted run is continued.
 */
export class Origins1780000000092 implements MigrationInterface {
  name = 'Origins1780000000092';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    for (const table of ['request_logs', 'traces']) {
      await db.query(`
        ALTER TABLE ${table}
          ADD COLUMN IF NOT EXISTS origin text COLLATE "C" NOT NULL DEFAULT 'application',
          ADD COLUMN IF NOT EXISTS environment text COLLATE "C"`);
    }
    for (const table of SUMS) {
      if (await db.hasColumn(table, 'origin')) continue;
      await db.query(`
        ALTER TABLE ${table}
          ADD COLUMN origin text COLLATE "C" NOT NULL DEFAULT 'application',
          DROP CONSTRAINT ${table}_pkey,
          ADD CONSTRAINT ${table}_pkey PRIMARY KEY (workspace_id, facet, hour, origin)`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of SUMS) {
      await db.query(`DELETE FROM ${table} WHERE origin <> 'application'`);
      await db.query(`
        ALTER TABLE ${table}
          DROP CONSTRAINT ${table}_pkey,
          DROP COLUMN origin,
          ADD CONSTRAINT ${table}_pkey PRIMARY KEY (workspace_id, facet, hour)`);
      const changes = table.replace('_hours', '_hour_changes');
      await db.query(`INSERT INTO ${changes} (workspace_id, hour) SELECT id, '-infinity' FROM workspaces`);
    }
    for (const table of ['request_logs', 'traces']) {
      await db.query(`ALTER TABLE ${table} DROP COLUMN environment, DROP COLUMN origin`);
    }
  }
}
