import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import Papa from 'papaparse';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  cellsOf,
  editCell,
  newSheet,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { contentOf, createFrom, importFile, newTable, sheetFromFile, base64 } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;

beforeAll(async () => {
  app = await TestApp.start({ env: { READING_POOL: '1' } });
  me = app.client;
});
afterAll(() => app.stop());

/** Texts that some format or program could mistake for something. */
const AWKWARD = [
  '=1+1',
  '+1',
  '-1',
  '@x',
  'a,b',
  'say "x"',
  'two\nlines',
  'tab\there',
  ' blanks ',
  'ü😀',
  '<&>',
  '_x0041_',
  '\u0001',
];

const get = async (sheet: Pick<TestSheet, 'path'>, query: string) => {
  const answer = await me.request('GET', `${sheet.path}/export?${query}`);
  expect(answer.status).toBe(200);
  return answer;
};
const csv = async (sheet: Pick<TestSheet, 'path'>, query = '') =>
  (await get(sheet, `format=csv${query}`)).bytes.toString();

/** The texts of the pages of a workbook by row, as a program would show them; null where a cell is missing. */
function readXlsx(bytes: Buffer) {
  const files = Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, file]) => [name, strFromU8(file)]));
  const plain = (text: string) =>
    text
      .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name]!)
      .replace(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const rowsOf = (page: string) =>
    [...files[`xl/${page}`]!.matchAll(/<row r="(\d+)">(.*?)<\/row>/gs)].map(([, , cells]) =>
      Object.fromEntries(
        [
          ...cells!.matchAll(/<c r="([A-Z]+)\d+"(?: t="(\w+)")?>(?:<is><t[^>]*>(.*?)<\/t><\/is>|<v>(.*?)<\/v>)<\/c>/gs),
        ].map(([, column, type, text, value]) => [
          column,
          type === 'inlineStr' ? plain(text!) : type === 'b' ? value === '1' : Number(value),
        ]),
      ),
    );
  const targets = Object.fromEntries(
    [...files['xl/_rels/workbook.xml.rels']!.matchAll(/Id="(\w+)"[^>]*Target="([^"]+)"/g)].map(([, id, file]) => [
      id,
      file!,
    ]),
  );
  const pages = [...files['xl/workbook.xml']!.matchAll(/<sheet name="([^"]*)"[^>]*r:id="(\w+)"/g)].map(
    ([, name, id]) => ({ name: plain(name!), rows: rowsOf(targets[id!]!) }),
  );
  return { files, pages, rows: pages.at(-1)!.rows };
}

async function awkwardSheet(): Promise<TestSheet> {
  const sheet = await newSheet(me, AWKWARD);
  await addCount(me, sheet, 'Length');
  await addColumn(me, sheet, { title: 'Blank', type: 'TEXT' });
  await settled(me, sheet);
  return sheet;
}

