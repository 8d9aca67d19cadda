import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The credentials with which workspaces call models. */
export class Llm1780000000003 implements MigrationInterface {
  name = 'Llm1780000000003';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE model_credentials (
        workspace_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        provider text NOT NULL,
        name text NOT NULL,
        base_url text,
        secret bytea NOT NULL,
        last_four text NOT NULL,
        options jsonb NOT NULL,
        max_concurrency integer,
        requests_per_minute integer,
        tokens_per_minute integer,
        created_by integer,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        CONSTRAINT model_credentials_pkey PRIMARY KEY (workspace_id, id),
        CONSTRAINT model_credentials_name_key UNIQUE (workspace_id, provider, name)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP TABLE model_credentials`);
  }
}
