import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Filters look into texts that hold JSON. PostgreSQL 15 cannot tell beforehand whether a text is JSON. */
export class JsonInText1780000000020 implements MigrationInterface {
  name = 'JsonInText1780000000020';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION json_in_text(content text) RETURNS jsonb
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      BEGIN
        RETURN content::jsonb;
      EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
        RETURN NULL;
      END
      $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION json_in_text');
  }
}
