import { Module } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PromptReference } from '../../src/llm/shared/prompt-reference.js';
import { JsonObjectField } from '../../src/platform/http/fields.js';
import type { JsonObject } from '../../src/platform/json.js';
import { ColumnType, type ComputingColumnType } from '../../src/grid/column-type/column-type.js';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  cellsOf,
  editCell,
  importLogs,
  newSheet,
  readRows,
  settled,
  TABLES,
  type TestSheet,
  valuesOf,
  versionOf,
} from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { diffOf, gridOf, nameVersion, restore, rowsAt, versionAt, versionsOf } from '../support/versions.js';

/** A column that asks a prompt, in as far as lists are concerned. */
class AskConfig {
  @JsonObjectField()
  prompt: JsonObject;
}

@ColumnType({
  name: 'ASK',
  title: 'Ask',
  description: 'Refers to a prompt.',
  kind: 'deterministic',
  output: 'text',
  config: AskConfig,
})
class AskColumnType implements ComputingColumnType<AskConfig> {
  compute(): string {
    return 'asked';
  }

  prompts({ prompt }: AskConfig): PromptReference[] {
    return [{ id: null, name: null, version: null, label: null, ...prompt }];
  }
}

@Module({ providers: [AskColumnType] })
class AskingModule {}

let app: TestApp;
/** An api process: what is queued stays queued. */
let idle: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule, AskingModule] });
  idle = await TestApp.own({ works: false });
  me = app.client;
  for (const input of ['first', 'second']) await logCall(me, { input });
});
afterAll(async () => {
  await app.stop();
  await idle.stop();
});

async function write(sheet: TestSheet, row: number, value: unknown, client = me): Promise<void> {
  const cells = await cellsOf(client, sheet, sheet.columnId);
  await editCell(
    client,
    sheet,
    cells.find((cell) => cell.row_index === row)!,
    { value },
  );
}

/** Visible content of a sheet, without the versions of its cells, which a restore changes. */
const seen = async (sheet: TestSheet) => gridOf(await readRows(me, sheet), false);

const deleteRows = (sheet: TestSheet, rows: number[]) => me.delete(`${sheet.path}/rows`, 200, { row_indices: rows });

