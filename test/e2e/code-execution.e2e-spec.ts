import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statOf } from '../../scripts/lib/process-stat.mjs';
import type { Client } from '../support/client.js';
import {
  addColumn,
  type Cell,
  cellsOf,
  type Column,
  editCell,
  newSheet,
  settled,
  type TestSheet,
} from '../support/factories.js';
import { cancel, readOperation, recalculate } from '../support/external-cells.js';
import { childrenOf } from '../support/runner/processor-time.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

function codeColumn(sheet: TestSheet, language: string, code: string, client = me): Promise<Column> {
  return addColumn(client, sheet, { title: 'Result', type: 'CODE_EXECUTION', config: { language, code } });
}

async function computed(sheet: TestSheet, language: string, code: string, client = me): Promise<Cell[]> {
  const column = await codeColumn(sheet, language, code, client);
  await settled(client, sheet);
  return cellsOf(client, sheet, column.id);
}

/** A sheet of one row with these texts by title beside "Column A". */
async function sheetOf(values: Record<string, unknown>): Promise<TestSheet> {
  const sheet = await newSheet(me, ['first']);
  for (const [title, value] of Object.entries(values)) {
    const { id } = await addColumn(me, sheet, { title, type: 'TEXT' });
    const [cell] = await cellsOf(me, sheet, id);
    if (value !== null) await editCell(me, sheet, cell!, { value });
  }
  return sheet;
}

async function resultOf(language: string, code: string, values: Record<string, unknown> = {}): Promise<Cell> {
  return (await computed(await sheetOf(values), language, code))[0]!;
}

describe('what code gets', () => {
  it.each([
    ['python', 'return data', { 'Column A': 'first', B: '{"a": 1}', C: null }],
    ['JavaScript', 'return data', { 'Column A': 'first', B: '{"a": 1}', C: null }],
    [
      'Python',
      'return [data["B"], data.get("B"), data.get("D"), data.get("D", 7), list(data.keys())]',
      ['{"a": 1}', '{"a": 1}', null, 7, ['Column A', 'B', 'C']],
    ],
    [
      'JAVASCRIPT',
      'return [data["B"], data.get("B"), data.B, data.get("D"), data.get("D", 7), Object.keys(data)]',
      ['{"a": 1}', '{"a": 1}', '{"a": 1}', null, 7, ['Column A', 'B', 'C']],
    ],
    [
      'PYTHON',
      'from datetime import datetime\nfrom zoneinfo import ZoneInfo, available_timezones\n' +
        'noon = datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))\n' +
        'return [noon.isoformat(), noon.astimezone(ZoneInfo("Asia/Kolkata")).isoformat(), "US/Eastern" in available_timezones()]',
      ['2024-07-01T12:00:00+02:00', '2024-07-01T15:30:00+05:30', true],
    ],
    ['JAVASCRIPT', 'return [data.get("constructor"), data.get("get"), "get" in { ...data }]', [null, null, false]],
  ])('%s: %s', async (language, code, value) => {
    expect(await resultOf(language, code, { B: '{"a": 1}', C: null })).toMatchObject({ status: 'completed', value });
  });

  it.each([
    ['PYTHON', 'return [data["__proto__"], data["get"], len(data)]'],
    ['JAVASCRIPT', 'return [data.__proto__, data.get, Object.keys(data).length]'],
  ])('columns with any title in %s', async (language, code) => {
    const values = { constructor: '', get: 'g', ['__proto__']: 'p' };
    expect((await resultOf(language, code, values)).value).toEqual(['p', 'g', 4]);
  });
});

