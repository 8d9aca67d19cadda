import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The order in which traces and request logs arrived, for feeds. Logs that are new are distinguished from changed ones in the queue of search. */
export class Arrivals1780000000100 implements MigrationInterface {
  name = 'Arrivals1780000000100';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE arrival_logs (
        workspace_id integer NOT NULL,
        kind text NOT NULL,
        last_seq bigint NOT NULL DEFAULT 0,
        CONSTRAINT arrival_logs_pkey PRIMARY KEY (workspace_id, kind)
      )`);
    await db.query(`
      CREATE TABLE arrivals (
        workspace_id integer NOT NULL,
        kind text NOT NULL,
        seq bigint NOT NULL,
        item_id text COLLATE "C" NOT NULL,
        arrived_at timestamptz(3) NOT NULL DEFAULT now(),
        quiet_seconds integer,
        known integer[] NOT NULL DEFAULT '{}',
        current integer[] NOT NULL DEFAULT '{}',
        CONSTRAINT arrivals_pkey PRIMARY KEY (workspace_id, kind, seq)
      )`);
    await db.query('CREATE INDEX arrivals_item_idx ON arrivals (workspace_id, kind, item_id)');
    await db.query(`
      CREATE TABLE open_traces (
        workspace_id integer NOT NULL,
        trace_id text COLLATE "C" NOT NULL,
        changed_at timestamptz NOT NULL DEFAULT now(),
        span_count integer NOT NULL,
        arrived_waits integer[] NOT NULL DEFAULT '{}',
        CONSTRAINT open_traces_pkey PRIMARY KEY (workspace_id, trace_id)
      )`);
    await db.query('CREATE INDEX open_traces_changed_idx ON open_traces (workspace_id, changed_at)');
    await db.query('ALTER TABLE trace_search ADD COLUMN arrived_waits integer[], ADD COLUMN arrived_spans integer');
    await db.query('ALTER TABLE request_log_search_queue ADD COLUMN is_new boolean NOT NULL DEFAULT false');
    await db.query(queueChangedLogs(`TG_OP = 'INSERT'`));
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(queueChangedLogs(null));
    await db.query('ALTER TABLE request_log_search_queue DROP COLUMN is_new');
    await db.query('ALTER TABLE trace_search DROP COLUMN arrived_waits, DROP COLUMN arrived_spans');
    await db.query('DROP TABLE open_traces');
    await db.query('DROP TABLE arrivals');
    await db.query('DROP TABLE arrival_logs');
  }
}

/** The trigger of migration 51. A row that waits already stays as it is, so a new log that is changed is still new. */
function queueChangedLogs(isNew: string | null): string {
  const [column, value] = isNew === null ? ['', ''] : [', is_new', `, ${isNew}`];
  return `
    CREATE OR REPLACE FUNCTION queue_changed_logs() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO request_log_search_queue (workspace_id, log_id${column})
      SELECT workspace_id, id${value} FROM changed ORDER BY workspace_id, id ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $$`;
}
