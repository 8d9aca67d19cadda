import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which scores clients have added to a log after the call. Of those that are there it is not known: none of them is lost. */
export class TrackedScores1780000000025 implements MigrationInterface {
  name = 'TrackedScores1780000000025';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE request_scores ADD tracked boolean NOT NULL DEFAULT true');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE request_scores DROP tracked');
  }
}
