import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The work of pricing stored calls of a model for which a price was set later. */
export class Repricings1780000000079 implements MigrationInterface {
  name = 'Repricings1780000000079';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE repricings (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        provider text COLLATE "C" NOT NULL,
        model text COLLATE "C" NOT NULL,
        since timestamptz,
        dry_run boolean NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        position bigint NOT NULL DEFAULT 0,
        priced_count integer NOT NULL DEFAULT 0,
        left_count integer NOT NULL DEFAULT 0,
        cost double precision NOT NULL DEFAULT 0,
        error_message text,
        attempts smallint NOT NULL DEFAULT 0,
        lease_until timestamptz,
        claim uuid,
        created_by integer,
        request_id text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        CONSTRAINT repricings_pkey PRIMARY KEY (workspace_id, id)
      ) WITH (fillfactor = 50)`);
    await db.query('CREATE INDEX repricings_created_idx ON repricings (workspace_id, created_at, id)');
    await db.query('CREATE INDEX repricings_open_idx ON repricings (created_at) WHERE finished_at IS NULL');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE repricings');
  }
}