describe('a restore', () => {
  it('brings back values and states of cells as one new version', async () => {
    const sheet = await newSheet(me, ['a', 'fail', 'c']);
    await addColumn(me, sheet, { title: 'Shout', type: 'SHOUT', config: { source: 'Column A' } });
    await settled(me, sheet);
    await write(sheet, 2, 'stale now');
    const before = await seen(sheet);
    expect(before.rows.map(({ cells }) => Object.values(cells)[1]!.status)).toEqual(['completed', 'error', 'stale']);
    const source = await nameVersion(me, sheet, 'Good');
    for (const row of [0, 1, 2]) await write(sheet, row, 'changed');
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    const last = await versionOf(me, sheet);
    const version = await restore(me, sheet, source);
    expect(version).toMatchObject({
      version_number: last + 1,
      name: `Restored from version ${source.version_number}`,
      deltas: [{ type: 'version.restore', version_id: source.id, version_number: source.version_number }],
      metadata: { delta_count: 1, source_version_id: source.id },
    });
    expect(await versionOf(me, sheet)).toBe(last + 1);
    expect(await seen(sheet)).toEqual(before);
  });

  it('writes only what differs', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c', 'd']);
    const source = await nameVersion(me, sheet, 'Good');
    const before = await cellsOf(me, sheet, sheet.columnId);
    await write(sheet, 1, 'changed');
    await write(sheet, 2, 'changed');
    await write(sheet, 2, 'c');
    const { version_number } = await restore(me, sheet, source);
    expect(await valuesOf(me, sheet)).toEqual([['a'], ['b'], ['c'], ['d']]);
    const written = await app.sql(
      `SELECT row_index AS row FROM cells WHERE version = $2
          AND column_key = (SELECT key FROM sheet_columns WHERE id = $1)`,
      [sheet.columnId, version_number],
    );
    expect(written).toEqual([{ row: 1 }]);
    expect((await cellsOf(me, sheet, sheet.columnId)).filter((_, row) => row !== 1 && row !== 2)).toEqual(
      before.filter((_, row) => row !== 1 && row !== 2),
    );
  });

  it('brings back deleted columns with their ids and sources, and removes newer ones', async () => {
    const sheet = await newSheet(me, ['a', 'bb']);
    const notes = await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
    const count = await addCount(me, sheet, 'Length', 'Notes');
    await settled(me, sheet);
    const before = await seen(sheet);
    const source = await nameVersion(me, sheet, 'Good');
    await me.delete(`${sheet.path}/columns/${notes.id}`);
    await me.patch(`${sheet.path}/columns/${count.id}`, {
      title: 'Size',
      config: { source: 'Column A', type: 'words' },
    });
    await addColumn(me, sheet, { title: 'Newer', type: 'COUNT', config: { source: 'Size', type: 'chars' } });
    await settled(me, sheet);
    await restore(me, sheet, source);
    expect(await seen(sheet)).toEqual(before);
    // The edges are alive: an edit makes stale, a recalculation computes.
    const [cell] = await cellsOf(me, sheet, notes.id);
    expect(await editCell(me, sheet, cell!, { value: 'four' })).toMatchObject({ stale_count: 1 });
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    expect(await valuesOf(me, sheet)).toEqual([
      ['a', 'four', 4],
      ['bb', null, 0],
    ]);
  });

  it('brings back rows under their indexes, and what takes the place of newer ones starts blank', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const before = await seen(sheet);
    const source = await nameVersion(me, sheet, 'Good');
    await deleteRows(sheet, [0, 2]);
    for (const text of ['x', 'y']) await me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: text }] }, 201);
    await restore(me, sheet, source);
    expect(await seen(sheet)).toEqual(before);
    await me.post(`${sheet.path}/rows`, { count: 2 }, 201);
    expect(await valuesOf(me, sheet)).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
      [null, null],
      [null, null],
    ]);
  });

  it('removes imported rows, also from a sheet that was blank before the import', async () => {
    const blank = await newSheet(me);
    const untouched = await nameVersion(me, blank, 'Blank');
    const filled = await newSheet(me, ['mine']);
    await me.patch(`${filled.path}/columns/${filled.columnId}`, { title: 'input' });
    const before = await seen(filled);
    const source = await nameVersion(me, filled, 'Before');
    for (const sheet of [blank, filled]) {
      const operation = await importLogs(me, sheet, { filter_group: { filters: [] } });
      expect(operation).toMatchObject({ status: 'completed', rows_added: 2 });
    }
    await restore(me, blank, untouched);
    expect(await valuesOf(me, blank)).toEqual([[null]]);
    await restore(me, filled, source);
    expect(await seen(filled)).toEqual(before);
    await me.post(`${filled.path}/rows`, { count: 2 }, 201);
    expect(await valuesOf(me, filled)).toEqual([['mine'], [null], [null]]);
  });

  it('removes rows of an import that was already writing when the version was created', async () => {
    const sheet = await newSheet(me, ['mine']);
    const source = await nameVersion(me, sheet, 'While it writes');
    await me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: 'imported' }] }, 201);
    // An import writes for versions to come, but others may take those numbers before its rows appear.
    await app.sql('UPDATE cells SET version = $1 WHERE column_key = (SELECT key FROM sheet_columns WHERE id = $2)', [
      source.version_number,
      sheet.columnId,
    ]);
    expect((await rowsAt(me, sheet, source.version_number)).data).toHaveLength(1);
    expect((await diffOf(me, sheet, source)).data).toMatchObject([{ change: 'added', after: { value: 'imported' } }]);
    await restore(me, sheet, source);
    await me.post(`${sheet.path}/rows`, {}, 201);
    expect(await valuesOf(me, sheet)).toEqual([['mine'], [null]]);
  });

  it('brings back the prompts that a column refers to', async () => {
    const prompt = await publishPrompt(me, 'restored');
    const other = await publishPrompt(me, 'other');
    const sheet = await newSheet(me, ['a']);
    const config = { prompt: { id: prompt.id } };
    const column = await addColumn(me, sheet, { title: 'Ask', type: 'ASK', config });
    await settled(me, sheet);
    const sheetsOf = async ({ id }: { id: number }) =>
      ((await me.get(`${TABLES}/${sheet.tableId}/sheets?prompt_id=${id}`)) as { count: number }).count;
    const source = await nameVersion(me, sheet, 'With the prompt');
    await me.patch(`${sheet.path}/columns/${column.id}`, { config: { prompt: { id: other.id } } });
    expect([await sheetsOf(prompt), await sheetsOf(other)]).toEqual([0, 1]);
    await restore(me, sheet, source);
    expect([await sheetsOf(prompt), await sheetsOf(other)]).toEqual([1, 0]);
    await me.delete(`${sheet.path}/columns/${column.id}`);
    expect(await sheetsOf(prompt)).toBe(0);
    await restore(me, sheet, source);
    expect(await sheetsOf(prompt)).toBe(1);
  });

  it('brings back title and position', async () => {
    const sheet = await newSheet(me, ['a']);
    const sheets = `${TABLES}/${sheet.tableId}/sheets`;
    for (const title of ['B', 'C']) await me.post(sheets, { title }, 201);
    const source = await nameVersion(me, sheet, 'Good');
    await me.patch(sheet.path, { title: 'Moved', index: 2 });
    await restore(me, sheet, source);
    const { data } = (await me.get(sheets)) as { data: { title: string; index: number }[] };
    expect(data.map(({ title, index }) => [title, index])).toEqual([
      ['Sheet 1', 0],
      ['B', 1],
      ['C', 2],
    ]);
  });

  it('changes no earlier version, and can itself be undone', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const source = await nameVersion(me, sheet, 'First');
    await write(sheet, 0, 'longer');
    await deleteRows(sheet, [1]);
    await me.delete(`${sheet.path}/columns/${count.id}`);
    const undone = await nameVersion(me, sheet, 'Second');
    const versions = await versionsOf(me, sheet);
    const before = await readEach(sheet, versions.length);
    await restore(me, sheet, source);
    await restore(me, sheet, undone);
    await restore(me, sheet, source);
    expect(await readEach(sheet, versions.length)).toEqual(before);
    const last = await versionOf(me, sheet);
    const past = await readEach(sheet, last, false);
    expect(past.at(-1)).toEqual(past[source.version_number - 1]);
    expect(past.at(-2)).toEqual(past[undone.version_number - 1]);
    expect(past.at(-3)).toEqual(past.at(-1));
    expect(await seen(sheet)).toEqual(past.at(-1));
  });

  it('takes a name of its own', async () => {
    const sheet = await newSheet(me, ['a']);
    await write(sheet, 0, 'b');
    const { id } = await versionAt(me, sheet, 1);
    const body = { name: 'As it was', source_version_id: id };
    expect(await me.post(`${sheet.path}/versions`, body, 201)).toMatchObject({ version: { name: 'As it was' } });
  });

  it('to the current version is rejected', async () => {
    const sheet = await newSheet(me, ['a']);
    const { id } = await nameVersion(me, sheet, 'Now');
    expect(await me.post(`${sheet.path}/versions`, { source_version_id: id }, 400)).toMatchObject({
      error: 'version_is_current',
    });
  });

  it('happens once for each of those who ask at the same time, with edits in between', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const source = await nameVersion(me, sheet, 'Good');
    const before = await versionOf(me, sheet);
    const cells = await cellsOf(me, sheet, sheet.columnId);
    const numbers = await Promise.all([
      ...[1, 2, 3].map(
        async () => (await me.request('POST', `${sheet.path}/versions`, { source_version_id: source.id })).body,
      ),
      ...cells.map(async (cell, index) => editCell(me, sheet, cell, { value: `edit ${index}` })),
    ]);
    const made = numbers.flatMap((body) => {
      const { version } = body as { version?: number | { version_number: number } };
      return version === undefined ? [] : [typeof version === 'number' ? version : version.version_number];
    });
    expect(new Set(made).size).toBe(made.length);
    expect(await versionOf(me, sheet)).toBe(before + made.length);
    const now = gridOf(await readRows(me, sheet));
    expect(gridOf(await rowsAt(me, sheet, before + made.length))).toEqual(now);
  });
});

