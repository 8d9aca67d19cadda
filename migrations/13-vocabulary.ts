import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEXES_OF_WORDS = ['request_log_search', 'trace_search'];

/** The words of each workspace, so that a part of a word leads to the words, and these to what holds them. */
export class Vocabulary1780000000013 implements MigrationInterface {
  name = 'Vocabulary1780000000013';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE vocabulary (
        workspace_id integer NOT NULL,
        word text COLLATE "C" NOT NULL,
        last_day date NOT NULL,
        CONSTRAINT vocabulary_pkey PRIMARY KEY (workspace_id, word)
      )`);
    await this.createParts(db);
    for (const table of INDEXES_OF_WORDS) await this.fillFrom(db, table);
    await db.query(
      `CREATE INDEX vocabulary_parts_idx ON vocabulary USING gin (word_parts(workspace_id, word)) WITH (gin_pending_list_limit = 1024)`,
    );
    await db.query('ALTER TABLE retention_policies ADD words_checked_at timestamptz');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE retention_policies DROP words_checked_at');
    await db.query('DROP TABLE vocabulary');
    await db.query('DROP FUNCTION word_parts');
  }

  /**
   * Every three characters that stand beside each other in a word, with the workspace in front, so that a small one never
   * reads the postings of others. A word so long that the index of words may have cut it could go on with anything, "*".
   */
  private async createParts(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION word_parts(workspace integer, word text) RETURNS text[]
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
        SELECT array_agg(workspace || ':' || substr(word, place, 3))
               || CASE WHEN octet_length(word) >= 99 THEN ARRAY[workspace || ':*'] END
          FROM generate_series(1, length(word) - 2) place
      $$`);
  }

  /** Lexemes are "workspace:word"; "*" is none. */
  private async fillFrom(db: QueryRunner, table: string): Promise<void> {
    await db.query(`
      INSERT INTO vocabulary (workspace_id, word, last_day)
      SELECT split_part(word, ':', 1)::int, substr(word, strpos(word, ':') + 1), (now() AT TIME ZONE 'UTC')::date
        FROM ts_stat('SELECT words FROM ${table}') WHERE word NOT LIKE '%:*'
      ON CONFLICT DO NOTHING`);
  }
}
