import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, cellsOf, newSheet, readRows, settled, type TestSheet } from '../support/factories.js';
import { base64, contentOf, importFile, newTable, postFile, sheetFromFile, sheetsOf } from '../support/sheets.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;

beforeAll(async () => {
  app = await TestApp.start({ env: { IMPORT_MAX_BYTES: String(4 * 1024 * 1024), TABLES_MAX_ROWS: '5000' } });
  me = app.client;
});
afterAll(() => app.stop());

async function imported(csv: string | Buffer) {
  const sheet = await newSheet(me);
  expect(await importFile(me, sheet.path, csv)).toMatchObject({ status: 'completed', error_message: null });
  return contentOf(me, sheet.path);
}

/** Visible content of a sheet. */
const snapshot = async (sheet: TestSheet) => [await me.get(sheet.path), await readRows(me, sheet)];

describe('a CSV', () => {
  it.each<[string, string | Buffer, string[], (string | null)[][]]>([
    ['of the plain kind', 'a,b\n1,2\n3,4\n', ['a', 'b'], [['1', '2'], ['3', '4']]], // prettier-ignore
    ['without a break at its end', 'a,b\n1,2', ['a', 'b'], [['1', '2']]],
    ['with CR LF', 'a,b\r\n1,2\r\n', ['a', 'b'], [['1', '2']]],
    ['with CR only', 'a,b\r1,2\r', ['a', 'b'], [['1', '2']]],
    ['with quotes', '"a","b ""x"""\n"1,\n2","3"\n', ['a', 'b "x"'], [['1,\n2', '3']]],
    ['with a byte order mark', '\uFEFFa\nä\n', ['a'], [['ä']]],
    ['in UTF-16', Buffer.from('\uFEFFa,b\nä,😀\n', 'utf16le'), ['a', 'b'], [['ä', '😀']]],
    ['in UTF-16 of the other order', Buffer.from('\uFEFFa\nä\n', 'utf16le').swap16(), ['a'], [['ä']]],
    ['with blanks around values', 'a,b\n 1 , 2\n', ['a', 'b'], [[' 1 ', ' 2']]],
    ['with empty fields', 'a,b\n,2\n"",\n', ['a', 'b'], [[null, '2'], [null, null]]], // prettier-ignore
    ['with blank lines at its end', 'a,b\n1,2\n\n\r\n\n', ['a', 'b'], [['1', '2']]],
    ['of one column with blank lines inside', 'a\n1\n\n2\n""\n\n', ['a'], [['1'], ['2'], [null]]],
    ['of a header only', 'a,b', ['a', 'b'], []],
    ['with what looks like something else', 'a\n=1+1\n', ['a'], [['=1+1']]],
    ['with text that looks like other types', 'a,b,c\n007,TRUE,1e3\n', ['a', 'b', 'c'], [['007', 'TRUE', '1e3']]],
    ['with titles of strange names', '__proto__,constructor\n1,2\n', ['__proto__', 'constructor'], [['1', '2']]],
  ])('%s is imported as it is', async (_, csv, titles, rows) => {
    expect(await imported(csv)).toMatchObject({ titles, rows });
  });

  it('may have 999 columns with titles of 255 characters', async () => {
    const titles = Array.from({ length: 999 }, (_, index) => `${index}${'ü'.repeat(255 - String(index).length)}`);
    const content = await imported(`${titles.join(',')}\n${titles.map((_, index) => index).join(',')}\n`);
    expect(content.titles).toEqual(titles);
    expect(content.rows).toEqual([titles.map((_, index) => String(index))]);
  });

  it('with many rows is imported by a worker, in order and as one version', async () => {
    const sheet = await newSheet(me);
    const long = 'long '.repeat(50);
    const lines = Array.from({ length: 4500 }, (_, row) => `${row},"${long}\n${row}"`);
    const operation = await importFile(me, sheet.path, `n,text\n${lines.join('\n')}\n`);
    expect(operation).toMatchObject({ status: 'completed', rows_added: 4500, row_count: 4500, progress: 100 });
    expect(await me.get(sheet.path)).toMatchObject({ sheet: { version_count: 1, row_count: 4500 } });
    const rows = await app.sql(
      `SELECT count(*)::int AS cells, count(*) FILTER (WHERE value #>> '{}' LIKE '%' || row_index::text)::int AS right
         FROM cells JOIN sheet_columns c ON c.key = column_key WHERE c.sheet_id = $1`,
      [sheet.id],
    );
    expect(rows).toEqual([{ cells: 9000, right: 9000 }]);
    expect(await app.sql('SELECT count(*)::int FROM import_chunks')).toEqual([{ count: 0 }]);
  });
});

