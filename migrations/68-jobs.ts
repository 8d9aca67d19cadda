import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The lists of all operations and of all imports of a workspace, by status: who has started an operation, and whether its cells
 * are those of a table. Processes of the release before leave both at their defaults.
 * And how much was refused at ingestion, by the hour.
 */
export class Jobs1780000000068 implements MigrationInterface {
  name = 'Jobs1780000000068';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE executions
        ADD COLUMN in_table boolean NOT NULL DEFAULT true,
        ADD COLUMN started_by text`);
    await db.query(
      'CREATE INDEX executions_listed_idx ON executions (workspace_id, status, created_at, id) WHERE in_table',
    );
    await db.query(`
      CREATE INDEX import_operations_listed_idx ON import_operations (workspace_id, status, created_at, id)
       WHERE table_id IS NOT NULL`);
    await db.query(`
      CREATE TABLE ingest_refusals (
        workspace_id integer NOT NULL,
        hour timestamptz(3) NOT NULL,
        what text NOT NULL,
        reason text NOT NULL,
        count bigint NOT NULL,
        last_at timestamptz(3) NOT NULL,
        CONSTRAINT ingest_refusals_pkey PRIMARY KEY (workspace_id, hour, what, reason)
      ) WITH (fillfactor = 70)`);
    await db.query('CREATE INDEX ingest_refusals_hour_idx ON ingest_refusals (hour)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE ingest_refusals');
    await db.query('DROP INDEX import_operations_listed_idx, executions_listed_idx');
    await db.query('ALTER TABLE executions DROP COLUMN started_by, DROP COLUMN in_table');
  }
}
