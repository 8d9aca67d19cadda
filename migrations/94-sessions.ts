import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The session of a trace, with what lists of sessions show of it. A column of an older trace is null until search reads the trace
 * again, after its next change. Ids may be long: an index has their beginning, so that an entry fits a page.
 */
export class Sessions1780000000094 implements MigrationInterface {
  name = 'Sessions1780000000094';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE trace_search
        ADD COLUMN session_id text,
        ADD COLUMN start_ns bigint,
        ADD COLUMN error_message text`);
    await db.query(`
      CREATE INDEX trace_search_session_idx ON trace_search (workspace_id, "left"(session_id, 200), start_ns, trace_id)
        WHERE session_id IS NOT NULL`);
    await db.query(`
      CREATE INDEX trace_search_sessions_idx ON trace_search (workspace_id, start_ns, trace_id)
        WHERE session_id IS NOT NULL`);
    await db.query(`
      CREATE INDEX trace_search_user_sessions_idx ON trace_search (workspace_id, "left"(user_id, 200), start_ns, trace_id)
        WHERE session_id IS NOT NULL AND user_id IS NOT NULL`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE trace_search DROP COLUMN session_id, DROP COLUMN start_ns, DROP COLUMN error_message`);
  }
}