describe('an import into a sheet in use', () => {
  it('fills the text columns of the same titles, adds those that are missing, and goes below the last row', async () => {
    const sheet = await newSheet(me, ['mine', 'too']);
    await addColumn(me, sheet, { title: 'Answer', type: 'TEXT' });
    expect(await importFile(me, sheet.path, 'Answer,New\n42,x\n')).toMatchObject({ rows_added: 1, row_count: 3 });
    expect(await contentOf(me, sheet.path)).toEqual({
      titles: ['Column A', 'Answer', 'New'],
      rows: [
        ['mine', null, null],
        ['too', null, null],
        [null, '42', 'x'],
      ],
      indexes: [0, 1, 2],
    });
  });

  it('leaves the computed cells of its rows stale', async () => {
    const sheet = await newSheet(me, ['mine']);
    const length = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    await importFile(me, sheet.path, 'Column A\nmore\n');
    expect((await cellsOf(me, sheet, length.id)).map(({ status }) => status)).toEqual(['completed', 'stale']);
  });

  it('replaces an untouched first column and its blank rows', async () => {
    const sheet = await newSheet(me);
    await me.post(`${sheet.path}/rows`, { count: 2 }, 201);
    await importFile(me, sheet.path, 'input\na\n');
    expect(await contentOf(me, sheet.path)).toEqual({ titles: ['input'], rows: [['a']], indexes: [0] });
  });

  it('prefers the text column when a computed one has the same title', async () => {
    const sheet = await newSheet(me, ['mine']);
    await addCount(me, sheet, 'Twice');
    await addColumn(me, sheet, { title: 'Twice', type: 'TEXT' });
    await settled(me, sheet);
    expect(await importFile(me, sheet.path, 'Twice\nx\n')).toMatchObject({ status: 'completed' });
  });

  it('works while something is computed', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    const [length] = await Promise.all([addCount(me, sheet, 'Length'), importFile(me, sheet.path, 'Column A\nmore\n')]);
    await settled(me, sheet);
    const statuses = (await cellsOf(me, sheet, length.id)).map(({ status }) => status);
    expect(statuses.slice(0, 3)).toEqual(['completed', 'completed', 'completed']);
    expect((await contentOf(me, sheet.path)).rows.map(([text]) => text)).toEqual(['a', 'b', 'c', 'more']);
  });
});

const many = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join(',');
const utf8 = { file_name: 'data.csv' };
const text = (content: string | Buffer) => ({ ...utf8, file_content_base64: base64(content) });

