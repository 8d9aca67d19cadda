import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Since when logs wait for the search index. Traces have the time at which they are due. A log that changes while it waits keeps its time. */
export class SearchLag1780000000080 implements MigrationInterface {
  name = 'SearchLag1780000000080';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE request_log_search_queue ADD COLUMN queued_at timestamptz NOT NULL DEFAULT now()');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE request_log_search_queue DROP COLUMN queued_at');
  }
}