describe('a restore while the server works', () => {
  it('cancels what is being computed', async () => {
    const client = idle.client;
    const sheet = await newSheet(client, ['a', 'b']);
    const source = await nameVersion(client, sheet, 'Before the column');
    await addCount(client, sheet, 'Length');
    const { active_operations: active } = (await client.get(`${sheet.path}/operations`)) as {
      active_operations: { operation_id: string }[];
    };
    expect(active).toHaveLength(1);
    await restore(client, sheet, source);
    expect(await client.get(`${sheet.path}/operations`)).toMatchObject({ active_operations: [], pending_count: 0 });
    expect(await client.get(`${sheet.path}/operations/${active[0]!.operation_id}`)).toMatchObject({
      operation: { status: 'cancelled', pending_count: 0 },
    });
  });

  it('waits for a worker that is taking cells', async () => {
    const client = idle.client;
    const sheet = await newSheet(client, ['a', 'b']);
    const source = await nameVersion(client, sheet, 'Before the column');
    await addCount(client, sheet, 'Length');
    let restored: Promise<unknown> | undefined;
    await idle.inTransaction(async (sql) => {
      await sql('SELECT FROM computation_tasks WHERE sheet_id = $1 FOR UPDATE', [sheet.id]);
      restored = restore(client, sheet, source);
      await until(async () => ((await idle.sql('SELECT FROM pg_locks WHERE NOT granted')) as unknown[]).length > 0);
      await sql(`UPDATE executions SET status = 'running' WHERE sheet_id = $1`, [sheet.id]);
    });
    await restored;
    expect(await client.get(`${sheet.path}/operations`)).toMatchObject({ active_operations: [], pending_count: 0 });
  });

  it('drops results that come in afterwards', async () => {
    const texts = Array.from({ length: 60 }, (_, row) => `text ${row}`);
    for (let round = 0; round < 3; round++) {
      const sheet = await newSheet(me, texts);
      const count = await addCount(me, sheet, 'Length');
      const source = await nameVersion(me, sheet, 'While it computes');
      const was = gridOf(await rowsAt(me, sheet, source.version_number), false);
      await write(sheet, 0, 'other');
      await me.request('POST', `${sheet.path}/operations`, { operation: 'recalculate' });
      await restore(me, sheet, source);
      await settled(me, sheet);
      expect(await seen(sheet)).toEqual(was);
      expect(await me.get(`${sheet.path}/status-counts`)).toMatchObject({ total_cells: 60 });
      expect(count.type).toBe('COUNT');
    }
  });

  it('is refused while an import runs', async () => {
    const client = idle.client;
    const sheet = await newSheet(client, ['a']);
    await write(sheet, 0, 'b', client);
    await client.post(`${sheet.path}/imports/request-logs`, { filter_group: { filters: [] } }, 202);
    const { id } = await versionAt(client, sheet, 1);
    expect(await client.post(`${sheet.path}/versions`, { source_version_id: id }, 400)).toMatchObject({
      error: 'version_restore_during_import',
    });
    await nameVersion(client, sheet, 'Naming is harmless');
  });
});

/** The grid at every version from 1. */
async function readEach(sheet: TestSheet, last: number, withVersions = true) {
  const grids = [];
  for (let number = 1; number <= last; number++) grids.push(gridOf(await rowsAt(me, sheet, number), withVersions));
  return grids;
}
