import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Monitors and their alerts. At most one alert of a group of a monitor is open. */
export class Monitors1780000000098 implements MigrationInterface {
  name = 'Monitors1780000000098';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE monitors (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        definition jsonb NOT NULL,
        state text NOT NULL DEFAULT 'active',
        latest jsonb NOT NULL DEFAULT '[]',
        recent jsonb NOT NULL DEFAULT '[]',
        problem text,
        evaluated_to timestamptz(3),
        due_at timestamptz(3) NOT NULL DEFAULT now(),
        attempts smallint NOT NULL DEFAULT 0,
        claim uuid,
        lease_until timestamptz,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT monitors_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query('CREATE INDEX monitors_created_idx ON monitors (workspace_id, created_at, id)');
    await db.query(`CREATE INDEX monitors_due_idx ON monitors (workspace_id, due_at) WHERE state = 'active'`);
    await db.query(`
      CREATE TABLE monitor_alerts (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        monitor_id uuid NOT NULL,
        group_key text NOT NULL,
        group_label text NOT NULL,
        cause text NOT NULL,
        state text NOT NULL DEFAULT 'open',
        opened_at timestamptz(3) NOT NULL,
        closed_at timestamptz(3),
        closing text,
        fine_since timestamptz(3),
        empty_since timestamptz(3),
        repeated_at timestamptz(3),
        first_verdict jsonb NOT NULL,
        last_verdict jsonb NOT NULL,
        definition jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT monitor_alerts_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT monitor_alerts_monitor_id_fkey FOREIGN KEY (workspace_id, monitor_id)
          REFERENCES monitors (workspace_id, id) ON DELETE CASCADE
      )`);
    await db.query(
      'CREATE INDEX monitor_alerts_created_idx ON monitor_alerts (workspace_id, monitor_id, created_at, id)',
    );
    await db.query(`
      CREATE UNIQUE INDEX monitor_alerts_open_key ON monitor_alerts (workspace_id, monitor_id, group_key) WHERE state = 'open'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE monitor_alerts, monitors');
  }
}
