import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The hash chain over the audit entries of a workspace. Entries themselves stay as they are: workers add a seal for each one after its
 * commit. Entries that exist at the migration are sealed, too, but not sent to webhooks.
 */
export class AuditChains1780000000085 implements MigrationInterface {
  name = 'AuditChains1780000000085';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE audit_heads (
        workspace_id integer NOT NULL,
        position bigint NOT NULL DEFAULT 0,
        entry_id bigint NOT NULL DEFAULT 0,
        hash bytea NOT NULL DEFAULT '',
        sealed_at timestamptz(3),
        sent_after bigint NOT NULL DEFAULT 0,
        CONSTRAINT audit_heads_pkey PRIMARY KEY (workspace_id)
      ) WITH (fillfactor = 50)`);
    await db.query(`
      CREATE TABLE audit_seals (
        workspace_id integer NOT NULL,
        entry_id bigint NOT NULL,
        position bigint NOT NULL,
        details_hash bytea NOT NULL,
        hash bytea NOT NULL,
        CONSTRAINT audit_seals_pkey PRIMARY KEY (workspace_id, entry_id)
      )`);
    await db.query(`
      INSERT INTO audit_heads (workspace_id, sent_after)
      SELECT w.id, e.id FROM workspaces w
       CROSS JOIN LATERAL (SELECT max(id) AS id FROM audit_entries WHERE workspace_id = w.id) AS e WHERE e.id IS NOT NULL`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE audit_seals, audit_heads');
  }
}
