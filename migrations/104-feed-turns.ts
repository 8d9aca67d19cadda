import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Feeds without work are idle, so that claims need not look at them; since when a feed is behind; what expired during a pause. */
export class FeedTurns1780000000104 implements MigrationInterface {
  name = 'FeedTurns1780000000104';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE feeds
        ADD COLUMN served_at timestamptz NOT NULL DEFAULT now(),
        ADD COLUMN state_since timestamptz(3) NOT NULL DEFAULT now(),
        ADD COLUMN behind_since timestamptz(3),
        ADD COLUMN expired_from timestamptz(3),
        ADD COLUMN expired_until timestamptz(3)`);
    await db.query(
      `CREATE INDEX feeds_open_idx ON feeds (workspace_id, served_at) WHERE state = 'active' AND status IN ('queued', 'running')`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX feeds_open_idx');
    await db.query(`UPDATE feeds SET status = 'queued' WHERE status = 'idle'`);
    await db.query(`
      ALTER TABLE feeds
        DROP COLUMN served_at, DROP COLUMN state_since, DROP COLUMN behind_since, DROP COLUMN expired_from, DROP COLUMN expired_until`);
  }
}
