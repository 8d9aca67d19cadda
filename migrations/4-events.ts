import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The outbox of events, and how far each of their consumers has come. */
export class Events1780000000004 implements MigrationInterface {
  name = 'Events1780000000004';

  async up(db: QueryRunner): Promise<void> {
    await this.createOutbox(db);
    await this.createConsumers(db);
    await this.startWebhooks(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE event_positions, event_consumers, outbox_events`);
  }

  private async createOutbox(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE outbox_events (
        workspace_id integer NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        xid bigint NOT NULL DEFAULT txid_current(),
        key_id integer,
        occurred_at timestamptz NOT NULL DEFAULT now(),
        type text NOT NULL,
        request_id text NOT NULL,
        details jsonb NOT NULL,
        CONSTRAINT outbox_events_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX outbox_events_occurred_idx ON outbox_events (occurred_at)`);
    // Consumers look for the events of transactions that they have not seen.
    await db.query(`CREATE INDEX outbox_events_xid_idx ON outbox_events (workspace_id, xid, id)`);
  }

  private async createConsumers(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE event_consumers (
        name text NOT NULL,
        seen_xmax bigint NOT NULL,
        seen_open bigint[] NOT NULL,
        server bigint NOT NULL,
        CONSTRAINT event_consumers_pkey PRIMARY KEY (name)
      )`);
    await db.query(`
      CREATE TABLE event_positions (
        workspace_id integer NOT NULL,
        consumer text NOT NULL,
        seen_xmax bigint NOT NULL,
        seen_open bigint[] NOT NULL,
        next_xmax bigint,
        next_open bigint[],
        event_id bigint,
        attempts smallint NOT NULL DEFAULT 0,
        next_attempt_at timestamptz(3),
        CONSTRAINT event_positions_pkey PRIMARY KEY (workspace_id, consumer)
      ) WITH (fillfactor = 50)`);
  }

  /**
   * Other consumers get what happens after a worker that knows them has first started. Webhooks get all events, also those of
   * an api that started before the first worker. Transactions that are open now have lower numbers and may still announce some.
   */
  private async startWebhooks(db: QueryRunner): Promise<void> {
    await db.query(`
      INSERT INTO event_consumers (name, seen_xmax, seen_open, server)
      SELECT 'webhooks', txid_current(), ARRAY(SELECT xid FROM txid_snapshot_xip(txid_current_snapshot()) AS xid
                                                WHERE xid < txid_current()), system_identifier
        FROM pg_control_system()`);
  }
}
