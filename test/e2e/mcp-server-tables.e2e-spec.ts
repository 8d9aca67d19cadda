import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestApp } from '../support/test-app.js';
import { failure, ToolClient } from '../support/tool-client.js';
import { until } from '../support/until.js';

const PUBLIC = '/api/public/v2';
const TABLES = `${PUBLIC}/tables`;

let app: TestApp;
let tools: ToolClient;
beforeAll(async () => {
  app = await TestApp.start();
  await app.listen();
  tools = new ToolClient(await app.app.getUrl(), app.apiKey, app.contract);
});
afterAll(() => app.stop());

interface Rows {
  data: { row_index: number; cells: Record<string, { id: string; value: unknown; status: string }> }[];
}

interface Made {
  table: { id: string };
  sheet: { id: string };
  column: { id: string };
}

async function newSheet(title: string): Promise<{ table: string; sheet: string }> {
  const { table } = await tools.post<Made>(TABLES, { title, create_default_sheet: false, folder_id: null });
  const file = {
    type: 'file',
    file_name: 'rows.csv',
    file_content_base64: Buffer.from('Question\nHi\nHo\n').toString('base64'),
  };
  const { operation_id: operation } = await tools.post<{ operation_id: string }>(`${TABLES}/${table.id}/sheets`, {
    title: 'Questions',
    source: file,
  });
  const path = `${TABLES}/${table.id}/sheets/operations/${operation}`;
  const read = () => tools.get<{ status?: string; operation?: { status: string } }>(path);
  await until(async () => /completed/i.test(JSON.stringify(await read())));
  const { data } = await tools.get<{ data: { id: string }[] }>(`${TABLES}/${table.id}/sheets`, { limit: 10 });
  return { table: table.id, sheet: `${TABLES}/${table.id}/sheets/${data[0]!.id}` };
}

it('tables and sheets are created, listed, changed and deleted', async () => {
  const { table, sheet } = await newSheet('Asked');
  expect(await tools.get(TABLES, { name: 'ask', limit: 5, order: 'desc', cursor: undefined })).toMatchObject({
    data: [{ id: table, title: 'Asked' }],
  });
  expect(await tools.patch(`${TABLES}/${table}`, { title: 'Asked again' })).toMatchObject({
    table: { id: table, title: 'Asked again' },
  });
  expect(await tools.get(`${TABLES}/${table}`)).toMatchObject({ table: { title: 'Asked again' } });
  expect(await tools.patch(sheet, { title: 'Renamed' })).toMatchObject({ sheet: { title: 'Renamed' } });
  expect(await tools.get(sheet)).toMatchObject({ sheet: { title: 'Renamed' } });
  expect(await tools.delete(sheet)).toMatchObject({ success: true });
  expect(await tools.delete(`${TABLES}/${table}`)).toMatchObject({ success: true });
  expect(await failure(tools.get(`${TABLES}/${table}`))).toEqual([404, expect.stringContaining(table)]);
});

it('columns, rows and cells are read and written, and computed', async () => {
  const { sheet } = await newSheet('Computed');
  const { data: columns } = await tools.get<{ data: { id: string; title: string }[] }>(`${sheet}/columns`, {
    limit: 50,
  });
  const [question] = columns;
  const config = { source: 'Question', type: 'chars' };
  const { column } = await tools.post<Made>(`${sheet}/columns`, { title: 'Length', type: 'COUNT', config });
  const rows = () => tools.get<Rows>(`${sheet}/rows`, { limit: 10, include_columns: true });
  const lengths = async () =>
    (await rows()).data.map(({ cells }) => [cells[column.id]?.value, cells[column.id]?.status]);
  await until(async () => (await lengths()).every(([, status]) => status === 'completed'));
  expect(await lengths()).toEqual([2, 2].map((length) => [length, 'completed']));

  expect(await tools.post(`${sheet}/rows`, { count: 1, values: [{ [question!.id]: 'Hello' }] })).toMatchObject({
    success: true,
  });
  const [first, , third] = (await rows()).data;
  expect(third!.cells[question!.id]!.value).toBe('Hello');
  const cell = `${sheet}/cells/${first!.cells[question!.id]!.id}`;
  expect(await tools.patch(cell, { display_value: 'Changed', value: 'Changed' })).toMatchObject({ success: true });
  expect(await tools.get(cell)).toMatchObject({ cell: { value: 'Changed' } });

  // Neither has a body.
  const computed = `${sheet}/cells/${first!.cells[column.id]!.id}/recalculations`;
  expect(await tools.post(computed)).toMatchObject({ success: true, cell_count: 1 });
  const many = { cell_ids: [third!.cells[column.id]!.id] };
  expect(await tools.post(`${sheet}/cells/recalculations`, many)).toMatchObject({ success: true });
  await until(async () => (await lengths()).every(([, status]) => status === 'completed'));
  expect(await lengths()).toEqual([7, 2, 5].map((length) => [length, 'completed']));

  const started = await tools.post<{ operation_id: string }>(`${sheet}/operations`, { operation: 'recalculate' });
  if (started.operation_id) {
    const operation = `${sheet}/operations/${started.operation_id}`;
    expect(await tools.get(operation)).toMatchObject({ operation: { operation_id: started.operation_id } });
    expect(await tools.delete(operation)).toMatchObject({ success: true });
  }
  expect(await tools.get(`${sheet}/operations`)).toMatchObject({ active_operations: expect.any(Array) });
  expect(await tools.patch(`${sheet}/columns/${column.id}`, { title: 'Size' })).toMatchObject({
    column: { title: 'Size' },
  });
  expect(await tools.delete(`${sheet}/columns/${column.id}`)).toMatchObject({ success: true });
});

it('sheets are scored, and their versions are created and listed', async () => {
  const { sheet } = await newSheet('Scored');
  const config = { source: 'Question', value: 'i' };
  await tools.post(`${sheet}/columns`, { title: 'Has i', type: 'CONTAINS', config });
  await until(async () => {
    const { active_operations: active } = await tools.get<{ active_operations: object[] }>(`${sheet}/operations`);
    return active.length === 0;
  });
  expect(await tools.patch(`${sheet}/score`, { score_type: 'boolean', column_names: ['Has i'] })).toMatchObject({
    success: true,
  });
  expect(await tools.post(`${sheet}/score`)).toMatchObject({ success: true });
  await until(async () => (await tools.get(`${sheet}/score`)).status === 'completed');
  expect(await tools.get(`${sheet}/score`)).toMatchObject({ aggregate_score: 0.5, scored_rows: 2 });
  const { version } = await tools.post<{ version: { id: string } }>(`${sheet}/versions`, { name: 'First' });
  expect(await tools.get(`${sheet}/versions`, { limit: 5 })).toMatchObject({ data: expect.any(Array) });
  expect(await tools.get(`${sheet}/versions/${version.id}`)).toMatchObject({ success: true });
  expect(await tools.get(`${sheet}/versions/score-history`, { limit: 5 })).toMatchObject({
    score_history: expect.any(Object),
  });
});
