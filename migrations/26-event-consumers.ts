import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events get any number of consumers, each with a position of its own. What webhooks have not got yet is still before them. */
export class EventConsumers1780000000026 implements MigrationInterface {
  name = 'EventConsumers1780000000026';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE outbox_events ADD xid bigint NOT NULL DEFAULT 0');
    await db.query('ALTER TABLE outbox_events ALTER xid SET DEFAULT txid_current()');
    await db.query('UPDATE outbox_events SET xid = DEFAULT WHERE fanned_out_at IS NULL');
    await db.query('ALTER TABLE outbox_events DROP fanned_out_at');
    await db.query('CREATE INDEX outbox_events_xid_idx ON outbox_events (workspace_id, xid, id)');
    await this.createTables(db);
    // What is open now may be waiting for the lock on the events, to announce some.
    await db.query(`
      INSERT INTO event_consumers (name, seen_xmax, seen_open, server)
      SELECT 'webhooks', txid_current(), ARRAY(SELECT xid FROM txid_snapshot_xip(txid_current_snapshot()) AS xid
                                                WHERE xid < txid_current()), system_identifier
        FROM pg_control_system()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE outbox_events ADD fanned_out_at timestamptz(3)');
    await db.query(`
      UPDATE outbox_events e SET fanned_out_at = now()
        FROM outbox_events o JOIN event_consumers c ON c.name = 'webhooks'
        LEFT JOIN event_positions p ON p.workspace_id = o.workspace_id AND p.consumer = c.name
       WHERE e.workspace_id = o.workspace_id AND e.id = o.id
         AND (o.xid < coalesce(p.seen_xmax, c.seen_xmax) AND o.xid <> ALL (coalesce(p.seen_open, c.seen_open))
              OR o.id <= p.event_id AND o.xid < p.next_xmax AND o.xid <> ALL (p.next_open))`);
    await db.query('DROP TABLE event_positions, event_consumers');
    await db.query('ALTER TABLE outbox_events DROP xid');
    await db.query(
      'CREATE INDEX outbox_events_new_idx ON outbox_events (workspace_id, occurred_at, id) WHERE fanned_out_at IS NULL',
    );
  }

  private async createTables(db: QueryRunner): Promise<void> {
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
}
