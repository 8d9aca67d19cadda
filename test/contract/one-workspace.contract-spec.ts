import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { testDatabase } from '../support/database.js';
import { testedRelease } from '../support/postgres-release.js';
import { distributionSql } from '../support/statements/distribution.js';
import { exceptionFor } from '../support/statements/exceptions.js';
import { OneWorkspaceRule } from '../support/statements/one-workspace.js';
import { DISTRIBUTED, PartitionedDatabase } from '../support/statements/partitioned-database.js';

let db: PartitionedDatabase;
let rule: OneWorkspaceRule;

beforeAll(async () => {
  db = await PartitionedDatabase.create(inject('adminUrl'));
  rule = await OneWorkspaceRule.over(db);
});
afterAll(() => db.close());

// PostgreSQL 15 makes no plans for statements whose parameters are unknown.
describe.skipIf(testedRelease().major === '15')('the rule that a statement is of one workspace', () => {
  it.each([
    'SELECT * FROM traces WHERE workspace_id = $1 AND trace_id = $2',
    'SELECT "t"."trace_id" FROM "traces" "t" WHERE ("t"."workspace_id" = $2) AND $1::text IS NOT NULL',
    `SELECT s.* FROM traces t JOIN spans s ON s.workspace_id = t.workspace_id AND s.trace_id = t.trace_id
      WHERE t.workspace_id = $1`,
    'INSERT INTO log_claims (workspace_id, span_id) VALUES ($1, $2) ON CONFLICT (workspace_id, span_id) DO NOTHING',
    'INSERT INTO log_claims (workspace_id, span_id) SELECT $1, * FROM unnest($2::text[])',
    'UPDATE traces SET closed_at = now() WHERE workspace_id = $1 AND closed_at IS NULL',
    'DELETE FROM traces t USING unnest($2::text[]) AS k (id) WHERE t.workspace_id = $1 AND t.trace_id = k.id',
    'SELECT id FROM workspaces',
    'COMMIT',
  ])('accepts %s', async (text) => {
    expect(await rule.problems(text)).toEqual([]);
  });

  it.each([
    ['SELECT * FROM traces WHERE trace_id = $1', 'reads or writes several workspaces in traces'],
    ['SELECT * FROM traces WHERE workspace_id = ANY ($1)', 'reads or writes several workspaces in traces'],
    [
      'SELECT FROM spans s JOIN traces t ON t.trace_id = s.trace_id WHERE s.workspace_id = $1',
      'reads or writes several workspaces in traces',
    ],
    [
      `SELECT x.* FROM traces t CROSS JOIN LATERAL (
         SELECT * FROM spans s WHERE s.workspace_id = t.workspace_id AND s.trace_id = t.trace_id OFFSET 0) AS x
        WHERE t.workspace_id = $1`,
      'reads or writes several workspaces in spans',
    ],
    [
      'DELETE FROM traces t USING unnest($1::int[]) AS k (id) WHERE t.workspace_id = k.id',
      'reads or writes several workspaces in traces',
    ],
    ['UPDATE traces SET closed_at = now()', 'reads or writes several workspaces in traces'],
    [
      'DELETE FROM traces WHERE workspace_id = (SELECT min(id) FROM workspaces)',
      'reads or writes several workspaces in traces',
    ],
    [
      'INSERT INTO log_claims (workspace_id, span_id) SELECT * FROM unnest($1::int[], $2::text[])',
      'inserts rows of several workspaces into log_claims',
    ],
    [
      'INSERT INTO traces (workspace_id, trace_id) VALUES ($1, $2) ON CONFLICT (workspace_id, trace_id) DO UPDATE SET closed_at = now()',
      'reads the clock or chance in DO UPDATE SET',
    ],
    [
      'UPDATE traces SET closed_at = coalesce(closed_at, now()) WHERE workspace_id = $1',
      'reads the clock or chance in COALESCE',
    ],
    [
      'UPDATE traces SET closed_at = CASE WHEN true THEN now() END WHERE workspace_id = $1',
      'reads the clock or chance in CASE',
    ],
    [
      'UPDATE exports SET claim = gen_random_uuid() WHERE workspace_id = $1',
      'calls a volatile function in UPDATE … SET',
    ],
    ['SELECT nothing FROM traces', 'cannot be explained: column "nothing" does not exist'],
  ])('refuses %s', async (text, problem) => {
    expect(await rule.problems(text)).toEqual([problem]);
  });
});

describe('an exception to the rule', () => {
  const places = ['src/events/events.service.ts', 'src/requests/search/search.service.ts'];

  it('covers only the matching statements of a place', () => {
    expect(exceptionFor({ text: 'DELETE FROM outbox_events WHERE true', places })).toBeDefined();
    expect(exceptionFor({ text: 'SELECT FROM outbox_events', places })).toBeUndefined();
    expect(exceptionFor({ text: 'DELETE FROM outbox_events', places: places.toReversed().slice(1) })).toBeDefined();
    expect(exceptionFor({ text: 'DELETE FROM outbox_events', places: ['src/access/keys.service.ts'] })).toBeUndefined();
  });
});

describe('the schema', () => {
  /** In a migrated database as it is. */
  async function look<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const database = await testDatabase();
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
      await database.close();
    }
  }

  it('can be spread by workspace, each table after those that it refers to', async () => {
    const sql = await look(distributionSql);
    const tables = [...sql.matchAll(/create_(?:reference|distributed)_table\('(\w+)'/g)].map(([, name]) => name);
    const all = await look((client) =>
      client.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`,
      ),
    );
    expect(tables.toSorted()).toEqual(all.rows.map(({ name }) => name));
    await expect(sql).toMatchFileSnapshot('../../deploy/citus/distribute.sql');
  });

  it('refers to rows of the same workspace only, and to nothing of a workspace from what all have in common', async () => {
    const { rows } = await look((client) =>
      client.query<{ name: string }>(`
        WITH distributed AS (${DISTRIBUTED}), place AS (
          SELECT attrelid, attnum FROM pg_attribute WHERE attname = 'workspace_id')
        SELECT f.conname AS name FROM pg_constraint f
          JOIN distributed referred ON referred.oid = f.confrelid
          LEFT JOIN distributed referring ON referring.oid = f.conrelid
         WHERE f.contype = 'f' AND (referring.oid IS NULL OR NOT EXISTS (
           SELECT FROM unnest(f.conkey, f.confkey) AS k (own, other)
             JOIN place own ON own.attrelid = f.conrelid AND own.attnum = k.own
             JOIN place other ON other.attrelid = f.confrelid AND other.attnum = k.other))`),
    );
    expect(rows).toEqual([]);
  });
});
