import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Erasures of everything about a person, the traces and request logs that each has found, and how often words were taken out of the
 * vocabulary of a workspace, which processes remember parts of.
 */
export class Erasures1780000000061 implements MigrationInterface {
  name = 'Erasures1780000000061';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE erasures (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        subject_type text NOT NULL,
        subject bytea,
        subject_hash bytea,
        dry_run boolean NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        step text,
        round smallint NOT NULL DEFAULT 0,
        counts jsonb NOT NULL DEFAULT '{}',
        first_at timestamptz,
        error_message text,
        attempts smallint NOT NULL DEFAULT 0,
        lease_until timestamptz,
        claim uuid,
        created_by integer,
        request_id text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        verified_at timestamptz(3),
        CONSTRAINT erasures_pkey PRIMARY KEY (workspace_id, id)
      ) WITH (fillfactor = 50)`);
    // Who asks for the same once more gets the one that is under way, whatever races.
    await db.query(
      `CREATE UNIQUE INDEX erasures_subject_key ON erasures (workspace_id, subject_hash, dry_run) WHERE finished_at IS NULL`,
    );
    await db.query(`CREATE INDEX erasures_created_idx ON erasures (workspace_id, created_at, id)`);
    await db.query(`CREATE INDEX erasures_open_idx ON erasures (created_at) WHERE finished_at IS NULL`);
    await db.query(`
      CREATE TABLE erasure_targets (
        workspace_id integer NOT NULL,
        erasure_id uuid NOT NULL,
        kind text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        CONSTRAINT erasure_targets_pkey PRIMARY KEY (workspace_id, erasure_id, kind, key),
        CONSTRAINT erasure_targets_erasure_id_fkey FOREIGN KEY (workspace_id, erasure_id)
          REFERENCES erasures (workspace_id, id) ON DELETE CASCADE
      )`);
    await db.query(`
      CREATE TABLE vocabulary_resets (
        workspace_id integer NOT NULL,
        number integer NOT NULL,
        CONSTRAINT vocabulary_resets_pkey PRIMARY KEY (workspace_id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE vocabulary_resets, erasure_targets, erasures');
  }
}
