import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries that are looked at with one statement. */
const AT_ONCE = 5000;
/** Words are compared in one form since. What has none but ASCII ones is indexed as it was. */
const OTHER_WORDS = `x.words::text ~ '[^\\x01-\\x7f]'`;

/**
 * Texts are compared without regard to how their letters are encoded. What is in the indexes of words in other forms is
 * put into their queues: until workers have been there it is looked at itself.
 */
export class ComparableTexts1780000000034 implements MigrationInterface {
  name = 'ComparableTexts1780000000034';

  async up(db: QueryRunner): Promise<void> {
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
    await this.queueLogs(db);
    await this.queueTraces(db);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION comparable_text');
  }

  private async queueLogs(db: QueryRunner): Promise<void> {
    let last: { workspace_id: number; log_id: string } | undefined = { workspace_id: 0, log_id: '0' };
    while (last) {
      const entries: { workspace_id: number; log_id: string; is_other: boolean }[] = await db.query(
        `SELECT x.workspace_id, x.log_id, ${OTHER_WORDS} AS is_other FROM request_log_search x
          WHERE (x.workspace_id, x.log_id) > ($1, $2::bigint) ORDER BY x.workspace_id, x.log_id LIMIT ${AT_ONCE}`,
        [last.workspace_id, last.log_id],
      );
      const others = entries.filter(({ is_other }) => is_other);
      await db.query(
        `INSERT INTO request_log_search_queue (workspace_id, log_id)
         SELECT * FROM unnest($1::int[], $2::bigint[]) ON CONFLICT DO NOTHING`,
        [others.map(({ workspace_id }) => workspace_id), others.map(({ log_id }) => log_id)],
      );
      last = entries.at(-1);
    }
  }

  private async queueTraces(db: QueryRunner): Promise<void> {
    let last: { workspace_id: number; trace_id: string } | undefined = { workspace_id: 0, trace_id: '' };
    while (last) {
      const entries: { workspace_id: number; trace_id: string; is_other: boolean }[] = await db.query(
        `SELECT x.workspace_id, x.trace_id, ${OTHER_WORDS} AS is_other FROM trace_search x
          WHERE (x.workspace_id, x.trace_id) > ($1, $2) ORDER BY x.workspace_id, x.trace_id LIMIT ${AT_ONCE}`,
        [last.workspace_id, last.trace_id],
      );
      const others = entries.filter(({ is_other }) => is_other);
      await db.query(
        `INSERT INTO trace_search_queue (workspace_id, trace_id, generation)
         SELECT k.workspace_id, k.trace_id, nextval('trace_search_generations')
           FROM unnest($1::int[], $2::text[]) AS k (workspace_id, trace_id)
         ON CONFLICT (workspace_id, trace_id) DO UPDATE SET generation = excluded.generation`,
        [others.map(({ workspace_id }) => workspace_id), others.map(({ trace_id }) => trace_id)],
      );
      last = entries.at(-1);
    }
  }
}
