import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, cellsOf, type Column, newSheet, readRows, settled, type TestSheet, versionOf } from '../support/factories.js'; // prettier-ignore
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

interface Changed {
  column: Column;
  requires_recalculation: boolean;
  affected_column_ids: string[];
  version: number;
}
const change = async (sheet: TestSheet, id: string, body: object) =>
  (await me.patch(`${sheet.path}/columns/${id}`, body)) as Changed;
const rename = (sheet: TestSheet, id: string, title: string) => change(sheet, id, { title });

async function configOf(sheet: TestSheet, { id }: Column): Promise<unknown> {
  const { data } = (await me.get(`${sheet.path}/columns`)) as { data: Column[] };
  return data.find((column) => column.id === id)!.config;
}

async function recalculated(sheet: TestSheet, column: Column) {
  await me.post(`${sheet.path}/operations`, { operation: 'recalculate', column_ids: [column.id], statuses: [] }, 202);
  await settled(me, sheet);
  return (await cellsOf(me, sheet, column.id)).map(({ status, value }) => [status, value]);
}

describe('a column that is renamed', () => {
  it.each([
    ['one source', 'CONTAINS', { source: 'Column A', value: 'q' }, { source: 'Renamed', value: 'q' }],
    ['two', 'CONTAINS', { source: 'Column A', value_source: 'Column A' }, { source: 'Renamed', value_source: 'Renamed' }], // prettier-ignore
    ['a list', 'COALESCE', { sources: ['Other', 'Column A'] }, { sources: ['Other', 'Renamed'] }],
    ['keys of an earlier form', 'ABSOLUTE_NUMERIC_DISTANCE', { source1: 'Other', source2: 'Column A' }, { sources: ['Other', 'Renamed'] }], // prettier-ignore
    ['an earlier form beside the sources', 'JSON_PATH', { source: 'Column A', path: '$' }, { source: 'Renamed', path: '$' }], // prettier-ignore
    ['a text', 'COMBINE_COLUMNS', { sources: ['Column A', 'Other'], format: '{Column A}-{Other} Column A' }, { sources: ['Renamed', 'Other'], format: '{Renamed}-{Other} Column A' }], // prettier-ignore
    ['a text as something else', 'VARIABLE', { value: { type: 'string', value: 'Column A' } }, { value: { type: 'string', value: 'Column A' } }], // prettier-ignore
  ])('has its new title in configs that name it in %s', async (_, type, config, expected) => {
    const sheet = await newSheet(me, ['a']);
    await addColumn(me, sheet, { title: 'Other', type: 'TEXT' });
    const column = await addColumn(me, sheet, { title: 'New', type, config });
    await settled(me, sheet);
    const before = await cellsOf(me, sheet, column.id);
    await rename(sheet, sheet.columnId, 'Renamed');
    expect(await configOf(sheet, column)).toEqual(expected);
    expect((await readRows(me, sheet)).columns.find(({ id }) => id === column.id)!.config).toEqual(expected);
    // Saving what is shown changes nothing.
    const version = await versionOf(me, sheet);
    expect(await change(sheet, column.id, { config: expected })).toMatchObject({ version, affected_column_ids: [] });
    if (type !== 'COMBINE_COLUMNS') expect(await cellsOf(me, sheet, column.id)).toEqual(before);
  });

  it('is named by its id where somebody has named it so', async () => {
    const sheet = await newSheet(me, ['a']);
    const config = { sources: [sheet.columnId], format: `{${sheet.columnId}}!` };
    const column = await addColumn(me, sheet, { title: 'New', type: 'COMBINE_COLUMNS', config });
    await settled(me, sheet);
    await rename(sheet, sheet.columnId, 'Renamed');
    expect(await configOf(sheet, column)).toEqual(config);
    expect(await recalculated(sheet, column)).toEqual([['completed', 'a!']]);
  });

  it('goes on filling texts, whatever it is called', async () => {
    const sheet = await newSheet(me, ['a']);
    const other = await addColumn(me, sheet, { title: 'Other', type: 'VARIABLE', config: { value: 'b' } });
    const config = { sources: ['Column A', 'Other'], format: '{Column A}-{Other}' };
    const column = await addColumn(me, sheet, { title: 'New', type: 'COMBINE_COLUMNS', config });
    await settled(me, sheet);
    for (const [id, title] of [
      [sheet.columnId, 'Other'],
      [sheet.columnId, '{$& } \\'],
      [other.id, 'Column A'],
      [other.id, '__proto__'],
      [sheet.columnId, 'Column A'],
    ] as const) {
      const { affected_column_ids } = await rename(sheet, id, title);
      expect(affected_column_ids).toEqual([column.id]);
      expect(await recalculated(sheet, column)).toEqual([['completed', 'a-b']]);
    }
    expect(await configOf(sheet, column)).toEqual({ sources: ['Column A', '__proto__'], format: `{${sheet.columnId}}-{__proto__}` }); // prettier-ignore
  });

  it('has its old title again when a version is restored', async () => {
    const sheet = await newSheet(me, ['a']);
    const config = { sources: ['Column A'], format: '<{Column A}>' };
    const column = await addColumn(me, sheet, { title: 'New', type: 'COMBINE_COLUMNS', config });
    await settled(me, sheet);
    const saved = (await me.post(`${sheet.path}/versions`, { name: 'Before' }, 201)) as { version: { id: string } };
    await rename(sheet, sheet.columnId, 'Renamed');
    await me.post(`${sheet.path}/versions`, { source_version_id: saved.version.id }, 201);
    expect(await configOf(sheet, column)).toEqual(config);
    expect(await recalculated(sheet, column)).toEqual([['completed', '<a>']]);
  });

  it('lists the changed configs of other columns in the history of the sheet', async () => {
    const sheet = await newSheet(me, ['a']);
    const column = await addColumn(me, sheet, { title: 'New', type: 'COUNT', config: { source: 'Column A', type: 'chars' } }); // prettier-ignore
    await settled(me, sheet);
    await rename(sheet, sheet.columnId, 'Renamed');
    const { data } = (await me.get(`${sheet.path}/versions?limit=1`)) as { data: { deltas: object[] }[] };
    expect(data[0]!.deltas).toMatchObject([
      { column_id: sheet.columnId, after: { title: 'Renamed' } },
      { column_id: column.id, before: { config: { source: 'Column A' } }, after: { config: { source: 'Renamed' } } },
    ]);
  });
});

describe('a text that names a column', () => {
  it.each(['{Nobody}', '{column a}', '{Column A} {}', '{Other}', '{Column A (2)}', '{"a": 1}'])(
    '%s is refused when none of the sources is called so',
    async (format) => {
      const sheet = await newSheet(me, ['a']);
      await addColumn(me, sheet, { title: 'Other', type: 'TEXT' });
      const config = { sources: ['Column A'], format };
      const body = { title: 'New', type: 'COMBINE_COLUMNS', config };
      const refused = {
        body: { error: 'column_config_invalid', message: expect.stringContaining('format') as unknown },
      };
      expect(await me.request('POST', `${sheet.path}/columns`, body)).toMatchObject({ status: 400, ...refused });
      const column = await addColumn(me, sheet, { ...body, config: { ...config, format: '{Column A}' } });
      const url = `${sheet.path}/columns/${column.id}`;
      expect(await me.request('PATCH', url, { config })).toMatchObject({ status: 400, ...refused });
      expect(await configOf(sheet, column)).toEqual({ ...config, format: '{Column A}' });
    },
  );
});
