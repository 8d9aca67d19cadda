import type { MigrationInterface, QueryRunner } from 'typeorm';

/** New events are handed on workspace by workspace: one with many of them must not be in the way of the others. */
export class EventTurns1780000000019 implements MigrationInterface {
  name = 'EventTurns1780000000019';

  async up(db: QueryRunner): Promise<void> {
    await this.index(db, 'workspace_id, occurred_at, id');
  }

  async down(db: QueryRunner): Promise<void> {
    await this.index(db, 'occurred_at');
  }

  private async index(db: QueryRunner, columns: string): Promise<void> {
    await db.query('DROP INDEX outbox_events_new_idx');
    await db.query(`CREATE INDEX outbox_events_new_idx ON outbox_events (${columns}) WHERE fanned_out_at IS NULL`);
  }
}
