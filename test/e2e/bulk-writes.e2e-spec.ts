import fc from 'fast-check';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BinaryRows, LATER, type Later } from '../../src/platform/database/binary-rows.js';
import { Columns } from '../../src/platform/database/columns.js';
import { joinedTransaction, transactionOf } from '../../src/platform/database/joined-transaction.js';
import { sendTogether } from '../../src/platform/database/send-together.js';
import { CopyStatement, Statement } from '../../src/platform/database/statement.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { tries } from '../support/depth.js';

let database: TestDatabase;
let db: DataSource;
beforeAll(async () => {
  database = await testDatabase();
  db = await new DataSource({ type: 'postgres', url: database.url }).initialize();
});
afterAll(async () => {
  await db.destroy();
  await database.close();
});

const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 4 });
const text = fc.string({ unit: 'binary', maxLength: 30 }).map((value) => value.replaceAll('\0', '').toWellFormed());
/** Some are longer than what is copied into a piece. */
const anyText = fc.oneof(
  { weight: 12, arbitrary: text },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('é', 'a', '😀'), fc.nat(90_000)).map(([c, n]) => c.repeat(n)) },
);
const rowArbitrary = fc.record({
  bool: nullable(fc.boolean()),
  int2: nullable(fc.integer({ min: -32768, max: 32767 })),
  int4: nullable(fc.integer()),
  int8: nullable(fc.oneof(fc.maxSafeInteger(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))),
  float8: nullable(fc.double({ noNaN: true })),
  timestamptz: nullable(fc.integer({ min: -2_000_000_000_000, max: 7_000_000_000_000 }).map((us) => us / 8)),
  text: nullable(anyText),
  jsonb: nullable(fc.oneof(anyText, fc.array(text)).map((value) => JSON.stringify(value))),
  bytes: nullable(fc.oneof(anyText, fc.array(text)).map((value) => Buffer.from(JSON.stringify(value)))),
  bytea: nullable(fc.uint8Array({ maxLength: 30 })),
  texts: nullable(fc.array(anyText, { maxLength: 4 })),
});
type Row = typeof rowArbitrary extends fc.Arbitrary<infer T> ? T & { n: number } : never;

const COLUMNS = new Columns<Row>({
  n: ['int4', (row) => row.n],
  a_bool: ['bool', (row) => row.bool],
  an_int2: ['int2', (row) => row.int2],
  an_int4: ['int4', (row) => row.int4],
  an_int8: ['int8', (row) => row.int8],
  a_float8: ['float8', (row) => row.float8],
  a_time: ['timestamptz', (row) => row.timestamptz],
  a_text: ['text', (row) => row.text],
  some_json: ['jsonb', (row) => row.jsonb],
  json_bytes: ['jsonb', (row) => row.bytes],
  some_bytes: ['bytea', (row) => row.bytea],
  some_texts: ['textArray', (row) => row.texts],
});
const TABLE = `(n int, a_bool bool, an_int2 smallint, an_int4 int, an_int8 bigint, a_float8 float8, a_time timestamptz,
  a_text text, some_json jsonb, json_bytes jsonb, some_bytes bytea, some_texts text[])`;
const copyRows = COLUMNS.copyInto('copied');
const INSERT = new Statement(`INSERT INTO inserted (${COLUMNS.names.join(', ')}) ${COLUMNS.selection}`);

interface ReadRow {
  an_int8: string | null;
  a_text: string | null;
  some_bytes: Buffer | null;
  some_texts: string[] | null;
  a_time: Date | null;
}

