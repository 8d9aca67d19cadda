import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import {
  addColumn,
  addCount,
  cellsOf,
  editCell,
  newSheet,
  readRows,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { TestApp } from '../support/test-app.js';
import {
  gridOf,
  nameVersion,
  rowsAt,
  type Version,
  versionAt,
  versionsOf,
  type VersionsPage,
} from '../support/versions.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start();
  me = app.client;
});
afterAll(() => app.stop());

async function write(sheet: TestSheet, row: number, value: unknown): Promise<void> {
  await editCell(me, sheet, (await cellsOf(me, sheet, sheet.columnId))[row]!, { value });
}

describe('the list of versions', () => {
  it('has one for everything that changed the sheet, newest first, and says what happened', async () => {
    const sheet = await newSheet(me, ['a']);
    await me.post(`${sheet.path}/rows`, { count: 2 }, 201);
    await addColumn(me, sheet, { title: 'Notes', type: 'TEXT' });
    const versions = await versionsOf(me, sheet);
    expect(versions.map((version) => [version.version_number, version.deltas[0]!.type])).toEqual([
      [3, 'column.create'],
      [2, 'rows.add'],
      [1, 'cell.update'],
    ]);
    expect(versions[0]).toMatchObject({ sheet_id: sheet.id, name: null, metadata: { delta_count: 1 } });
    expect(Object.keys(versions[0]!)).not.toContain('snapshot');
  });

  it('has no entry for what changed nothing', async () => {
    const sheet = await newSheet(me, ['a']);
    await write(sheet, 0, 'a');
    expect(await versionsOf(me, sheet)).toHaveLength(1);
  });

  it('names the operation that computed', async () => {
    const sheet = await newSheet(me, ['a']);
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const [cell] = await cellsOf(me, sheet, count.id);
    expect((await versionsOf(me, sheet))[0]!.metadata.operation_id).toBe(cell!.execution_id);
  });

  it('is paged in both directions', async () => {
    const sheet = await newSheet(me);
    for (const text of ['a', 'b', 'c', 'd', 'e']) await write(sheet, 0, text);
    for (const order of ['asc', 'desc']) {
      const seen: number[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const at = cursor && `&cursor=${cursor}`;
        const page = (await me.get(`${sheet.path}/versions?limit=2&order=${order}${at}`)) as VersionsPage;
        expect(page.count).toBe(page.data.length);
        seen.push(...page.data.map((version) => version.version_number));
        cursor = page.pagination.next_cursor;
      }
      expect(seen).toEqual(order === 'asc' ? [1, 2, 3, 4, 5] : [5, 4, 3, 2, 1]);
    }
  });

  it('refuses a cursor of another list and parameters that it does not have', async () => {
    const sheet = await newSheet(me);
    const other = await newSheet(me);
    for (const text of ['a', 'b']) await write(sheet, 0, text);
    const page = (await me.get(`${sheet.path}/versions?limit=1`)) as VersionsPage;
    const cursor = page.pagination.next_cursor!;
    for (const url of [
      `${other.path}/versions?cursor=${cursor}`,
      `${sheet.path}/versions?cursor=${cursor}&order=asc`,
      `${sheet.path}/versions?cursor=nonsense`,
      `${sheet.path}/versions?sort=name`,
      `${sheet.path}/versions?limit=0`,
      `${sheet.path}/versions?limit=101`,
      `${sheet.path}/versions?order=up`,
    ]) {
      await me.get(url, 400);
    }
  });
});

describe('a named version', () => {
  it('is a new version of the same content', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const before = gridOf(await readRows(me, sheet));
    const number = await versionOf(me, sheet);
    const version = await nameVersion(me, sheet, 'Before');
    expect(version).toMatchObject({ version_number: number + 1, name: 'Before', deltas: [] });
    expect(await versionOf(me, sheet)).toBe(number + 1);
    expect(gridOf(await readRows(me, sheet))).toEqual(before);
  });

  it('needs a name of 1 to 255 characters and no unknown keys', async () => {
    const { path } = await newSheet(me);
    for (const body of [
      {},
      { name: null },
      { name: '' },
      { name: '   ' },
      { name: 'x'.repeat(256) },
      { name: 7 },
      { name: 'ok', colour: 'red' },
      { source_version_id: 'x' },
      { source_version_id: 5 },
    ]) {
      await me.post(`${path}/versions`, body, 400);
    }
    const longest = 'ü'.repeat(255);
    expect(await me.post(`${path}/versions`, { name: longest }, 201)).toMatchObject({ version: { name: longest } });
  });
});