describe('a file that is refused', () => {
  it.each<[string, object]>([
    ['import_file_not_base64', { ...utf8, file_content_base64: '§§§§' }],
    ['import_file_not_base64', { ...utf8, file_content_base64: 'aW5wdXQ' }],
    ['import_file_not_base64', { ...utf8, file_content_base64: `${'QUFB'.repeat(100_000)}*` }],
    ['import_file_empty', { ...utf8, file_content_base64: '' }],
    ['import_headers_missing', text('\n')],
    ['import_headers_missing', text(' , \n1,2\n')],
    ['import_header_blank', text('a,\n1,2\n')],
    ['import_header_duplicate', text('a,b,a\n1,2,3\n')],
    ['import_header_duplicate', text('caf\u00e9,cafe\u0301\n1,2\n')],
    ['import_header_too_long', text(`${'x'.repeat(256)}\n1\n`)],
    ['import_columns_exceeded', text(`${many(1000)}\n`)],
    ['import_csv_invalid', text('"a\n1\n')],
    ['import_csv_invalid', text('"a"b\n1\n')],
    ['import_file_not_utf8', text(Buffer.from('größe\n1\n', 'latin1'))],
    ['import_file_not_utf8', text(Buffer.from([0x61, 0x0a, 0xc3]))],
    ['import_file_binary', text('a\n1\0\n')],
    ['import_file_binary', text(Buffer.from('a,b\n', 'utf16le'))],
    ['import_file_too_large', text(Buffer.alloc(4 * 1024 * 1024 + 1, 'a'))],
    ['import_file_name_invalid', { ...text('a\n'), file_name: 'data.json' }],
    ['import_file_name_invalid', { ...text('a\n'), file_name: 'csv' }],
    ['validation_error', { ...text('a\n'), file_name: '' }],
    ['validation_error', { ...text('a\n'), file_name: `${'x'.repeat(256)}.csv` }],
    ['validation_error', { ...text('a\n'), unknown: 1 }],
    ['validation_error', { ...text('a\n'), operation_id: '' }],
    ['validation_error', { ...utf8, file_content_base64: 7 }],
    ['validation_error', { ...utf8, file_content_base64: null }],
    ['validation_error', { file_content_base64: 'aW5wdXQK' }],
  ])('with 400 %s leaves the sheet as it was', async (error, body) => {
    const sheet = await newSheet(me, ['mine']);
    const before = await snapshot(sheet);
    expect(await me.post(`${sheet.path}/imports/file`, body, 400)).toMatchObject({ success: false, error });
    expect(await snapshot(sheet)).toEqual(before);
  });

  it('is not, when it is just as large as files may be', async () => {
    const { sheets } = await newTable(me);
    const { operation } = await sheetFromFile(me, sheets, `a\n${'x'.repeat(4 * 1024 * 1024 - 3)}\n`.slice(0, -1));
    expect(operation).toMatchObject({ status: 'completed', rows_added: 1 });
  });

  it('because a column is computed names it', async () => {
    const sheet = await newSheet(me, ['mine']);
    await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const before = await snapshot(sheet);
    const answer = await postFile(me, sheet.path, 'Length\n1\n');
    expect(answer).toMatchObject({ status: 400, body: { error: 'import_column_computed' } });
    expect(await snapshot(sheet)).toEqual(before);
  });

  it('with 404 when there is no such sheet', async () => {
    const sheet = await newSheet(me);
    const answer = await postFile(me, sheet.path.replace(sheet.id, randomUUID()), 'a\n');
    expect(answer).toMatchObject({ status: 404 });
  });
});

describe('an import that fails', () => {
  const rows = Array.from({ length: 3000 }, (_, row) => `${row},x`).join('\n');

  it.each<[string, string, RegExp]>([
    ['a row that is too short', 'a,b\n1,2\n3\n', /^Row 2 \(line 3\) has 1 field, but there are 2 columns\.$/],
    ['a row that is too long', 'a,b\n1,2,3\n', /^Row 1 \(line 2\) has 3 fields, but there are 2 columns\.$/],
    ['a short row after a blank line', 'a,b\n1,2\n\n3\n', /^Row 2 \(line 4\) has 1 field/],
    ['a value without a title', `a,b,\n${rows}\n1,2,3\n`, /^Row 3001 \(line 3002\) has 3 fields/],
    ['a quote that is never closed', 'a,b\n1,2\n"3,4\n', /quoted field is never closed.*line 3/],
    ['text after a quote', 'a,b\n1,"2"x\n', /line 2/],
    ['a quote inside a field', 'a,b\n1,2"x\n', /line 2/],
    ['its last of many rows', `a,b\n${rows}\nlast\n`, /^Row 3001 \(line 3002\)/],
    ['too many rows', `a\n${'x\n'.repeat(5001)}`, /more than 5000 rows/],
  ])('because of %s leaves the sheet as it was', async (_, csv, message) => {
    const sheet = await newSheet(me, ['mine']);
    const before = await snapshot(sheet);
    expect(await importFile(me, sheet.path, csv)).toMatchObject({
      status: 'failed',
      error_message: expect.stringMatching(message),
      rows_added: null,
      row_count: null,
    });
    expect(await snapshot(sheet)).toEqual(before);
    await me.post(`${sheet.path}/rows`, { count: 1 }, 201);
    expect((await contentOf(me, sheet.path)).indexes).toEqual([0, 1]);
    expect(await app.sql('SELECT count(*)::int FROM import_chunks')).toEqual([{ count: 0 }]);
  });
});