describe('the CSV of a sheet', () => {
  it('holds titles, texts, numbers and blank cells, in the order of the sheet', async () => {
    const sheet = await newSheet(me, ['a,b', '1', 'x']);
    await addCount(me, sheet, 'Length');
    await addColumn(me, sheet, { title: 'Blank "one"', type: 'TEXT' });
    await settled(me, sheet);
    expect(await csv(sheet)).toBe('Column A,Length,"Blank ""one"""\r\n"a,b",3,\r\n1,1,\r\nx,1,\r\n');
  });

  it('puts an apostrophe before texts and titles that are formulas, and before no number', async () => {
    const formulas = ['=1+1', '+1', '-1', '@x', '\tx', '\rx', '＝1', '＋1', '－1', '＠x', '=a\nb', '="x"', "-5 and '6"];
    const sheet = await newSheet(me, [...formulas, 'a=b', ' =1', "'=1"]);
    const negative = { code: "return -5 - data['Column A'].length", language: 'JAVASCRIPT' };
    await addColumn(me, sheet, { title: '=Less', type: 'CODE_EXECUTION', config: negative });
    await settled(me, sheet);
    const [header, ...rows] = Papa.parse<string[]>(await csv(sheet), { newline: '\r\n', delimiter: ',' }).data;
    expect(header).toEqual(['Column A', "'=Less"]);
    expect(rows.map(([text]) => text).slice(0, -1)).toEqual([
      ...formulas.map((text) => `'${text}`),
      'a=b',
      ' =1',
      "''=1",
    ]);
    expect(rows.map(([, number]) => number)[0]).toBe('-9');
    expect(await csv(sheet, '&escape_formulas=false')).toContain('\r\n=1+1,-9\r\n');
  });

  it.each(['', '&escape_formulas=false'])('can be imported again and is the same (%s)', async (query) => {
    const sheet = await awkwardSheet();
    const file = await csv(sheet, query);
    const { sheets } = await newTable(me);
    const copy = await sheetFromFile(me, sheets, file);
    expect(copy.operation).toMatchObject({ status: 'completed', rows_added: AWKWARD.length });
    const { rows } = await contentOf(me, `${sheets}/${copy.sheet.id}`);
    expect(rows.map(([text]) => text)).toEqual(AWKWARD);
    expect(await csv({ path: `${sheets}/${copy.sheet.id}` }, query)).toBe(file);
  });

  it('keeps blank rows of a single column', async () => {
    const sheet = await newSheet(me, ['a', null, 'b', null]);
    const { sheets } = await newTable(me);
    const copy = await sheetFromFile(me, sheets, await csv(sheet));
    expect(await contentOf(me, `${sheets}/${copy.sheet.id}`)).toMatchObject({ rows: [['a'], [null], ['b'], [null]] });
  });

  it('holds every row of a large sheet once, in order', async () => {
    const { sheets } = await newTable(me);
    const lines = Array.from({ length: 12_000 }, (_, row) => `${row},${'text '.repeat(row % 60)}x`);
    const file = `n,text\r\n${lines.join('\r\n')}\r\n`;
    const { sheet } = await sheetFromFile(me, sheets, file);
    expect(await csv({ path: `${sheets}/${sheet.id}` })).toBe(file);
  });

  it('leaves out deleted rows and what an import has not shown yet', async () => {
    const { sheets } = await newTable(me);
    const { sheet } = await sheetFromFile(me, sheets, 'a\n1\n2\n3\n');
    const path = `${sheets}/${sheet.id}`;
    await me.delete(`${path}/rows`, 200, { row_indices: [1] });
    expect(await csv({ path })).toBe('a\r\n1\r\n3\r\n');
  });
});

describe('the JSON lines of a sheet', () => {
  it('hold the values as they are, with a key of its own for every column', async () => {
    const sheet = await newSheet(me, ['x']);
    await addCount(me, sheet, 'Column A');
    await addColumn(me, sheet, { title: '7', type: 'TEXT' });
    await settled(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: { deep: [1, null] } });
    const { bytes, headers } = await get(sheet, 'format=jsonl');
    expect(bytes.toString()).toBe('{"Column A":{"deep":[1,null]},"Column A (2)":1,"7":null}\n');
    expect(headers['content-type']).toBe('application/x-ndjson');
  });
});