it('rows sent by COPY equal rows sent as arrays, and both equal the given values', async () => {
  for (const table of ['copied', 'inserted']) await db.query(`CREATE TABLE ${table} ${TABLE}`);
  await fc.assert(
    fc.asyncProperty(fc.array(rowArbitrary, { maxLength: 30 }), async (given) => {
      const rows = given.map((row, n) => ({ ...row, n }));
      await db.query('TRUNCATE copied, inserted');
      await transactionOf(db, [copyRows([COLUMNS.encode(rows)]), INSERT.with(COLUMNS.values(rows))]);
      const copied = await db.query<ReadRow[]>('SELECT * FROM copied ORDER BY n');
      expect(copied).toEqual(await db.query('SELECT * FROM inserted ORDER BY n'));
      expect(copied.map((row) => row.an_int8)).toEqual(rows.map((row) => row.int8?.toString() ?? null));
      expect(copied.map((row) => row.a_text)).toEqual(rows.map((row) => row.text));
      expect(copied.map((row) => row.some_texts)).toEqual(rows.map((row) => row.texts));
      expect(copied.map((row) => row.some_bytes)).toEqual(rows.map((row) => row.bytea && Buffer.from(row.bytea)));
      expect(copied.map((row) => row.a_time?.getTime())).toEqual(
        rows.map((row) => (row.timestamptz === null ? undefined : Math.floor(row.timestamptz))),
      );
    }),
    { numRuns: tries(60) },
  );
});

it.each([undefined, Infinity])(
  'rows may be written before their ids are known, in any parts (long: %s)',
  async (long) => {
    const columns = new Columns<{ n: number; id: number | Later | null; text: string }>({
      // Rows may lie on the pages of a table in any order.
      n: ['int4', ({ n }) => n],
      id: ['int8', ({ id }) => id],
      text: ['text', ({ text }) => text],
    });
    const copy = columns.copyInto('late');
    await db.query('CREATE TABLE late (n int, id bigint, text text)');
    const row = fc.record({
      id: fc.option(fc.nat()),
      text: fc.constantFrom('', 'short', 'x'.repeat(30_000), 'é'.repeat(70_000)),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(row, { maxLength: 12 }), { maxLength: 3 }), async (parts) => {
        await db.query('TRUNCATE late');
        let n = 0;
        const written = parts.map((given) => {
          const rows = new BinaryRows(long);
          for (const { id, text } of given) columns.append({ n: n++, id: id === null ? null : LATER, text }, rows);
          const ids = given.flatMap(({ id }) => (id === null ? [] : [id]));
          rows.fill(ids.map((id) => id + 1));
          rows.fill(ids);
          return rows;
        });
        await transactionOf(db, [copy(written)]);
        const stored = await db.query<{ id: string | null; text: string }[]>('SELECT id, text FROM late ORDER BY n');
        expect(stored).toEqual(parts.flat().map(({ id, text }) => ({ id: id?.toString() ?? null, text })));
      }),
      { numRuns: 30 },
    );
    await db.query('DROP TABLE late');
  },
);

/** Says that there is a field of so many bytes more than there are. */
function halfRow(bytes: number): BinaryRows {
  const rows = new BinaryRows();
  rows.startRow(2);
  rows.bytea(Buffer.alloc(bytes));
  return rows;
}