describe('a list of JSON objects', () => {
  const json = async (content: string | Buffer) => {
    const { sheets } = await newTable(me);
    const { sheet, operation } = await sheetFromFile(me, sheets, content, 'data.json');
    expect(operation).toMatchObject({ status: 'completed', error_message: null });
    return contentOf(me, `${sheets}/${sheet.id}`);
  };

  it('has a column for every key in the order in which they come', async () => {
    const list = [
      { b: 'x', a: 1 },
      { a: { deep: [1, 'ü'] }, c: true },
      { c: null, b: '' },
      { '7': 'number', __proto__: 'x' },
    ];
    const content = JSON.stringify(list, null, 2).replace('"7"', '"__proto__": "y", "7"');
    expect(await json(content)).toMatchObject({
      titles: ['b', 'a', 'c', '7', '__proto__'],
      rows: [
        ['x', '1', null, null, null],
        [null, '{"deep":[1,"ü"]}', 'true', null, null],
        ['', null, null, null, null],
        [null, null, null, 'number', 'y'],
      ],
    });
  });

  it('is read across the borders of pieces, with brackets, quotes and escapes in its texts', async () => {
    const list = Array.from({ length: 3000 }, (_, row) => ({ n: row, text: `}]\\"${'ü{"['.repeat(row % 300)}` }));
    const { sheets } = await newTable(me);
    const { sheet, operation } = await sheetFromFile(me, sheets, JSON.stringify(list), 'data.json');
    expect(operation).toMatchObject({ status: 'completed', rows_added: 3000 });
    const stored = await app.sql(
      `SELECT value #>> '{}' AS text FROM cells JOIN sheet_columns c ON c.key = column_key
        WHERE c.sheet_id = $1 AND c.title = 'text' ORDER BY row_index`,
      [sheet.id],
    );
    expect(stored).toEqual(list.map(({ text: value }) => ({ text: value })));
  });

  it('keeps what cannot be stored as a replacement', async () => {
    expect((await json('[{"a":"\\u0000x","b":"\\ud800"}]')).rows).toEqual([['\uFFFDx', '\uFFFD']]);
  });

  it.each<[string, string, string]>([
    ['import_json_invalid', '', 'import_file_empty'],
    ['an object', '{"a":1}', 'import_json_invalid'],
    ['a number', '7', 'import_json_invalid'],
    ['numbers', '[1,2]', 'import_json_invalid'],
    ['lists', '[[1]]', 'import_json_invalid'],
    ['an object and a number', '[{"a":1},2]', 'import_json_invalid'],
    ['a comma too many', '[{"a":1},]', 'import_json_invalid'],
    ['a comma too few', '[{"a":1}{"a":2}]', 'import_json_invalid'],
    ['no end', '[{"a":1}', 'import_json_invalid'],
    ['no end of an object', '[{"a":1', 'import_json_invalid'],
    ['something after the end', '[{"a":1}] x', 'import_json_invalid'],
    ['objects that are no JSON', '[{a:1}]', 'import_json_invalid'],
    ['brackets that do not match', '[{"a":[1}]', 'import_json_invalid'],
    ['deep nesting', `[{"a":${'['.repeat(5000)}${']'.repeat(5000)}}]`, 'import_json_invalid'],
    ['nothing', '[]', 'import_headers_missing'],
    ['no keys', '[{},{}]', 'import_headers_missing'],
    ['a blank key', '[{" ":1}]', 'import_header_blank'],
    ['a long key', `[{"${'x'.repeat(256)}":1}]`, 'import_header_too_long'],
    ['NUL bytes', '[{"a":"\0"}]', 'import_file_binary'],
  ])('must not hold %s', async (_, content, error) => {
    const { sheets } = await newTable(me);
    const source = { type: 'file', file_name: 'data.json', file_content_base64: base64(content) };
    expect(await me.post(sheets, { source }, 400)).toMatchObject({ error });
    expect(await sheetsOf(me, sheets)).toEqual([]);
  });

  it('must not have more than 999 keys', async () => {
    const { sheets } = await newTable(me);
    const list = Array.from({ length: 1000 }, (_, index) => ({ [`k${index}`]: 1 }));
    const source = { type: 'file', file_name: 'x.json', file_content_base64: base64(JSON.stringify(list)) };
    expect(await me.post(sheets, { source }, 400)).toMatchObject({ error: 'import_columns_exceeded' });
  });
});

