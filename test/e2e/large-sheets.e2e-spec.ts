import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, cellsOf, editCell, newSheet, readRows, settled } from '../support/factories.js';
import { until } from '../support/until.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

const FIVE_MB = 5 * 1024 * 1024;

it('keeps a cell of 5 MB, shows it and computes from it', async () => {
  const sheet = await newSheet(me, ['small']);
  const [cell] = await cellsOf(me, sheet, sheet.columnId);
  const text = 'x'.repeat(FIVE_MB - 1) + 'é';
  await editCell(me, sheet, cell!, { value: text });
  const count = await addCount(me, sheet, 'Length');
  await settled(me, sheet);
  const { data } = await readRows(me, sheet);
  expect(data[0]!.cells[sheet.columnId]!.value).toBe(text);
  expect(data[0]!.cells[count.id]!.value).toBe(FIVE_MB);
});

it('rejects a cell that is larger than a body may be, and keeps its value', async () => {
  const sheet = await newSheet(me, ['small']);
  const [cell] = await cellsOf(me, sheet, sheet.columnId);
  const { status } = await me.request('PATCH', `${sheet.path}/cells/${cell!.id}`, {
    value: 'x'.repeat(20 * 1024 * 1024),
  });
  expect(status).toBe(413);
  expect((await cellsOf(me, sheet, sheet.columnId))[0]!.value).toBe('small');
});

it('works with 999 columns', async () => {
  const sheet = await newSheet(me, ['text']);
  const header = Array.from({ length: 998 }, (_, index) => `Column ${index}`).join(',');
  const row = Array.from({ length: 998 }, (_, index) => `value ${index}`).join(',');
  const file = Buffer.from(`${header}\n${row}\n`).toString('base64');
  const upload = { file_name: 'wide.csv', file_content_base64: file };
  const { status_url: url } = (await me.post(`${sheet.path}/imports/file`, upload, 202)) as { status_url: string };
  await until(async () => {
    const { operation } = (await me.get(url)) as { operation: { status: string } };
    return operation.status === 'completed';
  });
  await addColumn(me, sheet, { title: 'Last', type: 'COUNT', config: { source: 'Column 997', type: 'chars' } });
  await settled(me, sheet);
  const { data, columns } = await readRows(me, sheet);
  expect(columns).toHaveLength(1000);
  expect(data[1]!.cells[columns.at(-1)!.id]!.value).toBe('value 997'.length);
});
