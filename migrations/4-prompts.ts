import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The prompt registry, folders, external ids and the outbox of events.
 *
 * Templates and metadata are `json`, not `jsonb`: the order of the keys of a schema matters to a model. Names of folders
 * and prompts are unique among what is live.
 */
export class Prompts1780000000004 implements MigrationInterface {
  name = 'Prompts1780000000004';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE api_keys ADD owner_email text`);
    await this.createOutbox(db);
    await this.createExternalIds(db);
    await this.createFolders(db);
    await this.createPrompts(db);
    await this.createSnippetReferences(db);
    await this.linkPrompts(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE column_prompts`);
    await db.query(`ALTER TABLE spans DROP prompt_id, DROP prompt_version_number`);
    await db.query(`DROP INDEX tables_folder_idx`);
    await db.query(`ALTER TABLE tables DROP created_by`);
    await db.query(`DROP TABLE prompt_texts, prompt_snippets, prompt_labels, prompt_versions, prompts`);
    await db.query(`DROP TABLE folders, external_ids, outbox_events`);
    await db.query(`ALTER TABLE api_keys DROP owner_email`);
  }

  private async createOutbox(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE outbox_events (
        workspace_id integer NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        type text NOT NULL,
        details jsonb NOT NULL,
        key_id integer,
        request_id text NOT NULL,
        occurred_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT outbox_events_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX outbox_events_occurred_idx ON outbox_events (occurred_at)`);
  }

  private async createExternalIds(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE external_ids (
        workspace_id integer NOT NULL,
        source text NOT NULL,
        external_id text NOT NULL,
        seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
        entity_type text NOT NULL,
        entity_id text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT external_ids_pkey PRIMARY KEY (workspace_id, source, external_id)
      )`);
    await db.query(`CREATE INDEX external_ids_entity_idx ON external_ids (workspace_id, entity_type, entity_id, seq)`);
  }

  private async createFolders(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE folders (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        parent_id integer,
        name text NOT NULL,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT folders_pkey PRIMARY KEY (workspace_id, id)
      )`);
    // The top level counts as a parent.
    await db.query(`CREATE UNIQUE INDEX folders_sibling_key ON folders (workspace_id, coalesce(parent_id, 0), name)`);
  }

  private async createPrompts(db: QueryRunner): Promise<void> {
    // Publishing updates the row: free space keeps that on its page.
    await db.query(`
      CREATE TABLE prompts (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        folder_id integer,
        latest_version integer NOT NULL,
        created_by integer,
        is_snippet boolean NOT NULL,
        type text NOT NULL,
        name text NOT NULL,
        tags text[] NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3),
        CONSTRAINT prompts_pkey PRIMARY KEY (workspace_id, id)
      ) WITH (fillfactor = 80)`);
    await db.query(`CREATE UNIQUE INDEX prompts_name_key ON prompts (workspace_id, name) WHERE deleted_at IS NULL`);
    await db.query(`CREATE INDEX prompts_created_idx ON prompts (workspace_id, created_at, id)`);
    await db.query(`CREATE INDEX prompts_folder_idx ON prompts (workspace_id, folder_id) WHERE deleted_at IS NULL`);
    await db.query(`
      CREATE TABLE prompt_versions (
        workspace_id integer NOT NULL,
        prompt_id integer NOT NULL,
        number integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        provider_id integer,
        created_by integer,
        commit_message text,
        provider_base_url_name text,
        inference_client_name text,
        template json NOT NULL,
        metadata json,
        snippet_overrides json,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT prompt_versions_pkey PRIMARY KEY (workspace_id, prompt_id, number),
        CONSTRAINT prompt_versions_prompt_id_fkey FOREIGN KEY (workspace_id, prompt_id) REFERENCES prompts (workspace_id, id)
      )`);
    await db.query(`CREATE UNIQUE INDEX prompt_versions_id_key ON prompt_versions (workspace_id, id)`);
    await db.query(`
      CREATE TABLE prompt_labels (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        prompt_id integer NOT NULL,
        version_number integer NOT NULL,
        name text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT prompt_labels_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT prompt_labels_prompt_id_fkey FOREIGN KEY (workspace_id, prompt_id) REFERENCES prompts (workspace_id, id)
      )`);
    await db.query(`CREATE UNIQUE INDEX prompt_labels_name_key ON prompt_labels (workspace_id, prompt_id, name)`);
    await db.query(`CREATE INDEX prompt_labels_lookup_idx ON prompt_labels (workspace_id, name)`);
    await db.query(`
      CREATE TABLE prompt_texts (
        workspace_id integer NOT NULL,
        prompt_id integer NOT NULL,
        text text NOT NULL,
        CONSTRAINT prompt_texts_pkey PRIMARY KEY (workspace_id, prompt_id)
      )`);
  }

  private async createSnippetReferences(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE prompt_snippets (
        workspace_id integer NOT NULL,
        prompt_id integer NOT NULL,
        version_number integer NOT NULL,
        reference text NOT NULL,
        snippet_id integer NOT NULL,
        snippet_version integer,
        snippet_label text,
        CONSTRAINT prompt_snippets_pkey PRIMARY KEY (workspace_id, prompt_id, version_number, reference)
      )`);
    await db.query(`CREATE INDEX prompt_snippets_use_idx ON prompt_snippets (workspace_id, snippet_id)`);
  }

  /** What refers to prompts: spans (request logs do already) and columns. */
  private async linkPrompts(db: QueryRunner): Promise<void> {
    await db.query(`ALTER TABLE spans ADD prompt_id integer, ADD prompt_version_number integer`);
    await db.query(`ALTER TABLE tables ADD created_by integer`);
    await db.query(
      `CREATE INDEX tables_folder_idx ON tables (workspace_id, folder_id) WHERE folder_id IS NOT NULL AND deleted_at IS NULL`,
    );
    await db.query(`
      CREATE TABLE column_prompts (
        workspace_id integer NOT NULL,
        column_id uuid NOT NULL,
        ordinal smallint NOT NULL,
        prompt_id integer NOT NULL,
        version_number integer,
        label text,
        CONSTRAINT column_prompts_pkey PRIMARY KEY (workspace_id, column_id, ordinal),
        CONSTRAINT column_prompts_column_id_fkey FOREIGN KEY (workspace_id, column_id) REFERENCES sheet_columns (workspace_id, id)
      )`);
    await db.query(`CREATE INDEX column_prompts_prompt_idx ON column_prompts (workspace_id, prompt_id)`);
  }
}
