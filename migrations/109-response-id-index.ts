import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './build-index.js';

/** Finds the spans of a trace by the id of their answer. */
export class ResponseIdIndex1780000000109 implements MigrationInterface {
  name = 'ResponseIdIndex1780000000109';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    const definition = 'spans (workspace_id, trace_id, response_id) WHERE response_id IS NOT NULL';
    await buildIndex(db, 'spans_response_idx', definition);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX spans_response_idx');
  }
}
