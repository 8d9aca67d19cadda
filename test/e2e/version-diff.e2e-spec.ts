import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { addColumn, addCount, cellsOf, editCell, newSheet, settled, type TestSheet } from '../support/factories.js';
import { TestColumnTypesModule } from '../support/plugins.js';
import { TestApp } from '../support/test-app.js';
import { type CellChange, type Diff, diffOf, nameVersion, restore, versionAt } from '../support/versions.js';

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [TestColumnTypesModule] });
  me = app.client;
});
afterAll(() => app.stop());

async function write(sheet: TestSheet, row: number, value: unknown): Promise<void> {
  const cells = await cellsOf(me, sheet, sheet.columnId);
  await editCell(
    me,
    sheet,
    cells.find((cell) => cell.row_index === row)!,
    { value },
  );
}

const brief = (data: CellChange[]) =>
  data.map(({ row_index, change, before, after }) => [
    row_index,
    change,
    before && [before.value, before.status],
    after && [after.value, after.status],
  ]);
const titles = (columns: { title: string }[]) => columns.map((column) => column.title);

describe('the difference of two versions', () => {
  it('is nothing between equal ones, and between a version and itself', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const first = await nameVersion(me, sheet, 'First');
    await write(sheet, 0, 'changed');
    await write(sheet, 0, 'a');
    const nothing = {
      columns: { added: [], removed: [], changed: [] },
      rows: { added: [], removed: [] },
      data: [],
      count: 0,
    };
    expect(await diffOf(me, sheet, first)).toMatchObject({ ...nothing, to_version: first.version_number + 2 });
    expect(await diffOf(me, sheet, first, { against: first.id })).toMatchObject(nothing);
  });

  it('has the cells that hold something else, with their text and state', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    await addColumn(me, sheet, { title: 'Shout', type: 'SHOUT', config: { source: 'Column A' } });
    await settled(me, sheet);
    const first = await nameVersion(me, sheet, 'First');
    await write(sheet, 1, 'fail');
    await me.post(`${sheet.path}/operations`, { operation: 'recalculate' }, 202);
    await settled(me, sheet);
    await write(sheet, 2, { much: true });
    const { data } = await diffOf(me, sheet, first);
    expect(brief(data)).toEqual([
      [1, 'changed', ['b', 'completed'], ['fail', 'completed']],
      [2, 'changed', ['c', 'completed'], [{ much: true }, 'completed']],
      [1, 'changed', ['B!', 'completed'], ['B!', 'error']],
      // Only the state of this cell has changed, not its value.
      [2, 'changed', ['C!', 'completed'], ['C!', 'stale']],
    ]);
    expect(data[1]!.after!.display_value).toBe('{"much":true}');
    expect(data[2]!.after!.error_message).toBe('This row is too quiet.');
  });

  it('has columns that came, went and changed', async () => {
    const sheet = await newSheet(me, ['a']);
    const old = await addColumn(me, sheet, { title: 'Old', type: 'TEXT' });
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    await editCell(me, sheet, (await cellsOf(me, sheet, old.id))[0]!, { value: 'goes with its column' });
    const first = await nameVersion(me, sheet, 'First');
    await me.delete(`${sheet.path}/columns/${old.id}`);
    await addColumn(me, sheet, { title: 'New', type: 'TEXT' });
    await me.patch(`${sheet.path}/columns/${count.id}`, { title: 'Size' });
    const { columns, data } = await diffOf(me, sheet, first);
    expect([titles(columns.added), titles(columns.removed)]).toEqual([['New'], ['Old']]);
    expect(columns.changed).toMatchObject([{ before: { id: count.id, title: 'Length' }, after: { title: 'Size' } }]);
    expect(brief(data)).toEqual([[0, 'removed', ['goes with its column', 'completed'], null]]);
  });

  it('has rows that came and went, and what they held', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c', 'd']);
    const first = await nameVersion(me, sheet, 'First');
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [0, 2, 3] });
    await me.post(`${sheet.path}/rows`, { count: 3, values: [{ [sheet.columnId]: 'new' }] }, 201);
    const { rows, data } = await diffOf(me, sheet, first);
    // Rows 2 and 3 were deleted, and their indexes were used again.
    expect(rows).toEqual({ added: [{ first: 4, last: 4 }], removed: [{ first: 0, last: 0 }] });
    expect(brief(data)).toEqual([
      [0, 'removed', ['a', 'completed'], null],
      [2, 'changed', ['c', 'completed'], ['new', 'completed']],
      [3, 'changed', ['d', 'completed'], [null, 'completed']],
    ]);
  });

  it('can be read in both directions', async () => {
    const sheet = await newSheet(me, ['a']);
    const first = await nameVersion(me, sheet, 'First');
    await write(sheet, 0, 'b');
    await me.post(`${sheet.path}/rows`, { values: [{ [sheet.columnId]: 'c' }] }, 201);
    const last = await nameVersion(me, sheet, 'Last');
    const [there, back] = [
      await diffOf(me, sheet, first, { against: last.version_number }),
      await diffOf(me, sheet, last, { against: first.id }),
    ];
    expect([back.from_version, back.to_version]).toEqual([there.to_version, there.from_version]);
    expect(back.rows).toEqual({ added: there.rows.removed, removed: there.rows.added });
    expect(back.data.map(({ before, after }) => [after, before])).toEqual(
      there.data.map(({ before, after }) => [before, after]),
    );
    expect(back.data.map(({ change }) => change)).toEqual(['changed', 'removed']);
  });

  it('is nothing between a version and its restoration', async () => {
    const sheet = await newSheet(me, ['a', 'b']);
    const count = await addCount(me, sheet, 'Length');
    await settled(me, sheet);
    const first = await nameVersion(me, sheet, 'First');
    await me.delete(`${sheet.path}/columns/${count.id}`);
    await me.delete(`${sheet.path}/rows`, 200, { row_indices: [1] });
    await write(sheet, 0, 'changed');
    await restore(me, sheet, first);
    expect(await diffOf(me, sheet, first)).toMatchObject({
      columns: { added: [], removed: [], changed: [] },
      rows: { added: [], removed: [] },
      data: [],
    });
  });

  it('is paged; later pages stay with the version that was the newest on the first', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c', 'd', 'e']);
    const first = await nameVersion(me, sheet, 'First');
    for (const row of [0, 1, 3, 4]) await write(sheet, row, 'changed');
    await write(sheet, 2, 'back');
    await write(sheet, 2, 'c');
    const whole = await diffOf(me, sheet, first);
    expect(whole.data.map(({ row_index }) => row_index)).toEqual([0, 1, 3, 4]);
    for (const limit of [1, 2, 3, 4]) expect((await diffOf(me, sheet, first, { limit })).data).toEqual(whole.data);
    const url = `${sheet.path}/versions/${first.id}/diff?limit=3`;
    const { pagination } = (await me.get(url)) as Diff;
    await write(sheet, 4, 'changed again');
    const rest = (await me.get(`${url}&cursor=${pagination.next_cursor}`)) as Diff;
    expect(rest.data).toEqual(whole.data.slice(3));
    expect(rest.to_version).toBe(whole.to_version);
    expect(Object.keys(rest)).not.toContain('columns');
    await me.get(`${sheet.path}/versions/${first.id}/diff?against=2&cursor=${pagination.next_cursor}`, 400);
    await me.get(`${url}&order=asc&cursor=nonsense`, 400);
  });

  it('ends a page early where cells are large', async () => {
    const sheet = await newSheet(me, ['a', 'b', 'c']);
    const first = await nameVersion(me, sheet, 'First');
    for (const row of [0, 1, 2]) await write(sheet, row, 'y'.repeat(3 * 1024 * 1024));
    const page = (await me.get(`${sheet.path}/versions/${first.id}/diff`)) as Diff;
    expect(page).toMatchObject({ count: 1, pagination: { has_more: true, limit: 100 } });
    expect((await diffOf(me, sheet, first)).data).toHaveLength(3);
  });

  it('refuses versions that are not there and parameters that do not fit', async () => {
    const sheet = await newSheet(me, ['a']);
    const other = await versionAt(me, await newSheet(me, ['a']), 1);
    const { id } = await versionAt(me, sheet, 1);
    const url = `${sheet.path}/versions/${id}/diff`;
    for (const against of [0, 2, 9_999_999_999, other.id, randomUUID()]) await me.get(`${url}?against=${against}`, 404);
    await me.get(`${sheet.path}/versions/${other.id}/diff`, 404);
    for (const query of ['against=x', 'against=', 'against=-1', 'limit=0', 'limit=101', 'against=%00']) {
      await me.get(`${url}?${query}`, 400);
    }
    const forged = (values: unknown[]) => {
      const text = JSON.stringify([`diff:${id}`, 'asc', DIGEST_OF_NOTHING, values]);
      return Buffer.from(text).toString('base64url');
    };
    for (const values of [
      [-1, 1, 1],
      [2 ** 40, 1, 1],
      [1, 1, 2 ** 40],
      [1, -1, 1],
      [1, 1],
    ]) {
      await me.get(`${url}?cursor=${forged(values)}`, 400);
    }
    expect(await me.get(`${url}?cursor=${forged([1, 2 ** 50, 1])}`)).toMatchObject({ data: [] });
  });
});

/** Digest in the cursors of lists without filters. */
const DIGEST_OF_NOTHING = 'T1PNoYwrqgwDVLtf';
