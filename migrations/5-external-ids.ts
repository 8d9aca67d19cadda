import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The names that other systems have for entities of ours. */
export class ExternalIds1780000000005 implements MigrationInterface {
  name = 'ExternalIds1780000000005';

  async up(db: QueryRunner): Promise<void> {
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

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE external_ids`);
  }
}
