import { Module } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/access/index.js';
import {
  type AfterCommit,
  type EndedExecution,
  type EndedImport,
  type ImportedRows,
  OwnsSheets,
  type SheetOwnerPlugin,
} from '../../src/grid/shared/sheet-owners.js';
import type { CellView } from '../../src/grid/computing/cell-view.js';
import { type NewOwnedSheet, OwnedColumns, OwnedRows, OwnedSheets } from '../../src/tables/index.js';
import type { Sheet } from '../../src/grid/shared/sheet.entity.js';
import type { SheetColumn } from '../../src/grid/columns/column.entity.js';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

/** Calls that the owner of the sheets got, and executions that ended. */
const told: string[] = [];
const executions: EndedExecution[] = [];
let failsOnce = false;

/** An owner that no domain of the server is. */
const OWNER = 'test' as Parameters<typeof OwnsSheets>[0] & NewOwnedSheet['owner'];

@OwnsSheets(OWNER)
class RunSheets implements SheetOwnerPlugin {
  importCompleted(tx: EntityManager, { sheetId }: EndedImport, { rowsAdded, rowCount }: ImportedRows) {
    if (failsOnce) {
      failsOnce = false;
      throw new Error('The owner has failed.');
    }
    told.push(`completed ${rowsAdded} of ${rowCount}, ${sheetId.length > 0 && tx.queryRunner!.isTransactionActive}`);
    return Promise.resolve<AfterCommit>(() => void told.push('committed'));
  }

  importFailed(_: EntityManager, __: EndedImport, message: string): Promise<void> {
    told.push(`failed: ${message}`);
    return Promise.resolve();
  }

  executionEnded(_: EntityManager, ended: EndedExecution): Promise<void> {
    executions.push(ended);
    return Promise.resolve();
  }
}

@Module({ providers: [RunSheets] })
class RunsModule {}

const CALLER = { keyId: null, keyName: 'somebody', requestId: 'r' } as Caller;

let app: TestApp;
let me: Client;
let db: DataSource;
let sheets: OwnedSheets;
let columns: OwnedColumns;
let rows: OwnedRows;
beforeAll(async () => {
  app = await TestApp.start({ extensions: [RunsModule] });
  me = app.client;
  db = app.app.get(DataSource);
  [sheets, columns, rows] = [app.app.get(OwnedSheets), app.app.get(OwnedColumns), app.app.get(OwnedRows)];
});
afterAll(() => app.stop());
beforeEach(() => {
  told.length = 0;
  executions.length = 0;
});

const newSheet = (titles: string[] = [], values: object[] = []): Promise<Sheet> =>
  db.transaction(async (tx) => {
    const sheet = await sheets.create(tx, { workspaceId: 1, owner: OWNER, title: 'Run', titles });
    if (values.length > 0) await sheets.append(tx, sheet, { rows: values as never, createdBy: 'somebody' });
    return sheet;
  });

/** Works on a locked sheet, as owners do. */
const locked = <T>(sheet: Sheet, work: (tx: EntityManager, sheet: Sheet) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => work(tx, (await sheets.lock(tx, 1, sheet.id))!));

const write = (view: CellView, list: SheetColumn[], row: number): string =>
  JSON.stringify(list.map((column) => view.cell(column, row)));

interface SeenCell {
  value: unknown;
  status: string;
  error_message: string | null;
}

async function read(sheet: Sheet, page: { offset?: number; limit?: number; q?: string } = {}) {
  const found = (await rows.page(1, sheet.id, { offset: 0, limit: 100, ...page, write }))!;
  const cells = found.rows.texts!.map((text) => JSON.parse(text) as SeenCell[]);
  const titles = found.columns.map(({ title }) => title);
  return { titles, total: found.total, cells, values: cells.map((row) => row.map(({ value }) => value)) };
}

const addCount = (sheet: Sheet, title: string, source: string, position?: number) =>
  locked(sheet, async (tx, held) => {
    const config = { source, type: 'chars' };
    const added = await columns.add(tx, held, { title, type: 'count', config, position }, 'somebody');
    return added;
  }).then((added) => {
    columns.notify(added.queued);
    return added.column;
  });

const settled = (sheet: Sheet): Promise<void> =>
  until(async () => {
    const counts = await locked(sheet, (tx, held) => columns.count(tx, held));
    return counts.QUEUED + counts.RUNNING + counts.STALE === 0;
  });

async function copyInto(target: Sheet, source: Sheet): Promise<void> {
  const operation = await locked(target, (tx, held) => sheets.copyRows(tx, CALLER, held, source.id));
  await sheets.begin(operation, operation.rowCount);
}

