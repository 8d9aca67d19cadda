import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns whose values say nothing to the planner. To look at them was half of what an ANALYZE of request logs took. */
const PAYLOADS = {
  request_logs: ['input', 'output', 'parameters', 'metadata', 'prompt_input_variables', 'output_data', 'tracked'],
  spans: ['attributes', 'events', 'links'],
  span_search: ['output_values', 'input_variables', 'attributes_deep'],
  trace_search: ['workflows', 'metadata'],
};

/**
 * What ingestion has to keep up and nobody needs. Only the export of all spans read them by their start, and it may sort
 * them. The list of pending facets was merged once in 12,000 logs, for which all that were under way waited 80 ms; now it
 * is short.
 */
export class IngestionUpkeep1780000000014 implements MigrationInterface {
  name = 'IngestionUpkeep1780000000014';

  async up(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX spans_start_idx');
    await db.query('ALTER INDEX request_logs_facets_idx SET (gin_pending_list_limit = 256)');
    await this.setStatistics(db, 0);
  }

  async down(db: QueryRunner): Promise<void> {
    await this.setStatistics(db, -1);
    await db.query('ALTER INDEX request_logs_facets_idx RESET (gin_pending_list_limit)');
    await db.query('CREATE INDEX spans_start_idx ON spans (workspace_id, start_ns DESC)');
  }

  /** -1 is the default of the server. What is known already stays until the next ANALYZE. */
  private async setStatistics(db: QueryRunner, target: number): Promise<void> {
    for (const [table, columns] of Object.entries(PAYLOADS)) {
      const changes = columns.map((column) => `ALTER ${column} SET STATISTICS ${target}`);
      await db.query(`ALTER TABLE ${table} ${changes.join(', ')}`);
    }
  }
}
