import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './build-index.js';

/** The names of scores are listed, and the scores of a name are added up. */
export class ScoresByName1780000000105 implements MigrationInterface {
  name = 'ScoresByName1780000000105';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await buildIndex(db, 'request_scores_name_idx', 'request_scores (workspace_id, name, log_id) INCLUDE (score)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX request_scores_name_idx');
  }
}
