import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './build-index.js';

/** Lists of sessions. Ids may be long: an index has their beginning, so that an entry fits a page. */
export class SessionIndexes1780000000108 implements MigrationInterface {
  name = 'SessionIndexes1780000000108';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await buildIndex(
      db,
      'trace_search_session_idx',
      `trace_search (workspace_id, "left"(session_id, 200), start_ns, trace_id) WHERE session_id IS NOT NULL`,
    );
    await buildIndex(
      db,
      'trace_search_sessions_idx',
      'trace_search (workspace_id, start_ns, trace_id) WHERE session_id IS NOT NULL',
    );
    await buildIndex(
      db,
      'trace_search_user_sessions_idx',
      `trace_search (workspace_id, "left"(user_id, 200), start_ns, trace_id) WHERE session_id IS NOT NULL AND user_id IS NOT NULL`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX trace_search_user_sessions_idx, trace_search_sessions_idx, trace_search_session_idx');
  }
}
