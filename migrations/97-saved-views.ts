import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Named states of the screens of the console. Shared names are unique for a screen, private ones for a screen and their maker. */
export class SavedViews1780000000097 implements MigrationInterface {
  name = 'SavedViews1780000000097';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE saved_views (
        workspace_id integer NOT NULL,
        id uuid NOT NULL,
        screen text NOT NULL,
        name text NOT NULL,
        query jsonb NOT NULL,
        is_shared boolean NOT NULL,
        created_by integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT saved_views_pkey PRIMARY KEY (workspace_id, id)
      )`);
    await db.query('CREATE INDEX saved_views_created_idx ON saved_views (workspace_id, created_at, id)');
    await db.query(`
      CREATE UNIQUE INDEX saved_views_shared_key ON saved_views (workspace_id, screen, name) WHERE is_shared`);
    await db.query(`
      CREATE UNIQUE INDEX saved_views_private_key ON saved_views (workspace_id, screen, created_by, name)
        WHERE NOT is_shared`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE saved_views');
  }
}
