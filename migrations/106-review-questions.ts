import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Review queues with several questions. The first one stays in the columns that queues with one question have. */
export class ReviewQuestions1780000000106 implements MigrationInterface {
  name = 'ReviewQuestions1780000000106';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE review_queues ADD COLUMN question_name text, ADD COLUMN more_questions jsonb');
    await db.query('ALTER TABLE review_items ADD COLUMN more_results jsonb');
    await db.query('ALTER TABLE review_answers ADD COLUMN more_answers jsonb');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE review_answers DROP COLUMN more_answers');
    await db.query('ALTER TABLE review_items DROP COLUMN more_results');
    await db.query('ALTER TABLE review_queues DROP COLUMN more_questions, DROP COLUMN question_name');
  }
}