describe('statements that are sent together', () => {
  const ADD = new Statement<{ id: number }>('INSERT INTO numbers (id) SELECT * FROM unnest($1::int[]) RETURNING id');
  const COUNT = new Statement<{ count: number }>('SELECT count(*)::int AS count FROM numbers');
  const FAIL = new Statement('SELECT 1 / $1::int');
  const NO_SQL = new Statement('SELEKT');
  const NUMBERS = new Columns<number>({ id: ['int4', (id) => id] });
  const copyInto = NUMBERS.copyInto('numbers');
  const copyNumbers = (...ids: number[]) => copyInto([NUMBERS.encode(ids)]);
  const add = (...ids: number[]) => ADD.with(NUMBERS.values(ids));

  beforeEach(() => db.query('CREATE TABLE numbers (id int PRIMARY KEY)'));
  afterEach(() => db.query('DROP TABLE numbers'));

  const stored = async () =>
    (await db.query<{ id: number }[]>('SELECT id FROM numbers ORDER BY id')).map(({ id }) => id);
  /** On one connection, whose prepared statements stay. */
  async function onConnection(work: (tx: EntityManager) => Promise<void>): Promise<void> {
    const runner = db.createQueryRunner();
    try {
      await work(runner.manager);
    } finally {
      await runner.release();
    }
  }

  it('give the rows of each, also when one is in it twice', () =>
    onConnection(async (tx) => {
      const results = await sendTogether(tx, [add(1, 2), COUNT.with([]), copyNumbers(3, 4), add(5), COUNT.with([])]);
      expect(results).toEqual([[{ id: 1 }, { id: 2 }], [{ count: 2 }], [], [{ id: 5 }], [{ count: 5 }]]);
      expect(await sendTogether(tx, [])).toEqual([]);
    }));

  it.each([
    ['fails', FAIL.with([0]), '22012'],
    ['is no SQL', NO_SQL.with([]), '42601'],
    ['copies a row that is there', copyNumbers(7, 1, 8), '23505'],
    ['copies what is no row', new CopyStatement('numbers', ['id']).with([halfRow(0)]), '22P04'],
    ['copies into nothing', new CopyStatement('nowhere', ['id']).with([halfRow(300_000)]), '42P01'],
  ])('end at one that %s; the connection can be used on', (_, failing, code) =>
    onConnection(async (tx) => {
      await sendTogether(tx, [add(1)]);
      const late = new Statement<{ late: string }>(`SELECT 'prepared late' AS late -- ${code}`).with([]);
      for (let time = 0; time < 2; time++) {
        await expect(sendTogether(tx, [COUNT.with([]), failing, add(2), late])).rejects.toMatchObject({ code });
        expect(await stored()).toEqual([1]);
      }
      expect(await sendTogether(tx, [late, COUNT.with([])])).toEqual([[{ late: 'prepared late' }], [{ count: 1 }]]);
      expect(await COUNT.run(tx, [])).toEqual([{ count: 1 }]);
    }),
  );

  it('are prepared once, together or alone', () =>
    onConnection(async (tx) => {
      const ours = new Statement<{ a: number }>('SELECT 1 AS a');
      const theirs = new Statement<{ b: number }>('SELECT 2 AS b');
      await ours.run(tx, []);
      expect(await sendTogether(tx, [ours.with([]), theirs.with([])])).toEqual([[{ a: 1 }], [{ b: 2 }]]);
      expect(await theirs.run(tx, [])).toEqual([{ b: 2 }]);
      expect(await ours.run(tx, [])).toEqual([{ a: 1 }]);
    }));

  it('are one transaction: all are stored or none', async () => {
    await transactionOf(db, [add(1), copyNumbers(2)]);
    await expect(transactionOf(db, [add(3), copyNumbers(2)])).rejects.toMatchObject({ code: '23505' });
    expect(await stored()).toEqual([1, 2]);
  });

  it('may begin a transaction that others end; what fails between them takes all back', async () => {
    const count = await joinedTransaction(db, async (tx) => {
      const [added, [{ count }]] = await tx.begin([add(1), COUNT.with([])]);
      expect(added).toEqual([{ id: 1 }]);
      await tx.commit([copyNumbers(2)]);
      return count;
    });
    expect(count).toBe(1);
    const failing = joinedTransaction(db, async (tx) => {
      await tx.begin([add(3)]);
      throw new Error('not this one');
    });
    await expect(failing).rejects.toThrow('not this one');
    expect(await stored()).toEqual([1, 2]);
  });

  it('fail when their connection is lost, and leave the next one to others', async () => {
    const lost = joinedTransaction(db, async (tx) => {
      await tx.begin([add(1)]);
      const [{ pid }] = await tx.manager.query<{ pid: number }[]>('SELECT pg_backend_pid() AS pid');
      await db.query('SELECT pg_terminate_backend($1)', [pid]);
      await tx.commit([add(2)]);
    });
    await expect(lost).rejects.toThrow();
    expect(await stored()).toEqual([]);
  });
});