describe('the XLSX of a sheet', () => {
  it('holds texts as texts, whatever they look like, and numbers as numbers', async () => {
    const sheet = await awkwardSheet();
    const { bytes, headers } = await get(sheet, 'format=xlsx');
    const { files, rows } = readXlsx(bytes);
    expect(Object.keys(files).toSorted()).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/_rels/workbook.xml.rels',
      'xl/workbook.xml',
      'xl/worksheets/sheet1.xml',
      'xl/worksheets/sheet2.xml',
    ]);
    expect(rows).toEqual([
      { A: 'Column A', B: 'Length', C: 'Blank' },
      ...AWKWARD.map((text) => ({ A: text, B: [...text].length })),
    ]);
    expect(files['xl/worksheets/sheet1.xml']).not.toContain('<f>');
    expect(headers['content-type']).toMatch(/spreadsheetml/);
  });

  it('begins with a page of statistics for each column', async () => {
    const sheet = await newSheet(me, ['refund', 'refund', 'order', null]);
    await addCount(me, sheet, 'Length');
    await addColumn(me, sheet, { title: 'Refund', type: 'CONTAINS', config: { source: 'Column A', value: 'refund' } });
    await settled(me, sheet);
    const { pages } = readXlsx((await get(sheet, 'format=xlsx')).bytes);
    expect(pages.map(({ name }) => name)).toEqual(['Summary', 'Sheet 1']);
    const [titles, ...rows] = pages[0]!.rows.map((row) => Object.entries(row));
    const named = rows.map((row) =>
      Object.fromEntries(row.map(([letter, value]) => [Object.fromEntries(titles!)[letter], value])),
    );
    expect(named).toMatchObject([
      { Column: 'Column A', Type: 'TEXT', Rows: 4, Empty: 1, Texts: 3, 'Most frequent texts': 'refund (2)\norder (1)' },
      { Column: 'Length', Type: 'COUNT', Empty: 1, Failed: 0, Numbers: 3, Min: 5, Max: 6, Sum: 17 },
      { Column: 'Refund', True: 2, False: 1, 'Pass rate': 0.666666666666667 },
    ]);
  });

  it('has figures of the rows that are exported, and none of the past', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    await me.patch(sheet.path, { title: 'summary' });
    const filter = encodeURIComponent(JSON.stringify({ filters: [{ field: 'Column A', operator: 'is', value: 'b' }] }));
    const { pages } = readXlsx((await get(sheet, `format=xlsx&filter=${filter}`)).bytes);
    expect(pages.map(({ name }) => name)).toEqual(['Summary of columns', 'summary']);
    expect(pages[0]!.rows[1]).toMatchObject({ A: 'Column A', C: 1 });
    const past = readXlsx((await get(sheet, `format=xlsx&version=${await versionOf(me, sheet)}`)).bytes);
    expect(past.pages.map(({ name }) => name)).toEqual(['summary']);
  });

  it('stores numbers with the precision of spreadsheet programs, and longer ones as text', async () => {
    const sheet = await newSheet(me, [0.000031349999999999996, 0.1 + 0.2, -12.5, 123456789012345]);
    const values = ['9007199254740991', '-9007199254740993', '123456789012345678901234567890'];
    const json = values.map((value) => `{"${sheet.columnId}": ${value}}`).join(', ');
    const client = me.with({ 'content-type': 'application/json' });
    await client.post(`${sheet.path}/rows`, `{"count": 3, "values": [${json}]}`, 201);
    const { rows } = readXlsx((await get(sheet, 'format=xlsx')).bytes);
    const shown = [0.00003135, 0.3, -12.5, 123456789012345, ...values];
    expect(rows.slice(1).map(({ A }) => A)).toEqual(shown);
    expect(await csv(sheet)).toContain(values.join('\r\n'));
  });

  it('cuts off what is longer than a cell can hold', async () => {
    const { rows } = readXlsx((await get(await newSheet(me, ['x'.repeat(40_000)]), 'format=xlsx')).bytes);
    expect(String(rows[1]!.A)).toBe(`${'x'.repeat(32_766)}…`);
  });
});

