import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The registry of workflows. Nodes are `json`: the order of the keys of a schema in them matters to a model. */
export class Workflows1780000000047 implements MigrationInterface {
  name = 'Workflows1780000000047';

  async up(db: QueryRunner): Promise<void> {
    await this.createWorkflows(db);
    await this.createVersions(db);
    await this.createLabels(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE workflow_labels, workflow_versions, workflows');
  }

  private async createWorkflows(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workflows (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        folder_id integer,
        latest_version integer NOT NULL,
        created_by integer,
        name text NOT NULL,
        tags text[] NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT workflows_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query('CREATE UNIQUE INDEX workflows_name_key ON workflows (workspace_id, name) WHERE deleted_at IS NULL');
    await db.query('CREATE INDEX workflows_created_idx ON workflows (workspace_id, created_at, id)');
    await db.query('CREATE INDEX workflows_folder_idx ON workflows (workspace_id, folder_id) WHERE deleted_at IS NULL');
  }

  private async createVersions(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workflow_versions (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        workflow_id integer NOT NULL,
        number integer NOT NULL,
        created_by integer,
        commit_message text,
        nodes json NOT NULL,
        edges json NOT NULL,
        required_input_variables json NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT workflow_versions_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT workflow_versions_workflow_id_fkey FOREIGN KEY (workspace_id, workflow_id)
          REFERENCES workflows (workspace_id, id)
      )`);
    await db.query(`CREATE UNIQUE INDEX workflow_versions_number_key
      ON workflow_versions (workspace_id, workflow_id, number)`);
  }

  private async createLabels(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE workflow_labels (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        workflow_id integer NOT NULL,
        version_number integer NOT NULL,
        name text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT workflow_labels_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT workflow_labels_workflow_id_fkey FOREIGN KEY (workspace_id, workflow_id)
          REFERENCES workflows (workspace_id, id)
      )`);
    await db.query('CREATE UNIQUE INDEX workflow_labels_name_key ON workflow_labels (workspace_id, workflow_id, name)');
  }
}
