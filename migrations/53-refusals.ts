import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A way for a statement to end its transaction and say why.
 *
 * The function is immutable, since whatever is given to it becomes of it: a volatile one could not be distributed where it stands
 * in DO UPDATE. So its reason must name a column, or the planner would raise the error before there are any rows.
 */
export class Refusals1780000000053 implements MigrationInterface {
  name = 'Refusals1780000000053';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION refuse_transaction(reason text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
      BEGIN
        RAISE EXCEPTION USING ERRCODE = 'TS001', MESSAGE = reason;
      END $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION refuse_transaction');
  }
}
