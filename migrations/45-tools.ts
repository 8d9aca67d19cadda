import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tool registry and environment variables. Definitions are `json`: the order of the keys of a schema matters to a model. */
export class Tools1780000000045 implements MigrationInterface {
  name = 'Tools1780000000045';

  async up(db: QueryRunner): Promise<void> {
    await this.createEnvVars(db);
    await this.createTools(db);
    await this.createVersions(db);
    await this.createLabels(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE tool_labels, tool_versions, tools, env_vars');
  }

  private async createEnvVars(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE env_vars (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        tool_id integer NOT NULL,
        key text NOT NULL,
        value bytea,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT env_vars_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT env_vars_key_key UNIQUE (workspace_id, tool_id, key)
      )`);
  }

  private async createTools(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE tools (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        folder_id integer,
        latest_version integer NOT NULL,
        created_by integer,
        name text NOT NULL,
        description text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT tools_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query('CREATE UNIQUE INDEX tools_name_key ON tools (workspace_id, name) WHERE deleted_at IS NULL');
    await db.query('CREATE INDEX tools_updated_idx ON tools (workspace_id, updated_at, id) WHERE deleted_at IS NULL');
    await db.query('CREATE INDEX tools_folder_idx ON tools (workspace_id, folder_id) WHERE deleted_at IS NULL');
  }

  private async createVersions(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE tool_versions (
        workspace_id integer NOT NULL,
        tool_id integer NOT NULL,
        number integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        created_by integer,
        commit_message text,
        definition json NOT NULL,
        execution json,
        response_schema json,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT tool_versions_pkey PRIMARY KEY (workspace_id, tool_id, number),
        CONSTRAINT tool_versions_tool_id_fkey FOREIGN KEY (workspace_id, tool_id) REFERENCES tools (workspace_id, id)
      )`);
    await db.query('CREATE UNIQUE INDEX tool_versions_id_key ON tool_versions (workspace_id, id)');
  }

  private async createLabels(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE tool_labels (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        tool_id integer NOT NULL,
        version_number integer NOT NULL,
        name text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT tool_labels_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT tool_labels_tool_id_fkey FOREIGN KEY (workspace_id, tool_id) REFERENCES tools (workspace_id, id)
      )`);
    await db.query('CREATE UNIQUE INDEX tool_labels_name_key ON tool_labels (workspace_id, tool_id, name)');
  }
}
