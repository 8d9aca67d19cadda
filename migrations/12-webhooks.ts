import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhooks and their deliveries. */
export class Webhooks1780000000012 implements MigrationInterface {
  name = 'Webhooks1780000000012';

  async up(db: QueryRunner): Promise<void> {
    // A worker leases a receiver and updates its row: free space keeps those updates on their page.
    await db.query(`
      CREATE TABLE webhooks (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        name text,
        url text NOT NULL,
        event_types text[],
        enabled boolean NOT NULL DEFAULT true,
        secret bytea NOT NULL,
        created_by integer,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        lease_until timestamptz,
        claims integer NOT NULL DEFAULT 0,
        CONSTRAINT webhooks_pkey PRIMARY KEY (workspace_id, id)
      ) WITH (fillfactor = 50)`);
    await this.createDeliveries(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE webhook_deliveries, webhooks`);
  }

  private async createDeliveries(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE webhook_deliveries (
        workspace_id integer NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        webhook_id integer NOT NULL,
        event_id bigint NOT NULL,
        event_type text NOT NULL,
        body text NOT NULL,
        status text NOT NULL DEFAULT 'pending',
        attempts smallint NOT NULL DEFAULT 0,
        next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
        last_attempt_at timestamptz(3),
        response_status smallint,
        response_body text,
        error text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (workspace_id, webhook_id)
          REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE,
        CONSTRAINT webhook_deliveries_event_id_fkey FOREIGN KEY (workspace_id, event_id)
          REFERENCES outbox_events (workspace_id, id) ON DELETE CASCADE
      ) WITH (fillfactor = 80)`);
    await db.query(
      `CREATE UNIQUE INDEX webhook_deliveries_event_key ON webhook_deliveries (workspace_id, event_id, webhook_id)`,
    );
    await db.query(`CREATE INDEX webhook_deliveries_webhook_idx ON webhook_deliveries (workspace_id, webhook_id, id)`);
    await db.query(
      `CREATE INDEX webhook_deliveries_due_idx ON webhook_deliveries (workspace_id, webhook_id, next_attempt_at) WHERE status = 'pending'`,
    );
  }
}
