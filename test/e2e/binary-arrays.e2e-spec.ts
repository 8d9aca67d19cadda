import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as arrays from '../../src/platform/database/binary-arrays.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { tries } from '../support/depth.js';

let database: TestDatabase;
let db: pg.Client;
beforeAll(async () => {
  database = await testDatabase();
  db = new pg.Client(database.url);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await database.close();
});

const nullable = <T>(values: fc.Arbitrary<T>) => fc.array(fc.option(values), { maxLength: 20 });
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '').toWellFormed());
const hex = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex'));

async function roundTrip(values: readonly unknown[], encoded: Buffer, type: string, column = 'v'): Promise<void> {
  const sql = `SELECT ${column} AS v FROM unnest($1::${type}[]) WITH ORDINALITY AS t (v, n) ORDER BY n`;
  const { rows } = await db.query<{ v: unknown }>(sql, [encoded]);
  expect(rows.map((row) => row.v)).toEqual(values);
}

const check = <T>(values: fc.Arbitrary<(T | null)[]>, run: (values: (T | null)[]) => Promise<void>) =>
  fc.assert(fc.asyncProperty(values, run), { numRuns: tries(40) });

it('carries integers of every size', async () => {
  await check(nullable(fc.integer({ min: -32768, max: 32767 })), (v) => roundTrip(v, arrays.int2Array(v), 'smallint'));
  await check(nullable(fc.integer()), (v) => roundTrip(v, arrays.int4Array(v), 'int'));
  await check(nullable(fc.maxSafeInteger()), (v) => roundTrip(v, arrays.int8Array(v), 'bigint', 'v::float8'));
  await check(nullable(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (v) =>
    roundTrip(
      v.map((item) => item?.toString() ?? null),
      arrays.int8Array(v),
      'bigint',
    ),
  );
});

it('carries numbers, booleans and times', async () => {
  await check(nullable(fc.double({ noNaN: true })), (v) => roundTrip(v, arrays.float8Array(v), 'float8'));
  await check(nullable(fc.boolean()), (v) => roundTrip(v, arrays.boolArray(v), 'bool'));
  const dates = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
  await check(nullable(dates), (v) =>
    roundTrip(v, arrays.timestamptzArray(v.map((date) => date?.getTime())), 'timestamptz'),
  );
});

it('carries texts, JSON, bytes and UUIDs', async () => {
  await check(nullable(text), (v) => roundTrip(v, arrays.textArray(v), 'text'));
  await check(nullable(hex), (v) => roundTrip(v, arrays.hexByteaArray(v), 'bytea', `encode(v, 'hex')`));
  await check(nullable(hex), (v) => {
    const bytes = v.map((item) => (item === null ? null : Buffer.from(item, 'hex')));
    return roundTrip(v, arrays.byteaArray(bytes), 'bytea', `encode(v, 'hex')`);
  });
  await check(nullable(fc.uuid()), (v) => roundTrip(v, arrays.uuidArray(v), 'uuid'));
  await check(nullable(fc.array(text)), (v) => {
    const json = v.map((item) => (item === null ? null : JSON.stringify(item)));
    return roundTrip(v, arrays.jsonbArray(json), 'jsonb');
  });
});

it('carries lists of texts as literals', async () => {
  await check(nullable(fc.array(text)), (v) => {
    const literals = v.map((item) => (item === null ? null : arrays.arrayLiteral(item)));
    return roundTrip(v, arrays.textArray(literals), 'text', 'v::text[]');
  });
});
