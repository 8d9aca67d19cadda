import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Everything but the payloads, of which there are no statistics at all. */
const COLUMNS = `
  SELECT attname AS column FROM pg_attribute
   WHERE attrelid = 'request_logs'::regclass AND attnum > 0 AND NOT attisdropped
     AND coalesce(attstattarget, -1) <> $1`;
const NONE = 0;
/** Of 100, which is the default of the server. */
const FEWER = 50;

/**
 * The server looks at 300 request logs for every unit of the statistics that are kept of a column, and with as many
 * columns as these that took a processor for more than a second, once a minute while logs come in quickly.
 */
export class LogStatistics1780000000015 implements MigrationInterface {
  name = 'LogStatistics1780000000015';

  async up(db: QueryRunner): Promise<void> {
    await this.setStatistics(db, FEWER);
  }

  async down(db: QueryRunner): Promise<void> {
    await this.setStatistics(db, -1);
  }

  private async setStatistics(db: QueryRunner, target: number): Promise<void> {
    const columns = (await db.query(COLUMNS, [NONE])) as { column: string }[];
    const changes = columns.map(({ column }) => `ALTER ${column} SET STATISTICS ${target}`);
    await db.query(`ALTER TABLE request_logs ${changes.join(', ')}`);
  }
}
