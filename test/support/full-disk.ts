import type { TestApp } from './test-app.js';

const TABLES_WITHOUT_TRIGGER = `
  SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
     AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'a_refusal')`;

/**
 * Makes PostgreSQL refuse to write to some tables, by default to all of them, with the code that it has for a full disk or another.
 * Returns the function that ends it. It replaces the body of a trigger, because dropping triggers would lock all tables at once.
 */
export async function refuseWrites(
  app: TestApp,
  { code = '53100', tables = [] as string[] } = {},
): Promise<() => Promise<void>> {
  await replaceTrigger(app, '');
  const rows = (await app.sql(TABLES_WITHOUT_TRIGGER)) as { relname: string }[];
  for (const { relname } of rows)
    await app.sql(`
      CREATE TRIGGER a_refusal BEFORE INSERT OR UPDATE OR DELETE ON ${relname} FOR EACH STATEMENT EXECUTE FUNCTION refuse_write()`);
  const isMeant = tables.length > 0 ? `TG_TABLE_NAME IN (${tables.map((name) => `'${name}'`).join(', ')})` : 'true';
  await replaceTrigger(
    app,
    `IF ${isMeant} THEN
       RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '${code}';
     END IF;`,
  );
  return () => replaceTrigger(app, '');
}

async function replaceTrigger(app: TestApp, body: string): Promise<void> {
  await app.sql(`
    CREATE OR REPLACE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$`);
}
