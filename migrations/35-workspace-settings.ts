import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a workspace has set for itself, and indexes by which its audit trail is read. */
export class WorkspaceSettings1780000000035 implements MigrationInterface {
  name = 'WorkspaceSettings1780000000035';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workspace_settings (
        workspace_id integer NOT NULL,
        import_max_bytes integer,
        auto_recalculate text NOT NULL DEFAULT 'off',
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT workspace_settings_pkey PRIMARY KEY (workspace_id)
      )`);
    await db.query('CREATE INDEX audit_entries_action_idx ON audit_entries (workspace_id, action, id)');
    await db.query('CREATE INDEX audit_entries_entity_idx ON audit_entries (workspace_id, entity_id, id)');
    await db.query('CREATE INDEX audit_entries_key_idx ON audit_entries (workspace_id, key_id, id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX audit_entries_key_idx, audit_entries_entity_idx, audit_entries_action_idx');
    await db.query('DROP TABLE workspace_settings');
  }
}
