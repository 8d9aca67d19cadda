import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Workspaces, their keys, and the audit trail. */
export class Access1780000000002 implements MigrationInterface {
  name = 'Access1780000000002';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workspaces (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT workspaces_pkey PRIMARY KEY,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await this.createKeys(db);
    await this.createAuditTrail(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE audit_entries, api_keys, workspaces`);
  }

  private async createKeys(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE api_keys (
        id integer GENERATED ALWAYS AS IDENTITY CONSTRAINT api_keys_pkey PRIMARY KEY,
        workspace_id integer NOT NULL,
        name text,
        owner_email text,
        hash bytea NOT NULL,
        last_four text NOT NULL,
        role text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        last_used_at timestamptz,
        revoked_at timestamptz,
        CONSTRAINT api_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
      )`);
    await db.query(`CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash)`);
    await db.query(`CREATE INDEX api_keys_workspace_id_idx ON api_keys (workspace_id, id)`);
  }

  private async createAuditTrail(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE audit_entries (
        workspace_id integer NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        occurred_at timestamptz NOT NULL DEFAULT now(),
        action text NOT NULL,
        entity_id text NOT NULL,
        key_id integer,
        request_id text NOT NULL,
        details jsonb NOT NULL DEFAULT '{}',
        CONSTRAINT audit_entries_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX audit_entries_action_idx ON audit_entries (workspace_id, action, id)`);
    await db.query(`CREATE INDEX audit_entries_entity_idx ON audit_entries (workspace_id, entity_id, id)`);
    await db.query(`CREATE INDEX audit_entries_key_idx ON audit_entries (workspace_id, key_id, id)`);
  }
}
