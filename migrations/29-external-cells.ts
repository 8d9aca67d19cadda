import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Cells that wait for something outside: tasks can be taken in parts, results are reused while their inputs are the same,
 * and cells keep what they cost.
 */
export class ExternalCells1780000000029 implements MigrationInterface {
  name = 'ExternalCells1780000000029';

  async up(db: QueryRunner): Promise<void> {
    await this.splitTasks(db);
    await db.query(`
      ALTER TABLE executions
        DROP skips_blank_rows,
        ADD is_forced boolean NOT NULL DEFAULT false,
        ADD max_cost double precision,
        ADD cost double precision NOT NULL DEFAULT 0,
        ADD message text`);
    await db.query(`ALTER TABLE sheets ADD auto_recalculate text NOT NULL DEFAULT 'off'`);
    for (const table of ['cells', 'cell_history']) await db.query(`ALTER TABLE ${table} ADD metrics jsonb`);
    await this.createMemo(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE cell_memo');
    for (const table of ['cells', 'cell_history']) await db.query(`ALTER TABLE ${table} DROP metrics`);
    await db.query('ALTER TABLE sheets DROP auto_recalculate');
    await db.query(`
      ALTER TABLE executions DROP message, DROP cost, DROP max_cost, DROP is_forced,
        ADD skips_blank_rows boolean NOT NULL DEFAULT false`);
    await this.joinTasks(db);
  }

  private async splitTasks(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE computation_tasks
        DROP CONSTRAINT computation_tasks_pkey,
        ADD id bigint GENERATED ALWAYS AS IDENTITY,
        ADD is_external boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT computation_tasks_pkey PRIMARY KEY (workspace_id, id)`);
    await db.query(
      'CREATE INDEX computation_tasks_turn_idx ON computation_tasks (is_external, workspace_id, chunk_no, rank, id)',
    );
    await db.query(
      'CREATE INDEX computation_tasks_chunk_idx ON computation_tasks (workspace_id, sheet_id, chunk_no, rank)',
    );
  }

  /** Parts of one task become one again. */
  private async joinTasks(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX computation_tasks_chunk_idx');
    await db.query('DROP INDEX computation_tasks_turn_idx');
    await db.query(`
      CREATE TEMPORARY TABLE joined_tasks ON COMMIT DROP AS
        SELECT workspace_id, sheet_id, chunk_no, rank, column_key, execution_id, range_agg(rows) AS rows
          FROM computation_tasks GROUP BY 1, 2, 3, 4, 5, 6`);
    await db.query('DELETE FROM computation_tasks');
    await db.query(`
      ALTER TABLE computation_tasks
        DROP CONSTRAINT computation_tasks_pkey, DROP id, DROP is_external,
        ADD CONSTRAINT computation_tasks_pkey
          PRIMARY KEY (workspace_id, sheet_id, chunk_no, rank, column_key, execution_id)`);
    await db.query(`
      INSERT INTO computation_tasks (workspace_id, sheet_id, chunk_no, rank, column_key, execution_id, rows)
      SELECT * FROM joined_tasks`);
  }

  private async createMemo(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE cell_memo (
        workspace_id integer NOT NULL,
        key bytea NOT NULL,
        value jsonb,
        metrics jsonb,
        computed_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT cell_memo_pkey PRIMARY KEY (workspace_id, key)
      )`);
    await db.query('ALTER TABLE cell_memo ALTER value SET STORAGE EXTERNAL');
    await db.query('CREATE INDEX cell_memo_computed_idx ON cell_memo (computed_at)');
  }
}
