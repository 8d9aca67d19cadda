import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Labels that need an approval, requests for their changes, and who created a key. */
export class LabelChanges1780000000089 implements MigrationInterface {
  name = 'LabelChanges1780000000089';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE workspaces ADD COLUMN approval_labels text[] NOT NULL DEFAULT '{}'`);
    await db.query(`
      ALTER TABLE api_keys ADD COLUMN maker_id integer
        CONSTRAINT api_keys_maker_id_fkey REFERENCES users (id) ON DELETE SET NULL`);
    await db.query('CREATE INDEX api_keys_maker_idx ON api_keys (maker_id) WHERE maker_id IS NOT NULL');
    await db.query(`
      CREATE TABLE label_changes (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        kind text NOT NULL,
        item_id text NOT NULL,
        item_name text NOT NULL,
        label text NOT NULL,
        from_version integer,
        to_version integer,
        reason text NOT NULL,
        asked_by integer NOT NULL,
        asked_user_id integer,
        state text NOT NULL DEFAULT 'open',
        outdated_because text,
        decided_by integer,
        decision_reason text,
        decided_at timestamptz(3),
        expires_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT label_changes_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(`
      CREATE UNIQUE INDEX label_changes_open_key ON label_changes (workspace_id, kind, item_id, label)
        WHERE state = 'open'`);
    await db.query('CREATE INDEX label_changes_created_idx ON label_changes (workspace_id, created_at, id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE label_changes');
    await db.query('ALTER TABLE api_keys DROP COLUMN maker_id');
    await db.query('ALTER TABLE workspaces DROP COLUMN approval_labels');
  }
}
