import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What sheets need to be read and restored at any of their versions, to import files and to mirror other sheets. */
export class Sheets1780000000009 implements MigrationInterface {
  name = 'Sheets1780000000009';

  async up(db: QueryRunner): Promise<void> {
    await this.createColumnHistory(db);
    await this.createImportChunks(db);
    await this.createCompositionLinks(db);
    await db.query(`ALTER TABLE sheet_versions ADD title text, ADD index integer, ADD source_version_id uuid`);
    await db.query(`CREATE UNIQUE INDEX sheet_versions_id_key ON sheet_versions (workspace_id, id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP INDEX sheet_versions_id_key`);
    await db.query(`ALTER TABLE sheet_versions DROP title, DROP index, DROP source_version_id`);
    await db.query(`DROP TABLE composition_links, import_chunks, column_history`);
  }

  private async createColumnHistory(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE column_history (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        column_id uuid NOT NULL,
        version_from integer NOT NULL,
        version_to integer NOT NULL,
        title text NOT NULL,
        type text NOT NULL,
        config jsonb NOT NULL,
        edges jsonb NOT NULL,
        position_rank integer NOT NULL,
        is_output_column boolean NOT NULL,
        CONSTRAINT column_history_pkey PRIMARY KEY (workspace_id, sheet_id, column_id, version_to)
      )`);
  }

  private async createImportChunks(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE import_chunks (
        workspace_id integer NOT NULL,
        operation_id text NOT NULL,
        number integer NOT NULL,
        content bytea NOT NULL,
        CONSTRAINT import_chunks_pkey PRIMARY KEY (workspace_id, operation_id, number),
        CONSTRAINT import_chunks_operation_id_fkey FOREIGN KEY (workspace_id, operation_id)
          REFERENCES import_operations (workspace_id, id) ON DELETE CASCADE
      )`);
    await db.query(`ALTER TABLE import_chunks ALTER content SET STORAGE EXTERNAL`);
  }

  private async createCompositionLinks(db: QueryRunner): Promise<void> {
    // seen_version moves with every change of the source: free space keeps those updates on their page.
    await db.query(`
      CREATE TABLE composition_links (
        workspace_id integer NOT NULL,
        column_id uuid NOT NULL,
        sheet_id uuid NOT NULL,
        source_sheet_id uuid NOT NULL,
        source_column_id uuid NOT NULL,
        seen_version integer,
        CONSTRAINT composition_links_pkey PRIMARY KEY (workspace_id, column_id),
        CONSTRAINT composition_links_column_id_fkey FOREIGN KEY (workspace_id, column_id)
          REFERENCES sheet_columns (workspace_id, id),
        CONSTRAINT composition_links_source_column_id_fkey FOREIGN KEY (workspace_id, source_column_id)
          REFERENCES sheet_columns (workspace_id, id)
      ) WITH (fillfactor = 70)`);
    await db.query(`CREATE INDEX composition_links_source_idx ON composition_links (workspace_id, source_sheet_id)`);
  }
}
