import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type ImportOperation, newSheet } from '../support/factories.js';
import { base64, contentOf, ended, importFile, newTable, postFile, sheetFromFile } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
});
afterAll(() => app.stop());

type Read = ImportOperation & { delimiter: string | null; message: string | null };

/** Imports a file in both ways: into a new sheet and into an existing one. The results must be equal. */
async function imported(csv: string, delimiter?: string) {
  const { sheets } = await newTable(me);
  const source = { type: 'file', file_name: 'data.csv', file_content_base64: base64(csv), delimiter };
  const created = (await me.post(sheets, { source }, 202)) as { operation_id: string; sheet: { id: string } };
  const operation = (await ended(me, sheets, created.operation_id)) as Read;
  const content = await contentOf(me, `${sheets}/${created.sheet.id}`);
  const sheet = await newSheet(me);
  const again = (await importFile(me, sheet.path, csv, { delimiter })) as Read;
  expect(await contentOf(me, sheet.path)).toEqual(content);
  expect([again.status, again.delimiter, again.message]).toEqual([operation.status, operation.delimiter, operation.message]); // prettier-ignore
  return { ...content, operation };
}

describe('a CSV of another dialect', () => {
  it.each<[string, string, string, string[], (string | null)[][]]>([
    [
      'semicolons',
      'name;note\n"A";"x;y"\nB;1,5\n',
      ';',
      ['name', 'note'],
      [
        ['A', 'x;y'],
        ['B', '1,5'],
      ],
    ],
    ['tabs', 'name\tnote\nA\tx, y\n', '\t', ['name', 'note'], [['A', 'x, y']]],
    ['a line that names the delimiter', '\uFEFFsep=;\r\na,b;c\r\n1;2\r\n', ';', ['a,b', 'c'], [['1', '2']]],
    ['such a line after a blank one', '\nsep=|\n\na|b\n1|2', '|', ['a', 'b'], [['1', '2']]],
    [
      'blank lines',
      '\n\na,b\n\n1,2\n  \n\r\n3,4\n\n',
      ',',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    [
      'columns at the end without titles and values',
      'a,b,, \n1,2,,\n3,4\n5,6,, \n',
      ',',
      ['a', 'b'],
      [
        ['1', '2'],
        ['3', '4'],
        ['5', '6'],
      ],
    ],
    ['one column and delimiters at the ends of lines', 'a;\n1;\n;\n', ';', ['a'], [['1'], [null]]],
    ['one column of texts with commas', 'note\n"Hello, you; all"\n', ',', ['note'], [['Hello, you; all']]],
    ['a header alone', 'a;b\n', ';', ['a', 'b'], []],
  ])('with %s is detected and read', async (_, csv, delimiter, titles, rows) => {
    // prettier-ignore
    const { operation, ...content } = await imported(csv);
    expect(operation).toMatchObject({ status: 'completed', delimiter, error_message: null });
    expect(content).toMatchObject({ titles, rows });
  });

  it('is read with the delimiter that is given', async () => {
    expect(await imported('a,b;c\n1,2;3\n', ';')).toMatchObject({ titles: ['a,b', 'c'], rows: [['1,2', '3']] });
    expect(await imported('a:b\n1:2\n', ':')).toMatchObject({ titles: ['a', 'b'], rows: [['1', '2']] });
    expect(await imported('a;b\n1;2\n', ',')).toMatchObject({ titles: ['a;b'], rows: [['1;2']] });
  });

  it('reports a file that gives only one column', async () => {
    const { operation } = await imported('for;against\nyes\nno\n');
    expect(operation).toMatchObject({ status: 'completed', rows_added: 2, message: expect.stringContaining('";"') as unknown }); // prettier-ignore
    expect((await imported('for\nyes; no\nno\n')).operation.message).toBe('2 rows were imported.');
  });

  it('keeps its rows apart when there are many', async () => {
    const { sheets } = await newTable(me);
    const lines = Array.from({ length: 3000 }, (_, row) => `${row};"a;\n${row}";\n\n`);
    const { sheet, operation } = await sheetFromFile(me, sheets, `sep=;\nn;text;\n${lines.join('')}`);
    expect(operation).toMatchObject({ status: 'completed', rows_added: 3000 });
    const page = await contentOf(me, `${sheets}/${sheet.id}`);
    expect(page.rows[99]).toEqual(['99', 'a;\n99']);
    const counted = await app.sql(
      `SELECT count(*)::int AS right FROM cells JOIN sheet_columns c ON c.key = column_key
        WHERE c.sheet_id = $1 AND value #>> '{}' IN (row_index::text, 'a;' || chr(10) || row_index)`,
      [sheet.id],
    );
    expect(counted).toEqual([{ right: 6000 }]);
  });

  it.each([[''], ['"'], ['\n'], [',,'], ['a'], [7]])('is refused with the delimiter %j', async (delimiter) => {
    const sheet = await newSheet(me);
    const { status, body } = await postFile(me, sheet.path, 'a,b\n', { delimiter });
    expect([status, body]).toMatchObject([400, { error: 'validation_error' }]);
    const { sheets } = await newTable(me);
    const source = { type: 'file', file_name: 'data.csv', file_content_base64: base64('a,b\n'), delimiter };
    expect((await me.request('POST', sheets, { source })).status).toBe(422);
  });
});
