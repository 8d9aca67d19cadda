import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exports with their files, and how long workspaces keep what they logged. */
export class RetentionExports1780000000008 implements MigrationInterface {
  name = 'RetentionExports1780000000008';

  async up(db: QueryRunner): Promise<void> {
    await this.createExports(db);
    await this.createRetention(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP INDEX linkable_spans_trace_idx`);
    await db.query(`ALTER TABLE span_sources DROP last_seen_at`);
    await db.query(`DROP TABLE retention_policies, export_chunks, exports`);
  }

  private async createExports(db: QueryRunner): Promise<void> {
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

  private async createRetention(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE retention_policies (
        workspace_id integer NOT NULL,
        traces_days integer,
        request_logs_days integer,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        sources_checked_at timestamptz,
        CONSTRAINT retention_policies_pkey PRIMARY KEY (workspace_id)
      )`);
    // Which spans use a source is not indexed. One that nobody has sent for long can only be used by old traces.
    await db.query(`ALTER TABLE span_sources ADD last_seen_at timestamptz NOT NULL DEFAULT now()`);
    await db.query(`CREATE INDEX linkable_spans_trace_idx ON linkable_spans (workspace_id, trace_id)`);
  }
}
