import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Collections of skills, their versions, what is in their files, and the plan that limits both. */
export class Skills1780000000046 implements MigrationInterface {
  name = 'Skills1780000000046';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE workspaces ADD COLUMN plan text NOT NULL DEFAULT 'team'`);
    await this.createCollections(db);
    await this.createVersions(db);
    await this.createContents(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE skill_contents, skill_versions, skill_collections');
    await db.query('ALTER TABLE workspaces DROP COLUMN plan');
  }

  private async createCollections(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE skill_collections (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        folder_id integer,
        latest_version integer NOT NULL,
        created_by integer,
        updated_by integer,
        name text NOT NULL,
        root_path text NOT NULL,
        provider text,
        description text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT skill_collections_pkey PRIMARY KEY (workspace_id, id)
      )`);
    for (const column of ['name', 'root_path']) {
      await db.query(`CREATE UNIQUE INDEX skill_collections_${column}_key ON skill_collections (workspace_id, ${column})
        WHERE deleted_at IS NULL`);
    }
    await db.query(`CREATE INDEX skill_collections_folder_idx ON skill_collections (workspace_id, folder_id)
      WHERE deleted_at IS NULL`);
  }

  private async createVersions(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE skill_versions (
        workspace_id integer NOT NULL,
        collection_id uuid NOT NULL,
        number integer NOT NULL,
        id uuid NOT NULL,
        root_path text NOT NULL,
        provider text,
        created_by integer,
        commit_message text,
        label text,
        files jsonb NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT skill_versions_pkey PRIMARY KEY (workspace_id, collection_id, number),
        CONSTRAINT skill_versions_collection_id_fkey FOREIGN KEY (workspace_id, collection_id)
          REFERENCES skill_collections (workspace_id, id)
      )`);
    await db.query(`CREATE UNIQUE INDEX skill_versions_label_key ON skill_versions (workspace_id, collection_id, label)
      WHERE label IS NOT NULL`);
  }

  private async createContents(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE skill_contents (
        workspace_id integer NOT NULL,
        hash bytea NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT skill_contents_pkey PRIMARY KEY (workspace_id, hash)
      )`);
    // Compressing is most of what storing them would cost.
    await db.query('ALTER TABLE skill_contents ALTER content SET STORAGE EXTERNAL');
  }
}