describe('a download', () => {
  it('is called like the sheet, without anything a header or file system could misread', async () => {
    const sheet = await newSheet(me);
    await me.patch(sheet.path, { title: '../Größe "x"\r\nEvil: 1/2' });
    const { headers } = await get(sheet, '');
    expect(headers['content-disposition']).toBe(
      `attachment; filename="__Gr__e _x___Evil_ 1_2.csv"; filename*=UTF-8''__Gr%C3%B6%C3%9Fe%20%22x%22__Evil%3A%201_2.csv`,
    );
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
  });

  it('shows the sheet at a version, also one that has been left behind', async () => {
    const sheet = await newSheet(me, ['old']);
    const before = await versionOf(me, sheet);
    const [cell] = await cellsOf(me, sheet, sheet.columnId);
    await editCell(me, sheet, cell!, { value: 'new' });
    await importFile(me, sheet.path, 'Column A\nmore\n');
    expect(await csv(sheet)).toBe('Column A\r\nnew\r\nmore\r\n');
    expect(await csv(sheet, `&version=${before}`)).toBe('Column A\r\nold\r\n');
    expect(await csv(sheet, `&version=${before + 1}`)).toBe('Column A\r\nnew\r\n');
  });

  it('is also a file for a sheet without columns or without rows', async () => {
    const { sheets } = await newTable(me);
    const source = { type: 'file', file_name: 'x.csv', file_content_base64: base64('a,b\n') };
    const { sheet } = await createFrom(me, sheets, { source });
    expect(await csv({ path: `${sheets}/${sheet.id}` })).toBe('a,b\r\n');
    const columns = (await me.get(`${sheets}/${sheet.id}/columns`)) as { data: { id: string }[] };
    for (const { id } of columns.data) await me.delete(`${sheets}/${sheet.id}/columns/${id}`);
    expect(await csv({ path: `${sheets}/${sheet.id}` })).toBe('');
  });

  it.each([
    ['format=pdf', 422],
    ['version=x', 422],
    ['version=999999', 404],
    [`version=${randomUUID()}`, 404],
    ['version=99999999999', 422],
  ])('with %s is refused with %i', async (query, status) => {
    const sheet = await newSheet(me);
    await me.get(`${sheet.path}/export?${query}`, status);
  });

  it('is refused with 404 for a sheet of somebody else', async () => {
    const sheet = await newSheet(me);
    await (await app.stranger()).get(`${sheet.path}/export`, 404);
    await me.get(`${sheet.path.replace(sheet.id, randomUUID())}/export`, 404);
  });

  it('that nobody reads holds no connection: charts and further exports go on', async () => {
    const { sheets } = await newTable(me);
    const { sheet } = await sheetFromFile(me, sheets, `a\n${`${'x'.repeat(2000)}\n`.repeat(9000)}`);
    await app.listen();
    const url = `${await app.app.getUrl()}${sheets}/${sheet.id}/export`;
    const slow: http.IncomingMessage[] = [];
    for (let count = 0; count < 6; count++) {
      const request = http.get(url, { headers: { 'x-api-key': app.apiKey }, agent: false });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      slow.push(response);
    }
    for (let count = 0; count < 5; count++) await me.post('/api/public/v2/requests/analytics', {});
    expect((await me.request('GET', `${sheets}/${sheet.id}/export`)).bytes.length).toBeGreaterThan(18_000_000);
    // A slow reader still gets the complete file.
    let bytes = 0;
    for await (const piece of slow[0]! as AsyncIterable<Buffer>) bytes += piece.length;
    expect(bytes).toBeGreaterThan(18_000_000);
    for (const response of slow) response.destroy();
  });

  it('that is broken off gives its connection back', async () => {
    const { sheets } = await newTable(me);
    const { sheet } = await sheetFromFile(me, sheets, `a\n${`${'x'.repeat(2000)}\n`.repeat(9000)}`);
    const url = `${await app.app.getUrl()}${sheets}/${sheet.id}/export`;
    for (let times = 0; times < 3; times++) {
      const request = http.get(url, { headers: { 'x-api-key': app.apiKey }, agent: false });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      await once(response, 'data');
      response.destroy();
      await once(request, 'close');
    }
    await until(async () => (await me.request('GET', `${sheets}/${sheet.id}/export`)).status === 200);
  });
});
