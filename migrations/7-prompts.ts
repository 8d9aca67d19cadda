import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The prompt registry. Templates and metadata are `json`, not `jsonb`: the order of the keys of a schema matters to a model.
 * Names of prompts are unique among those that are not deleted.
 */
export class Prompts1780000000007 implements MigrationInterface {
  name = 'Prompts1780000000007';

  async up(db: QueryRunner): Promise<void> {
    await this.createPrompts(db);
    await this.createVersions(db);
    await this.createLabels(db);
    await this.createSnippetReferences(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE prompt_texts, prompt_snippets, prompt_labels, prompt_versions, prompts`);
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
    // What the list of prompts is searched by.
    await db.query(`
      CREATE TABLE prompt_texts (
        workspace_id integer NOT NULL,
        prompt_id integer NOT NULL,
        text text NOT NULL,
        CONSTRAINT prompt_texts_pkey PRIMARY KEY (workspace_id, prompt_id)
      )`);
  }

  private async createVersions(db: QueryRunner): Promise<void> {
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
  }

  private async createLabels(db: QueryRunner): Promise<void> {
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
}
