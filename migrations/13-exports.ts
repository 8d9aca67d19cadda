import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports with their files. */
export class Exports1780000000013 implements MigrationInterface {
  name = 'Exports1780000000013';

  async up(db: QueryRunner): Promise<void> {
    // A running export updates its row with every chunk: free space keeps those updates on their page.
    await db.query(`
      CREATE TABLE exports (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        source text NOT NULL,
        format text NOT NULL,
        request jsonb NOT NULL,
        status text NOT NULL DEFAULT 'queued',
        row_total bigint,
        row_count bigint NOT NULL DEFAULT 0,
        chunk_count integer NOT NULL DEFAULT 0,
        bytes bigint NOT NULL DEFAULT 0,
        sha256 text,
        error_message text,
        attempts smallint NOT NULL DEFAULT 0,
        lease_until timestamptz,
        claim uuid,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        expires_at timestamptz(3),
        CONSTRAINT exports_pkey PRIMARY KEY (workspace_id, id)
      ) WITH (fillfactor = 50)`);
    await db.query(`CREATE INDEX exports_created_idx ON exports (workspace_id, created_at, id)`);
    await db.query(`CREATE INDEX exports_open_idx ON exports (created_at) WHERE finished_at IS NULL`);
    await db.query(`CREATE INDEX exports_expiry_idx ON exports (expires_at)`);
    await db.query(`
      CREATE TABLE export_chunks (
        workspace_id integer NOT NULL,
        export_id uuid NOT NULL,
        number integer NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT export_chunks_pkey PRIMARY KEY (workspace_id, export_id, number),
        CONSTRAINT export_chunks_export_id_fkey FOREIGN KEY (workspace_id, export_id)
          REFERENCES exports (workspace_id, id) ON DELETE CASCADE
      )`);
    await db.query(`ALTER TABLE export_chunks ALTER content SET STORAGE EXTERNAL`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE export_chunks, exports`);
  }
}
