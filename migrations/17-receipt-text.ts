import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Receipts as text that says once what spans in a row have in common. Every span that is ingested writes its part of one and
 * hardly anyone ever asks for it, so it is neither taken apart into jsonb nor compressed.
 */
export class ReceiptText1780000000017 implements MigrationInterface {
  name = 'ReceiptText1780000000017';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION pg_temp.as_runs(entries jsonb) RETURNS text IMMUTABLE LANGUAGE sql AS $$
        SELECT coalesce(string_agg(
                 format('[%s,%s,%s,[%s]],', entry -> 0, entry -> 2, coalesce(entry -> 3, 'null'), entry -> 1),
                 '' ORDER BY place), '')
          FROM jsonb_array_elements(entries) WITH ORDINALITY AS e (entry, place)
      $$`);
    await this.change(db, 'text', 'pg_temp.as_runs(outcomes)');
    await db.query('ALTER TABLE ingest_receipts ALTER outcomes SET STORAGE EXTERNAL');
    await db.query('DROP FUNCTION pg_temp.as_runs(jsonb)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE FUNCTION pg_temp.as_entries(runs text) RETURNS jsonb IMMUTABLE LANGUAGE sql AS $$
        SELECT coalesce(jsonb_agg(
                 jsonb_build_array(run -> 0, span_id, run -> 1) ||
                 CASE WHEN run -> 2 = 'null' THEN '[]' ELSE jsonb_build_array(run -> 2) END
                 ORDER BY r.place, s.place), '[]')
          FROM jsonb_array_elements(('[' || rtrim(runs, ',') || ']')::jsonb) WITH ORDINALITY AS r (run, place),
               jsonb_array_elements(CASE jsonb_typeof(run -> 3) WHEN 'array' THEN run -> 3 ELSE '[]' END) WITH ORDINALITY AS s (span_id, place)
      $$`);
    await this.change(db, 'jsonb', 'pg_temp.as_entries(outcomes)');
    await db.query('DROP FUNCTION pg_temp.as_entries(text)');
  }

  private async change(db: QueryRunner, type: string, value: string): Promise<void> {
    await db.query(`ALTER TABLE ingest_receipts ALTER outcomes TYPE ${type} USING ${value}`);
  }
}
