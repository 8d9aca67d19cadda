import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What workspaces pay for models, and how many calls of a trace have no known price. */
export class ModelPrices1780000000018 implements MigrationInterface {
  name = 'ModelPrices1780000000018';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE model_prices (
        workspace_id integer NOT NULL,
        provider text COLLATE "C" NOT NULL,
        model text COLLATE "C" NOT NULL,
        input float8,
        output float8,
        cached_input float8,
        cache_write float8,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        revision bigint NOT NULL,
        CONSTRAINT model_prices_pkey PRIMARY KEY (workspace_id, provider, model)
      )`);
    await db.query('CREATE SEQUENCE model_price_revisions');
    // In two steps: of the traces that are there it is not known, and they need not be written anew.
    await db.query('ALTER TABLE traces ADD unpriced_count integer');
    await db.query('ALTER TABLE traces ALTER unpriced_count SET DEFAULT 0');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE traces DROP unpriced_count');
    await db.query('DROP SEQUENCE model_price_revisions');
    await db.query('DROP TABLE model_prices');
  }
}
