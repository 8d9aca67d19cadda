import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which columns of a sheet are hidden or pinned, and how wide they are. */
export class SheetViews1780000000064 implements MigrationInterface {
  name = 'SheetViews1780000000064';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE sheet_views (
        workspace_id integer NOT NULL,
        sheet_id uuid NOT NULL,
        hidden uuid[] NOT NULL,
        pinned uuid[] NOT NULL,
        widths jsonb NOT NULL,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT sheet_views_pkey PRIMARY KEY (workspace_id, sheet_id),
        CONSTRAINT sheet_views_sheet_id_fkey FOREIGN KEY (workspace_id, sheet_id) REFERENCES sheets (workspace_id, id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE sheet_views');
  }
}
