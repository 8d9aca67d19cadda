import type { TestApp } from './test-app.js';

const EVERYTHING = `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`;

/**
 * Makes PostgreSQL refuse to write to some tables, by default to all of them, with the code that it has for a full disk or another.
 * Gives the function that ends it.
 */
export async function refuseWrites(
  app: TestApp,
  { code = '53100', tables = [] as string[] } = {},
): Promise<() => Promise<void>> {
  await app.sql(`
    CREATE OR REPLACE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '${code}';
    END $$`);
  const names = tables.length > 0 ? tables : await namesOfAll(app);
  for (const name of names)
    await app.sql(`
      CREATE TRIGGER a_refusal BEFORE INSERT OR UPDATE OR DELETE ON ${name} FOR EACH STATEMENT EXECUTE FUNCTION refuse_write()`);
  return async () => {
    await app.sql('DROP FUNCTION IF EXISTS refuse_write() CASCADE');
  };
}

async function namesOfAll(app: TestApp): Promise<string[]> {
  const rows = (await app.sql(EVERYTHING)) as { relname: string }[];
  return rows.map(({ relname }) => relname);
}
