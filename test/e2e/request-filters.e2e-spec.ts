import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlParameters } from '../../src/platform/filters/sql-parameters.js';
import { facetsOf } from '../../src/requests/facets.js';
import { requestFilter, requestTextFilter } from '../../src/requests/request-filters.js';
import { testDatabase } from '../support/database.js';
import { groups, naive, naiveText, type Row, rows, texts } from './request-filters.oracle.js';

/** The server's answer is compared with a naive evaluation of the same filter, row by row, in this process. */
describe('filters of request logs', () => {
  const sample = fc.sample(rows, { numRuns: 200, seed: 11 }).map((row, index) => ({ ...row, id: index + 1 }));
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let client: pg.Client;

  beforeAll(async () => {
    database = await testDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    // The columns and types of the real table, without the constraints on what else a request log must have.
    await client.query('CREATE TEMPORARY TABLE sample AS SELECT * FROM request_logs WITH NO DATA');
    await client.query('INSERT INTO sample SELECT * FROM jsonb_populate_recordset(NULL::sample, $1::jsonb)', [
      JSON.stringify(sample.map((row) => ({ ...row, facets: facetsOf(row) }))),
    ]);
  });

  afterAll(async () => {
    await client.end();
    await database.close();
  });

  async function found(condition: string, parameters: SqlParameters): Promise<number[]> {
    const sql = `SELECT id::int FROM sample WHERE ${condition} ORDER BY id`;
    const { rows: matches } = await client.query<{ id: number }>(sql, parameters.values);
    return matches.map(({ id }) => id);
  }

  const expected = (matches: (row: Row) => boolean) => sample.filter(matches).map(({ id }) => id);

  it('find exactly the rows that a naive evaluation finds, for any group', async () => {
    let some = 0;
    await fc.assert(
      fc.asyncProperty(groups, async (group) => {
        const parameters = new SqlParameters();
        const ids = await found(requestFilter(group, ['body'], parameters), parameters);
        expect(ids).toEqual(expected((row) => naive(group, row)));
        if (ids.length > 0 && ids.length < sample.length) some += 1;
      }),
      { numRuns: 600 },
    );
    // Guards the test itself: groups that match all rows or none would prove little.
    expect(some).toBeGreaterThan(200);
  });

  it('find exactly the rows that hold every word, for any free text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(texts, { maxLength: 2 }), async (chunks) => {
        const parameters = new SqlParameters();
        const q = chunks.join(' ');
        expect(await found(requestTextFilter(q, parameters), parameters)).toEqual(expected((row) => naiveText(q, row)));
      }),
      { numRuns: 200 },
    );
  });

  it('accept any text as a value, a key and a word', async () => {
    const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('\ud800', '\0', '"\\', '$.*'));
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const parameters = new SqlParameters();
        const key = `k${text}`;
        const filters = [
          { field: 'input_text', operator: 'contains', value: text },
          { field: 'engine', operator: 'in', value: [text, text] },
          { field: 'api_type', operator: 'is', value: text },
          { field: 'tags', operator: 'contains', value: text },
          { field: 'metadata', operator: 'key_contains', nested_key: key, value: text },
          { field: 'input_variables', operator: 'key_equals', nested_key: key, value: text },
        ];
        const group = requestFilter({ logic: 'OR', filters }, ['body'], parameters);
        const words = requestTextFilter(text, parameters);
        await expect(found(`${group} OR ${words}`, parameters)).resolves.toBeInstanceOf(Array);
      }),
      { numRuns: 300 },
    );
  });

  it('compare with the largest and smallest numbers without an overflow', async () => {
    const parameters = new SqlParameters();
    const filters = [
      { field: 'pl_id', operator: 'in', value: ['9223372036854775807', '-9223372036854775807', 3] },
      { field: 'prompt_id', operator: 'is_not', value: '9223372036854775807' },
      { field: 'input_tokens', operator: 'neq', value: 1.7e308 },
      { field: 'cost', operator: 'gte', value: '-1e-320' },
      { field: 'request_start_time', operator: 'between', value: ['0001-01-01', '9999-12-31'] },
    ];
    const free = expected((row) => row.id === 3 && row.price !== null);
    expect(await found(requestFilter({ filters }, ['body'], parameters), parameters)).toEqual(free);
  });
});
