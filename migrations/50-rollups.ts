import type { MigrationInterface, QueryRunner } from 'typeorm';

const HOUR_NS = 3_600_000_000_000;

/** The rows that are added up, and the hour in UTC in which one of them began. */
const ROLLUPS = [
  { rows: 'request_logs', name: 'request', hour: `date_bin('1 hour', request_start_time, '2000-01-01 00:00:00+00')` },
  {
    rows: 'traces',
    name: 'trace',
    // Divisions of negative numbers round towards zero.
    hour: `to_timestamp((start_ns / ${HOUR_NS} - (start_ns % ${HOUR_NS} < 0)::int) * 3600)`,
  },
];

/**
 * Sums of request logs and traces by the hour, and which hours have to be added up anew.
 *
 * Triggers note the hours of all rows that are inserted, updated or deleted, whoever does it, in the same transaction. They only
 * ever insert, so writers do not wait for each other. Everything that is there before is left to the workers: "-infinity" stands
 * for all hours of a workspace.
 */
export class Rollups1780000000050 implements MigrationInterface {
  name = 'Rollups1780000000050';

  async up(db: QueryRunner): Promise<void> {
    for (const rollup of ROLLUPS) {
      await createTables(db, rollup.name);
      await createTriggers(db, rollup);
      await db.query(
        `INSERT INTO ${rollup.name}_hour_changes (workspace_id, hour) SELECT id, '-infinity' FROM workspaces`,
      );
    }
  }

  async down(db: QueryRunner): Promise<void> {
    for (const { name, rows } of ROLLUPS) {
      for (const event of ['inserted', 'updated', 'deleted']) {
        await db.query(`DROP TRIGGER ${rows}_hours_${event} ON ${rows}`);
      }
      await db.query(`DROP FUNCTION note_${name}_hours, note_updated_${name}_hours`);
      await db.query(`DROP TABLE ${name}_hours, ${name}_hour_changes`);
    }
  }
}

async function createTables(db: QueryRunner, name: string): Promise<void> {
  await db.query(`
    CREATE TABLE ${name}_hour_changes (
      workspace_id integer NOT NULL,
      hour timestamptz NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
      CONSTRAINT ${name}_hour_changes_pkey PRIMARY KEY (workspace_id, hour, id)
    )`);
  await db.query(`
    CREATE TABLE ${name}_hours (
      workspace_id integer NOT NULL,
      facet text COLLATE "C" NOT NULL,
      hour timestamptz NOT NULL,
      count integer NOT NULL,
      failed integer NOT NULL,
      unpriced integer NOT NULL,
      input_tokens bigint NOT NULL,
      output_tokens bigint NOT NULL,
      facets_cut boolean NOT NULL,
      cost numeric NOT NULL,
      latencies bytea NOT NULL,
      CONSTRAINT ${name}_hours_pkey PRIMARY KEY (workspace_id, facet, hour)
    )`);
  // By the hour they are deleted, and it is found out which values are missing.
  await db.query(`CREATE INDEX ${name}_hours_hour_idx ON ${name}_hours (workspace_id, hour)`);
}

async function createTriggers(db: QueryRunner, { rows, name, hour }: (typeof ROLLUPS)[number]): Promise<void> {
  const note = (from: string): string => `
    BEGIN
      INSERT INTO ${name}_hour_changes (workspace_id, hour)
      SELECT DISTINCT workspace_id, hour FROM (SELECT workspace_id, ${hour} AS hour FROM ${from}) AS hours WHERE hour IS NOT NULL;
      RETURN NULL;
    END`;
  await db.query(`CREATE FUNCTION note_${name}_hours() RETURNS trigger LANGUAGE plpgsql AS $$${note('changed')}$$`);
  await db.query(`
    CREATE FUNCTION note_updated_${name}_hours() RETURNS trigger LANGUAGE plpgsql AS $$${note(
      '(SELECT * FROM before UNION ALL SELECT * FROM changed) AS old_and_new',
    )}$$`);
  const create = (event: string, when: string, functionName: string) =>
    db.query(`
      CREATE TRIGGER ${rows}_hours_${event} AFTER ${when}
          FOR EACH STATEMENT EXECUTE FUNCTION ${functionName}()`);
  await create('inserted', `INSERT ON ${rows} REFERENCING NEW TABLE AS changed`, `note_${name}_hours`);
  await create('deleted', `DELETE ON ${rows} REFERENCING OLD TABLE AS changed`, `note_${name}_hours`);
  await create(
    'updated',
    `UPDATE ON ${rows} REFERENCING OLD TABLE AS before NEW TABLE AS changed`,
    `note_updated_${name}_hours`,
  );
}