describe('a version that is read', () => {
  it('has the sheet as it was: columns, rows, cells and their states', async () => {
    const sheet = await newSheet(me, ['a', 'bb']);
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const seen = gridOf(await readRows(me, sheet));
    const { id } = await nameVersion(me, sheet, 'Then');
    await write(sheet, 0, 'longer');
    await me.post(`${sheet.path}/rows`, {}, 201);
    await me.patch(`${sheet.path}/columns/${count.id}`, { title: 'Characters' });
    const { version } = (await me.get(`${sheet.path}/versions/${id}`)) as {
      version: Version & {
        snapshot: {
          sheet: { title: string; index: number; row_count: number };
          columns: { id: string; title: string }[];
          rows: { row_index: number; cells: Record<string, { id: string; value: unknown; status: string }> }[];
        };
      };
    };
    expect(version).toMatchObject({
      id,
      name: 'Then',
      snapshot: { sheet: { title: 'Sheet 1', index: 0, row_count: 2 } },
    });
    expect(version.snapshot.columns.map((column) => column.title)).toEqual(['Column A', 'Length']);
    expect(version.snapshot.rows).toMatchObject(
      seen.rows.map(({ row_index, cells }) => ({
        row_index,
        cells: Object.fromEntries(
          Object.entries(cells).map(([key, { id: cellId, status, value, display_value, input_hash }]) => [
            key,
            { id: cellId, status, value, display_value, input_hash },
          ]),
        ),
      })),
    );
  });

  it('may have no columns and no rows', async () => {
    const sheet = await newSheet(me);
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [0] });
    await me.delete(`${sheet.path}/columns/${sheet.columnId}`);
    const { id } = await nameVersion(me, sheet, 'Nothing');
    expect(await me.get(`${sheet.path}/versions/${id}`)).toMatchObject({
      version: { snapshot: { columns: [], rows: [], sheet: { row_count: 0 } } },
    });
  });

  it('comes in many pieces when it is large, whatever the size of its cells', async () => {
    const sheet = await newSheet(me, ['x']);
    for (let block = 0; block < 13; block++) await me.post(`${sheet.path}/rows`, { count: 100 }, 201);
    const huge = 'y'.repeat(3 * 1024 * 1024);
    for (const row of [0, 1, 2]) await write(sheet, row, huge);
    const { id } = await nameVersion(me, sheet, 'Large');
    const { version } = (await me.get(`${sheet.path}/versions/${id}`)) as {
      version: { snapshot: { rows: { row_index: number; cells: Record<string, { value: unknown }> }[] } };
    };
    const { rows } = version.snapshot;
    expect(rows.map((row) => row.row_index)).toEqual(Array.from({ length: 1301 }, (_, row) => row));
    expect(rows.slice(0, 4).map((row) => row.cells[sheet.columnId]!.value === huge)).toEqual([true, true, true, false]);
  });

  it('is not there for others, nor under an id or number that does not exist', async () => {
    const sheet = await newSheet(me, ['a']);
    const other = await newSheet(me, ['a']);
    const foreign = await versionAt(me, other, 1);
    await me.get(`${sheet.path}/versions/${foreign.id}`, 404);
    await me.get(`${sheet.path}/versions/${randomUUID()}`, 404);
    await me.post(`${sheet.path}/versions`, { source_version_id: foreign.id }, 404);
    for (const version of [0, 2, 2_147_483_648, 9_999_999_999, foreign.id, randomUUID()]) {
      await me.get(`${sheet.path}/rows?version=${version}`, 404);
    }
    for (const version of ['', 'x', '-1', '1.5', '%00', `${foreign.id}0`]) {
      await me.get(`${sheet.path}/rows?version=${version}`, 422);
    }
  });
});

describe('rows at a version', () => {
  it('are what they were, by number and by id, whatever happened since', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const seen = await readRows(me, sheet);
    const { id } = await nameVersion(me, sheet, 'Then');
    await write(sheet, 0, 'other');
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1] });
    await me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: 'new in row 1' }] }, 201);
    await me.delete(`${sheet.path}/columns/${count.id}`);
    await me.patch(`${sheet.path}/columns/${sheet.columnId}`, { title: 'Text' });
    for (const version of [seen.version, seen.version + 1, id]) {
      const past = await rowsAt(me, sheet, version);
      expect(gridOf(past)).toEqual(gridOf(seen));
      expect(past).toMatchObject({ row_count: 2, version: version === seen.version ? version : seen.version + 1 });
    }
  });

  it('are paged, and a cursor goes on in its own version only', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    const version = await versionOf(me, sheet);
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1] });
    const url = `${sheet.path}/rows?limit=2&version=${version}`;
    const first = (await me.get(url)) as { data: { row_index: number }[]; next_cursor: string };
    expect(first).toMatchObject({ data: [{ row_index: 0 }, { row_index: 1 }], filters: { version } });
    expect(await me.get(`${url}&cursor=${first.next_cursor}`)).toMatchObject({ data: [{ row_index: 2 }], columns: [] });
    await me.get(`${sheet.path}/rows?cursor=${first.next_cursor}`, 400);
    await me.get(`${sheet.path}/rows?version=${version + 1}&cursor=${first.next_cursor}`, 400);
  });
});