describe('a sheet of another owner', () => {
  it('gets rows by title and columns as they come, and shows them by position', async () => {
    const sheet = await newSheet(['a'], [{ a: 'x' }, { b: 1, a: null }, { b: [2] }]);
    expect(await read(sheet)).toMatchObject({
      titles: ['a', 'b'],
      total: 3,
      values: [
        ['x', null],
        [null, 1],
        [null, [2]],
      ],
    });
    expect((await read(sheet, { offset: 1, limit: 1 })).values).toEqual([[null, 1]]);
    expect(await read(sheet, { offset: 3 })).toMatchObject({ values: [], total: 3 });
    expect(await read(sheet, { q: 'X' })).toMatchObject({ values: [['x', null]], total: 1 });
    expect(await rows.page(1, '0198c0de-0000-7000-8000-000000000000', { offset: 0, limit: 1, write })).toBeNull();
    expect(await rows.page(2, sheet.id, { offset: 0, limit: 1, write })).toBeNull();
  });

  it('is not reached by the routes of tables, nor by columns of them', async () => {
    const sheet = await newSheet(['a'], [{ a: 'x' }]);
    const { table, default_sheet: own } = (await me.post('/api/public/v2/tables', {}, 201)) as {
      table: { id: string };
      default_sheet: { id: string };
    };
    const path = `/api/public/v2/tables/${table.id}/sheets`;
    await me.get(`${path}/${sheet.id}`, 404);
    await me.get(`${path}/${sheet.id}/rows`, 404);
    const [column] = (await locked(sheet, (tx, held) => columns.read(tx, held))).list;
    const config = { table_id: table.id, sheet_id: sheet.id, column_id: column!.id };
    const answer = await me.request('POST', `${path}/${own.id}/columns`, { title: 'c', type: 'COMPOSITION', config });
    expect(answer.status).toBe(400);
  });

  it('computes its columns, reports ended executions, and shows errors', async () => {
    const sheet = await newSheet(['a'], [{ a: 'abc' }, { a: '{"x":1}' }]);
    await addCount(sheet, 'Length', 'a');
    await until(() => Promise.resolve(executions.length > 0));
    expect(executions).toMatchObject([{ workspaceId: 1, sheetId: sheet.id }]);
    await locked(sheet, (tx, held) =>
      columns.add(tx, held, { title: 'X', type: 'JSON_PATH', config: { source: 'a', json_path: '$.x' } }, null),
    ).then(({ queued }) => columns.notify(queued));
    await settled(sheet);
    const { cells } = await read(sheet);
    expect(cells[0]).toMatchObject([{}, { value: 3, status: 'completed' }, { status: 'error' }]);
    expect(cells[0]![2]!.error_message).toBeTruthy();
    expect(cells[1]![2]).toMatchObject({ value: 1, status: 'completed' });
    const queued = await locked(sheet, (tx, held) => columns.queue(tx, held, { isForced: true }));
    columns.notify(queued);
    expect(queued).toMatchObject({ cellCount: 4 });
    await until(() => Promise.resolve(executions.some(({ executionId }) => executionId === queued!.executionId)));
  });

  it('moves, changes and removes columns', async () => {
    const sheet = await newSheet(['a', 'b', 'c'], [{ a: 'x' }]);
    const count = await addCount(sheet, 'Length', 'a', 1);
    // Computations create versions, too.
    await settled(sheet);
    expect((await read(sheet)).titles).toEqual(['a', 'Length', 'b', 'c']);
    const target = { columnId: count.id, createdBy: null };
    await locked(sheet, (tx, held) => columns.move(tx, { ...target, sheet: held }, 0));
    expect((await read(sheet)).titles).toEqual(['Length', 'a', 'b', 'c']);
    const { version } = (await db.transaction((tx) => sheets.lock(tx, 1, sheet.id)))!;
    await locked(sheet, (tx, held) => columns.move(tx, { ...target, sheet: held }, 0));
    expect((await db.transaction((tx) => sheets.lock(tx, 1, sheet.id)))!.version).toBe(version);
    await locked(sheet, (tx, held) => columns.move(tx, { ...target, sheet: held }, 99));
    expect((await read(sheet)).titles).toEqual(['a', 'b', 'c', 'Length']);
    await locked(sheet, (tx, held) => columns.change(tx, { ...target, sheet: held }, { title: 'L' }));
    await locked(sheet, (tx, held) => columns.remove(tx, { ...target, sheet: held }));
    expect(await columns.titles(db.manager, 1, [sheet.id])).toEqual(new Map([[sheet.id, ['a', 'b', 'c']]]));
  });

  it('takes over columns of another sheet, which read its own', async () => {
    const source = await newSheet(['a'], [{ a: 'abc' }]);
    const [length, twice] = [await addCount(source, 'Length', 'a'), await addCount(source, 'Of the length', 'Length')];
    const target = await newSheet(['a'], [{ a: 'four' }]);
    const ids = await locked(target, (tx, held) =>
      columns.copy(tx, { from: source, to: held }, [length.id, twice.id], null),
    );
    expect(ids.get(length.id)).not.toBe(length.id);
    columns.notifyOfChanges();
    await settled(target);
    expect((await read(target)).values).toEqual([['four', 4, 1]]);
  });

  it('gets the rows of another sheet after its own, without gaps', async () => {
    const source = await newSheet(['a', 'b'], [{ a: 1 }, { a: 'two', b: true }, { b: { x: [] } }]);
    const target = await newSheet(['b'], [{ b: 'mine' }]);
    await copyInto(target, source);
    expect(await read(target)).toMatchObject({
      titles: ['b', 'a'],
      values: [
        ['mine', null],
        [null, 1],
        [true, 'two'],
        [{ x: [] }, null],
      ],
    });
    expect(told).toEqual(['completed 3 of 4, true', 'committed']);
    expect(executions).toEqual([]);
  });

  it('gets rows while others are being copied into it: they share the columns and come behind', async () => {
    const source = await newSheet(['a', 'b'], [{ a: 1 }, { b: 2 }]);
    const target = await newSheet();
    const operation = await locked(target, async (tx, held) => {
      const copying = await sheets.copyRows(tx, CALLER, held, source.id);
      await sheets.append(tx, held, { rows: [{ b: 'late', c: 3 }], createdBy: null });
      return copying;
    });
    expect(await locked(target, (tx, held) => sheets.isImporting(tx, held))).toBe(true);
    expect(await read(target)).toMatchObject({ titles: ['a', 'b', 'c'], values: [[null, 'late', 3]] });
    await sheets.begin(operation, operation.rowCount);
    expect((await read(target)).values).toEqual([
      [1, null, null],
      [null, 2, null],
      [null, 'late', 3],
    ]);
    expect(await locked(target, (tx, held) => sheets.isImporting(tx, held))).toBe(false);
  });

  it('is as it was when its owner does not take the end of an import, which then ends later', async () => {
    const [source, target] = [await newSheet(['a'], [{ a: 1 }]), await newSheet(['a'])];
    failsOnce = true;
    await copyInto(target, source);
    expect(await read(target)).toMatchObject({ total: 0 });
    expect(told).toEqual(['failed: The import failed because of an error on the server.']);
  });

  it('ends all operations in it when it is deleted, and notifies its owner', async () => {
    const source = await newSheet(
      ['a'],
      Array.from({ length: 1500 }, (_, row) => ({ a: row })),
    );
    const target = await newSheet(['a']);
    await locked(target, (tx, held) => sheets.copyRows(tx, CALLER, held, source.id));
    await locked(target, (tx, held) => sheets.delete(tx, held, 'It is over.'));
    expect(told).toEqual(['failed: It is over.']);
    expect(await rows.page(1, target.id, { offset: 0, limit: 1, write })).toBeNull();
  });

  it('reports an execution that ends because its cells were removed', async () => {
    const idle = await TestApp.start({ works: false, extensions: [RunsModule] });
    const [mySheets, myColumns] = [idle.app.get(OwnedSheets), idle.app.get(OwnedColumns)];
    const source = idle.app.get(DataSource);
    const config = { source: 'a', type: 'chars' };
    const started = () =>
      source.transaction(async (tx) => {
        const sheet = await mySheets.create(tx, { workspaceId: 1, owner: OWNER, title: 'Run', titles: ['a'] });
        await mySheets.append(tx, sheet, { rows: [{ a: 'x' }], createdBy: null });
        return { sheet, ...(await myColumns.add(tx, sheet, { title: 'L', type: 'COUNT', config }, null)) };
      });
    const [removed, deleted] = [await started(), await started()];
    expect(executions).toEqual([]);
    await source.transaction(async (tx) => {
      const sheet = (await mySheets.lock(tx, 1, removed.sheet.id))!;
      await myColumns.remove(tx, { sheet, columnId: removed.column.id, createdBy: null });
    });
    await source.transaction(async (tx) => {
      await mySheets.delete(tx, (await mySheets.lock(tx, 1, deleted.sheet.id))!, 'Over.');
    });
    expect(executions.map(({ executionId }) => executionId)).toEqual([
      removed.queued!.executionId,
      deleted.queued!.executionId,
    ]);
    await idle.stop();
  });

  it('shows any page of many rows', async () => {
    const source = await newSheet(
      ['a'],
      Array.from({ length: 5000 }, (_, row) => ({ a: row })),
    );
    const target = await newSheet();
    await copyInto(target, source);
    await until(async () => (await read(target, { limit: 1 })).total === 5000);
    expect((await read(target, { offset: 4998, limit: 10 })).values).toEqual([[4998], [4999]]);
    expect((await read(target, { offset: 1000, limit: 2 })).values).toEqual([[1000], [1001]]);
  });
});