describe('the name of an operation', () => {
  it('starts a file import once, also when it is used several times at the same moment', async () => {
    const sheet = await newSheet(me);
    const more = { operation_id: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 4 }, () => postFile(me, sheet.path, 'a\n1\n', more)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    const first = await importFile(me, sheet.path, 'a\n1\n', more);
    expect(await importFile(me, sheet.path, 'b\n2\n', more)).toEqual(first);
    expect(await contentOf(me, sheet.path)).toMatchObject({ titles: ['a'], rows: [['1']] });
    const other = await newSheet(me);
    const taken = await postFile(me, other.path, 'a\n1\n', more);
    expect(taken).toMatchObject({ status: 400, body: { error: 'import_operation_id_taken' } });
  });

  it('does not let a second import begin while the first waits', async () => {
    const idle = await TestApp.own({ works: false });
    try {
      const sheet = await newSheet(idle.client);
      await idle.client.post(`${sheet.path}/imports/request-logs`, { filter_group: { filters: [] } }, 202);
      const second = await postFile(idle.client, sheet.path, 'a\n1\n');
      expect(second).toMatchObject({ status: 400, body: { error: 'import_running' } });
    } finally {
      await idle.stop();
    }
  });
});

describe('the end of an import', () => {
  it('is announced with what became of it', async () => {
    const sheet = await newSheet(me, ['mine']);
    const [done, failed] = [randomUUID(), randomUUID()];
    await importFile(me, sheet.path, 'a\n1\n', { operation_id: done, file_name: 'one.csv' });
    await importFile(me, sheet.path, 'a\n1,2\n', { operation_id: failed, file_name: 'two.csv' });
    const of = (id: string) =>
      app.sql(`SELECT type, details FROM outbox_events WHERE details->>'operation_id' = $1`, [id]);
    const target = { table_id: sheet.tableId, sheet_id: sheet.id, source: 'file' };
    expect(await of(done)).toEqual([
      {
        type: 'table_sheet_created_from_file',
        details: { ...target, operation_id: done, file_name: 'one.csv', rows_added: 1, row_count: 2 },
      },
    ]);
    expect(await of(failed)).toEqual([
      {
        type: 'table_sheet_created_from_file_failed',
        details: {
          ...target,
          operation_id: failed,
          file_name: 'two.csv',
          error_message: expect.stringMatching(/^Row 1/),
        },
      },
    ]);
  });

  it('is announced for request logs too', async () => {
    const sheet = await newSheet(me);
    const id = randomUUID();
    await me.post(`${sheet.path}/imports/request-logs`, { request_log_ids: [999_999], operation_id: id }, 202);
    await expect
      .poll(() => app.sql(`SELECT type, details FROM outbox_events WHERE details->>'operation_id' = $1`, [id]))
      .toEqual([
        {
          type: 'table_sheet_created_from_request_history_failed',
          details: {
            operation_id: id,
            table_id: sheet.tableId,
            sheet_id: sheet.id,
            source: 'request_logs',
            error_message: expect.stringMatching(/no requests/i),
          },
        },
      ]);
  });
});
