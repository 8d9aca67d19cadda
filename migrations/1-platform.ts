import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What all domains use: the answers kept for repeated requests, and functions that compare and read texts. */
export class Platform1780000000001 implements MigrationInterface {
  name = 'Platform1780000000001';

  async up(db: QueryRunner): Promise<void> {
    await this.createIdempotencyKeys(db);
    await this.createComparableText(db);
    await this.createJsonInText(db);
    await this.createReadableJson(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`DROP FUNCTION texts_of_json, readable_json, json_in_text, comparable_text`);
    await db.query(`DROP TABLE idempotency_keys`);
  }

  private async createIdempotencyKeys(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE idempotency_keys (
        workspace_id integer NOT NULL,
        key text NOT NULL,
        request_hash bytea NOT NULL,
        status smallint,
        response text,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT idempotency_keys_pkey PRIMARY KEY (workspace_id, key)
      )`);
    await db.query(`CREATE INDEX idempotency_keys_created_at_idx ON idempotency_keys (created_at)`);
  }

  /** Texts are compared without regard to how their letters are encoded. The same as platform/comparable-text.ts. */
  private async createComparableText(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION comparable_text(content text) RETURNS text
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      BEGIN
        IF octet_length(content) = length(content) THEN
          RETURN content;
        END IF;
        content := replace(replace(replace(normalize(content, NFKC), 'ẞ', 'ss'), 'ß', 'ss'), 'ς', 'σ');
        RETURN normalize(replace(replace(content, 'İ', 'i'), U&'i\\0307', 'i'), NFC);
      END
      $$`);
  }

  /** Filters look into texts that hold JSON. PostgreSQL 15 cannot tell beforehand whether a text is JSON. */
  private async createJsonInText(db: QueryRunner): Promise<void> {
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

  /**
   * JSON in attributes is compared as people read it: escapes of characters become the characters. Every backslash is
   * doubled first, except those that begin such an escape, because unistr() would read it as one.
   */
  private async createReadableJson(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION readable_json(content text) RETURNS text
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
      BEGIN
        RETURN unistr(regexp_replace(content, '\\\\(\\\\|(?!u[0-9a-fA-F]{4}))', '\\\\\\\\\\1\\1', 'g'));
      EXCEPTION WHEN data_exception OR syntax_error THEN
        RETURN content;
      END
      $$`);
    await db.query(`
      CREATE FUNCTION texts_of_json(content text) RETURNS text[]
      LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE WHEN strpos(content, '\\u') > 0 AND content ~ '^\\s*[[{"]'
                    THEN ARRAY[content, readable_json(content)] ELSE ARRAY[content] END
      $$`);
  }
}
