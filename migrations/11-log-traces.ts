import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The request logs of a trace are found by its id. */
export class LogTraces1780000000011 implements MigrationInterface {
  name = 'LogTraces1780000000011';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `CREATE INDEX request_logs_trace_idx ON request_logs (workspace_id, trace_id) WHERE trace_id IS NOT NULL`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP INDEX request_logs_trace_idx`);
  }
}
