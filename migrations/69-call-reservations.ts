import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the calls under way of operations with `max_cost` may cost, and the most that a cell of each column has cost. Processes of
 * the release before reserve nothing.
 */
export class CallReservations1780000000069 implements MigrationInterface {
  name = 'CallReservations1780000000069';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE executions ADD COLUMN dearest_cells jsonb NOT NULL DEFAULT '{}'`);
    await db.query(`
      CREATE TABLE call_reservations (
        workspace_id integer NOT NULL,
        execution_id uuid NOT NULL,
        claim uuid NOT NULL,
        column_key bigint NOT NULL,
        row_index integer NOT NULL,
        amount double precision NOT NULL,
        CONSTRAINT call_reservations_pkey PRIMARY KEY (workspace_id, execution_id, claim, column_key, row_index),
        CONSTRAINT call_reservations_execution_id_fkey FOREIGN KEY (workspace_id, execution_id)
          REFERENCES executions (workspace_id, id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE call_reservations');
    await db.query('ALTER TABLE executions DROP COLUMN dearest_cells');
  }
}
