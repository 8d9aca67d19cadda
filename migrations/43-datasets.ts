import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Groups of datasets and their versions, whose rows are sheets. Imports into sheets that no table owns. */
export class Datasets1780000000043 implements MigrationInterface {
  name = 'Datasets1780000000043';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE import_operations ALTER table_id DROP NOT NULL');
    await this.createGroups(db);
    await this.createVersions(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE dataset_version_prompts, dataset_versions, dataset_groups');
    await db.query('DELETE FROM import_operations WHERE table_id IS NULL');
    await db.query('ALTER TABLE import_operations ALTER table_id SET NOT NULL');
  }

  private async createGroups(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE dataset_groups (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        name text NOT NULL,
        folder_id integer,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT dataset_groups_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(
      'CREATE UNIQUE INDEX dataset_groups_name_key ON dataset_groups (workspace_id, name) WHERE deleted_at IS NULL',
    );
    await db.query(
      `CREATE INDEX dataset_groups_folder_idx ON dataset_groups (workspace_id, folder_id)
        WHERE folder_id IS NOT NULL AND deleted_at IS NULL`,
    );
  }

  private async createVersions(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE dataset_versions (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        group_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        state text NOT NULL,
        number integer,
        filter_params jsonb,
        next_import jsonb,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT dataset_versions_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT dataset_versions_group_id_fkey FOREIGN KEY (workspace_id, group_id) REFERENCES dataset_groups (workspace_id, id),
        CONSTRAINT dataset_versions_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
    // One draft per group, whatever races.
    await db.query(
      `CREATE UNIQUE INDEX dataset_versions_draft_key ON dataset_versions (workspace_id, group_id)
        WHERE state = 'draft' AND deleted_at IS NULL`,
    );
    await db.query(
      'CREATE UNIQUE INDEX dataset_versions_number_key ON dataset_versions (workspace_id, group_id, number)',
    );
    await db.query('CREATE UNIQUE INDEX dataset_versions_sheet_key ON dataset_versions (workspace_id, sheet_id)');
    await db.query('CREATE INDEX dataset_versions_created_idx ON dataset_versions (workspace_id, created_at, id)');
    await db.query(`
      CREATE TABLE dataset_version_prompts (
        workspace_id integer NOT NULL,
        version_id integer NOT NULL,
        prompt_id integer NOT NULL,
        prompt_version_number integer NOT NULL,
        CONSTRAINT dataset_version_prompts_pkey PRIMARY KEY (workspace_id, version_id, prompt_id, prompt_version_number),
        CONSTRAINT dataset_version_prompts_version_id_fkey FOREIGN KEY (workspace_id, version_id)
          REFERENCES dataset_versions (workspace_id, id)
      )`);
    await db.query(
      `CREATE INDEX dataset_version_prompts_prompt_idx
          ON dataset_version_prompts (workspace_id, prompt_id, prompt_version_number)`,
    );
  }
}