describe('the value of a cell', () => {
  it.each<[string, string, unknown]>([
    ['PYTHON', 'return {"a": [1, 2.5, None, True, "é"]}', { a: [1, 2.5, null, true, 'é'] }],
    ['PYTHON', 'return None', null],
    ['PYTHON', 'result = 7', 7],
    ['PYTHON', 'result = 7\nreturn 8', 8],
    ['PYTHON', 'result = 7\nif result:\n    return None', null],
    ['PYTHON', 'global result\nresult = 7', 7],
    ['PYTHON', 'pass', null],
    ['PYTHON', 'text = """\n  two lines\n"""\nreturn text', '\n  two lines\n'],
    ['PYTHON', 'def double(n):\n    return 2 * n\nreturn [double(n) for n in range(3)]', [0, 2, 4]],
    ['PYTHON', 'from __future__ import annotations\nimport json, math\nreturn json.dumps([math.floor(2.5)])', '[2]'],
    ['PYTHON', 'print("ignored")\nreturn (1, 2)', [1, 2]],
    ['PYTHON', 'class Score:\n    def __init__(self):\n        self.value = 3\nreturn Score().value', 3],
    ['JAVASCRIPT', 'return { a: [1, 2.5, null, true, "é"], b: undefined }', { a: [1, 2.5, null, true, 'é'] }],
    ['JAVASCRIPT', 'return null', null],
    ['JAVASCRIPT', 'result = 7', 7],
    ['JAVASCRIPT', 'const result = 7;', 7],
    ['JAVASCRIPT', 'result = 7; return 8', 8],
    ['JAVASCRIPT', 'result = 7; if (result) return;', 7],
    ['JAVASCRIPT', 'result = 7; return null', null],
    ['JAVASCRIPT', 'undeclared = 1; // a comment at the end', null],
    ['JAVASCRIPT', 'console.log("ignored"); return new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['JAVASCRIPT', 'return (async () => { await null; return 7; })()', 7],
    ['JAVASCRIPT', 'result = Promise.resolve(7)', 7],
    ['JAVASCRIPT', 'Promise.resolve(7).then((value) => { result = value; });', 7],
    ['JAVASCRIPT', 'const value = await Promise.resolve(7); return value', 7],
  ])('%s: %s', async (language, code, value) => {
    expect(await resultOf(language, code)).toMatchObject({ status: 'completed', error: null, value });
  });

  it('is a whole number with all its digits', async () => {
    const sheet = await newSheet(me, ['x']);
    await computed(sheet, 'PYTHON', 'return 2 ** 64 + 1');
    const { bytes } = await me.request('GET', `${sheet.path}/rows`);
    expect(bytes.toString()).toContain('18446744073709551617');
  });
});

describe('a cell whose code', () => {
  it.each<[string, string, string]>([
    ['PYTHON', 'x = 1\nreturn x / 0', 'ZeroDivisionError: division by zero (line 2)'],
    ['PYTHON', 'return data["No such"]', "KeyError: 'No such' (line 1)"],
    ['PYTHON', 'x = 1\nreturn (', "SyntaxError: '(' was never closed (line 2)"],
    ['PYTHON', 'def f():\n    raise ValueError("no")\n\nf()', 'ValueError: no (line 2)'],
    ['PYTHON', 'return float("nan")', 'ValueError: Out of range float values are not JSON compliant: nan'],
    ['PYTHON', 'return {1, 2}', 'TypeError: Object of type set is not JSON serializable'],
    ['PYTHON', 'return b"x"', 'TypeError: Object of type bytes is not JSON serializable'],
    ['PYTHON', 'return print', 'TypeError: Object of type builtin_function_or_method is not JSON serializable'],
    ['PYTHON', 'a = []\na.append(a)\nreturn a', 'ValueError: Circular reference detected'],
    ['PYTHON', 'import numpy', "ModuleNotFoundError: No module named 'numpy' (line 1)"],
    ['JAVASCRIPT', 'const x = 1;\nreturn x.y.z', "TypeError: cannot read property 'z' of undefined (line 2)"],
    ['JAVASCRIPT', 'return missing', "ReferenceError: 'missing' is not defined (line 1)"],
    ['JAVASCRIPT', 'const x = 1;\nreturn (', 'SyntaxError'],
    ['JAVASCRIPT', 'throw new RangeError("no")', 'RangeError: no (line 1)'],
    ['JAVASCRIPT', 'throw "no"', 'Uncaught no'],
    ['JAVASCRIPT', 'return Promise.reject(new Error("no"))', 'Error: no (line 1)'],
    ['JAVASCRIPT', 'return { a: NaN }', 'TypeError: The result holds NaN, which is not JSON'],
    ['JAVASCRIPT', 'return [() => 1]', 'TypeError: The result holds a function, which is not JSON'],
    ['JAVASCRIPT', 'return 1n', 'TypeError: The result holds a bigint, which is not JSON'],
    ['JAVASCRIPT', 'return new Set([1])', 'TypeError: The result holds Set, which is not JSON'],
    ['JAVASCRIPT', 'return new Uint8Array(1)', 'TypeError: The result holds Uint8Array, which is not JSON'],
    ['JAVASCRIPT', 'const a = []; a.push(a); return a', 'TypeError: circular reference'],
    ['JAVASCRIPT', 'return new Promise(() => {})', 'never settles'],
  ])('fails says why (%s: %s)', async (language, code, message) => {
    const cell = await resultOf(language, code);
    expect(cell).toMatchObject({ status: 'error', value: null });
    expect(cell.error_message).toContain(message);
  });

  it('fails in one row has values in the others', async () => {
    for (const [language, code] of [
      ['PYTHON', 'return 1 / int(data["Column A"])'],
      ['JAVASCRIPT', 'if (data["Column A"] === "0") throw new Error("zero"); return 1 / data["Column A"]'],
    ] as const) {
      const cells = await computed(await newSheet(me, ['1', '0', '2', '0', '4']), language, code);
      expect(cells.map(({ status, value }) => [status, value])).toEqual([
        ['completed', 1],
        ['error', null],
        ['completed', 0.5],
        ['error', null],
        ['completed', 0.25],
      ]);
    }
  });
});

describe('a column', () => {
  it.each([
    ['without code', { language: 'PYTHON' }, 'code'],
    ['with blank code', { language: 'PYTHON', code: ' \n' }, 'code'],
    ['without a language', { code: 'return 1' }, 'language'],
    ['in another language', { code: 'return 1', language: 'RUBY' }, "'PYTHON', 'JAVASCRIPT'"],
    ['with code that is no text', { code: 1, language: 'PYTHON' }, 'code'],
    ['with more code than fits', { code: `return "${'é'.repeat(600_000)}"`, language: 'PYTHON' }, '1048576 bytes'],
  ])('is refused %s', async (_, config, problem) => {
    const sheet = await newSheet(me, ['x']);
    const body = { title: 'Code', type: 'CODE_EXECUTION', config };
    const { status, body: answer } = await me.request('POST', `${sheet.path}/columns`, body);
    expect([status, JSON.stringify(answer)]).toEqual([400, expect.stringContaining(problem)]);
  });

  it('is listed among the types, with an example that can be sent', async () => {
    const { column_types: types } = (await me.get('/api/public/v2/column-types')) as { column_types: ListedType[] };
    const { aliases, kind, config_schema: schema } = types.find(({ type }) => type === 'CODE_EXECUTION')!;
    expect([aliases, kind, schema.required]).toEqual([['CODE'], 'external', ['code', 'language']]);
    const config = Object.fromEntries(
      Object.entries(schema.properties).map(([key, { examples }]) => [key, examples[0]]),
    );
    const sheet = await sheetOf({ B: 'four' });
    const column = await addColumn(me, sheet, { title: 'Example', type: 'code', config });
    await settled(me, sheet);
    expect(column).toMatchObject({ type: 'CODE_EXECUTION', config });
    expect((await cellsOf(me, sheet, column.id))[0]!.value).toEqual({ 'Column A': 5, B: 4 });
  });

  it('runs again whenever it is recalculated, and becomes stale when a cell to its left changes', async () => {
    const sheet = await newSheet(me, ['a']);
    const column = await codeColumn(sheet, 'JAVASCRIPT', 'return [data["Column A"], Math.random()]');
    const next = async () => {
      await settled(me, sheet);
      return (await cellsOf(me, sheet, column.id))[0]!.value;
    };
    const seen = [await next()];
    for (let count = 0; count < 3; count++) {
      await recalculate(me, sheet);
      seen.push(await next());
    }
    expect(new Set(seen.map((value) => JSON.stringify(value))).size).toBe(4);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    expect(await editCell(me, sheet, cell!, { value: 'b' })).toMatchObject({ stale_count: 1 });
  });

  it.each([
    ['PYTHON', 'import os, random\nreturn random.random()'],
    ['JAVASCRIPT', 'return Math.random()'],
  ])('has different random numbers in every row (%s)', async (language, code) => {
    const cells = await computed(await newSheet(me, ['a', 'b', 'c', 'd']), language, code);
    expect(new Set(cells.map(({ value }) => value)).size).toBe(4);
  });
});

const ENDLESS = [
  ['PYTHON', 'while data["Column A"] == "endless": pass\nreturn 1'],
  ['JAVASCRIPT', 'while (data["Column A"] === "endless"); return 1'],
] as const;

describe.each(ENDLESS)('code in %s that runs', (language, code) => {
  it('ends at once when the operation is cancelled, and so does its process', async () => {
    const sheet = await newSheet(me, ['endless', 'endless', 'endless', 'endless']);
    const column = await codeColumn(sheet, language, code);
    await until(async () => (await cellsOf(me, sheet, column.id)).every(({ status }) => status === 'running'));
    const pid = await busyProcess();
    const { id } = await cancel(me, sheet);
    await settled(me, sheet);
    expect((await readOperation(me, sheet, id)).status).toBe('cancelled');
    await until(() => Promise.resolve(!isAlive(pid)));
    expect((await computed(await newSheet(me, ['x']), language, code))[0]!.value).toBe(1);
  });

  it('fails alone when its process is killed', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'endless', 'c', 'd']);
    const column = await codeColumn(sheet, language, code);
    const pid = await busyProcess();
    process.kill(pid, 'SIGKILL');
    await settled(me, sheet);
    const cells = await cellsOf(me, sheet, column.id);
    expect(cells.map(({ status, value }) => [status, value])).toEqual([
      ['completed', 1],
      ['completed', 1],
      ['error', null],
      ['completed', 1],
      ['completed', 1],
    ]);
  });

  it('does not keep another workspace waiting', async () => {
    const sheet = await newSheet(me, ['endless', 'endless', 'endless', 'endless', 'endless']);
    const column = await codeColumn(sheet, language, code);
    await until(async () => (await cellsOf(me, sheet, column.id)).every(({ status }) => status === 'running'));
    const stranger = await app.stranger();
    const theirs = await newSheet(stranger, ['x']);
    expect((await computed(theirs, language, 'return data["Column A"]', stranger))[0]!.value).toBe('x');
    const cells = await cellsOf(me, sheet, column.id);
    expect(cells.every(({ status }) => status === 'running')).toBe(true);
    await cancel(me, sheet);
    await settled(me, sheet);
  });
});

interface ListedType {
  type: string;
  kind: string;
  aliases: string[];
  config_schema: { required: string[]; properties: Record<string, { examples: unknown[] }> };
}

/** More processor time than a process takes to start or for a few short rows. */
const LONG_MS = 3000;

/** The sandbox process that computes without end, found by its processor time. */
async function busyProcess(): Promise<number> {
  const before = new Map<number, number>();
  let busy: number | undefined;
  await until(() => {
    busy = childrenOf(process.pid).find((pid) => {
      const taken = statOf(pid)?.processorMs ?? 0;
      if (!before.has(pid)) before.set(pid, taken);
      return taken - before.get(pid)! > LONG_MS;
    });
    return Promise.resolve(busy !== undefined);
  });
  return busy!;
}

const isAlive = (pid: number): boolean => !['Z', undefined].includes(statOf(pid)?.state);
