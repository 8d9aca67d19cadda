import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Feeds: rows that come into sheets as request logs and traces arrive. */
export class Feeds1780000000101 implements MigrationInterface {
  name = 'Feeds1780000000101';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE feeds (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        sheet_id uuid NOT NULL,
        name text NOT NULL,
        source text NOT NULL,
        settings jsonb NOT NULL,
        columns jsonb NOT NULL,
        revision integer NOT NULL DEFAULT 1,
        quiet_seconds integer NOT NULL,
        begins_at timestamptz(3) NOT NULL,
        state text NOT NULL DEFAULT 'active',
        paused_reason text,
        paused_message text,
        begin_seq bigint NOT NULL,
        position bigint NOT NULL,
        backfill jsonb,
        seen_version integer NOT NULL DEFAULT 0,
        execution_id uuid,
        failing_count integer NOT NULL DEFAULT 0,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        status text NOT NULL DEFAULT 'queued',
        attempts smallint NOT NULL DEFAULT 0,
        claim uuid,
        lease_until timestamptz,
        CONSTRAINT feeds_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT feeds_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
    await db.query('CREATE INDEX feeds_sheet_idx ON feeds (workspace_id, sheet_id, created_at, id)');
    await createItems(db);
    await createHours(db);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const table of ['feed_executions', 'feed_revisions', 'feed_hours', 'feed_items', 'feeds']) {
      await db.query(`DROP TABLE ${table}`);
    }
  }
}

/** Decisions that do not follow from the settings. */
async function createItems(db: QueryRunner): Promise<void> {
  await db.query(`
      CREATE TABLE feed_items (
        workspace_id integer NOT NULL,
        feed_id uuid NOT NULL,
        item_id text COLLATE "C" NOT NULL,
        decision text NOT NULL,
        decided_at timestamptz(3) NOT NULL DEFAULT now(),
        revision integer NOT NULL,
        row_index integer,
        version integer,
        is_settled boolean NOT NULL DEFAULT true,
        is_failed boolean NOT NULL DEFAULT false,
        published jsonb,
        CONSTRAINT feed_items_pkey PRIMARY KEY (workspace_id, feed_id, item_id),
        CONSTRAINT feed_items_feed_id_fkey FOREIGN KEY (workspace_id, feed_id) REFERENCES feeds (workspace_id, id)
      )`);
  await db.query(
    'CREATE INDEX feed_items_row_idx ON feed_items (workspace_id, feed_id, row_index) WHERE row_index IS NOT NULL',
  );
  await db.query(
    'CREATE INDEX feed_items_unsettled_idx ON feed_items (workspace_id, feed_id, row_index) WHERE NOT is_settled',
  );
  await db.query(
    'CREATE INDEX feed_items_decided_idx ON feed_items (workspace_id, feed_id, decided_at) WHERE row_index IS NULL',
  );
}

/** Numbers of decisions, settings over time, and the operations of a day. */
async function createHours(db: QueryRunner): Promise<void> {
  await db.query(`
      CREATE TABLE feed_hours (
        workspace_id integer NOT NULL,
        feed_id uuid NOT NULL,
        hour timestamptz(3) NOT NULL,
        counts jsonb NOT NULL,
        CONSTRAINT feed_hours_pkey PRIMARY KEY (workspace_id, feed_id, hour),
        CONSTRAINT feed_hours_feed_id_fkey FOREIGN KEY (workspace_id, feed_id) REFERENCES feeds (workspace_id, id)
      )`);
  await db.query(`
      CREATE TABLE feed_revisions (
        workspace_id integer NOT NULL,
        feed_id uuid NOT NULL,
        revision integer NOT NULL,
        settings jsonb NOT NULL,
        since timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT feed_revisions_pkey PRIMARY KEY (workspace_id, feed_id, revision),
        CONSTRAINT feed_revisions_feed_id_fkey FOREIGN KEY (workspace_id, feed_id) REFERENCES feeds (workspace_id, id)
      )`);
  await db.query(`
      CREATE TABLE feed_executions (
        workspace_id integer NOT NULL,
        feed_id uuid NOT NULL,
        execution_id uuid NOT NULL,
        day date NOT NULL,
        CONSTRAINT feed_executions_pkey PRIMARY KEY (workspace_id, feed_id, execution_id),
        CONSTRAINT feed_executions_feed_id_fkey FOREIGN KEY (workspace_id, feed_id) REFERENCES feeds (workspace_id, id)
      )`);
}
