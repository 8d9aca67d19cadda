import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Splits of the traffic of release labels. They go with their label, also when a process of the release before, which knows nothing of
 * them, deletes it.
 */
export class AbReleases1780000000074 implements MigrationInterface {
  name = 'AbReleases1780000000074';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE ab_releases (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
        prompt_label_id integer NOT NULL,
        created_by integer,
        split json NOT NULL,
        segments json NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT ab_releases_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT ab_releases_label_key UNIQUE (workspace_id, prompt_label_id),
        CONSTRAINT ab_releases_prompt_label_id_fkey FOREIGN KEY (workspace_id, prompt_label_id)
          REFERENCES prompt_labels (workspace_id, id) ON DELETE CASCADE
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE ab_releases');
  }
}
