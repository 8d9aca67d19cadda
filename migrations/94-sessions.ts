import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The session of a trace, with what lists of sessions show of it. A column of an older trace is null until search reads the trace
 * again, after its next change.
 */
export class Sessions1780000000094 implements MigrationInterface {
  name = 'Sessions1780000000094';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE trace_search
        ADD COLUMN session_id text,
        ADD COLUMN start_ns bigint,
        ADD COLUMN error_message text`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE trace_search DROP COLUMN session_id, DROP COLUMN start_ns, DROP COLUMN error_message`);
  }
}
