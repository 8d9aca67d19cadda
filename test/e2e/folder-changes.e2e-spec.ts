import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TABLES } from '../support/factories.js';
import {
  FoldersApp,
  ENTITIES,
  folderRef,
  FOLDERS,
  list,
  move,
  names,
  nest,
  newFolder,
  newTable,
  remove,
  resolve,
  type Ref,
} from './folders.fixture.js';

let folders: FoldersApp;
beforeAll(async () => {
  folders = await FoldersApp.start();
});
afterAll(() => folders.app.stop());

describe('moving entities', () => {
  it('takes several kinds into a folder and back to the top, and counts each once', async () => {
    const me = await folders.app.stranger();
    const [target] = await nest(me, 'target');
    const [moved, inner] = await nest(me, 'moved', 'inner');
    const [table, note] = [await newTable(me, 't'), await folders.note(me, { name: 'n' })];
    const upper = { id: (table.id as string).toUpperCase(), type: 'TABLE' };
    // Notes of both types are one and the same thing when they are moved.
    const sameNote = { id: note.id, type: 'INPUT_VARIABLE_SET' };
    const entities = [folderRef(moved!), table, note, upper, sameNote, folderRef(moved!)];
    expect(await move(me, entities, target!)).toEqual({ moved_count: 3 });
    const there = await list(me, { folder_id: target!, filter_type: 'FOLDER,TABLE,AB_TEST', flatten: 'true' });
    expect(there.map(({ name, path }) => [name, path.join('/')])).toEqual([
      ['inner', 'target/moved'],
      ['moved', 'target'],
      ['n', 'target'],
      ['t', 'target'],
    ]);
    expect(await me.get(`${TABLES}/${table.id}`)).toMatchObject({ table: { folder_id: target } });

    expect(await me.post(ENTITIES, { entities: [folderRef(inner!), table] })).toEqual({ moved_count: 2 });
    expect(await names(me, { filter_type: 'FOLDER,TABLE' })).toEqual(['inner', 'target', 't']);
  });

  it('leaves entities untouched that are there already, and an empty list is no error', async () => {
    const me = await folders.app.stranger();
    const { id, updated_at } = await newFolder(me, 'there');
    expect(await move(me, [folderRef(id)], null)).toEqual({ moved_count: 1 });
    expect(await list(me)).toMatchObject([{ updated_at }]);
    expect(await move(me, [], null)).toEqual({ moved_count: 0 });
  });

  it('moves nothing when one entity or the target is unknown', async () => {
    const me = await folders.app.stranger();
    const { id: target } = await newFolder(me, 'target');
    const table = await newTable(me, 't');
    const gone = await newTable(me, 'gone');
    await remove(me, [gone]);
    const unknown: Ref[] = [
      gone,
      { id: randomUUID(), type: 'TABLE' },
      { id: 7, type: 'TABLE' },
      { id: table.id, type: 'FOLDER' },
      { id: table.id, type: 'AB_TEST' },
      { id: 2 ** 31 - 1, type: 'FOLDER' },
      { id: 1, type: 'AB_TEST' },
    ];
    for (const ref of unknown) {
      expect(await move(me, [table, ref], target, 404)).toMatchObject({
        error: 'folder_entity_not_found',
        message: expect.stringContaining(`${ref.type} ${ref.id}`),
      });
    }
    expect(await move(me, [table], 2 ** 31 - 1, 404)).toMatchObject({ error: 'folder_not_found' });
    expect(await names(me, { folder_id: target, filter_type: 'TABLE' })).toEqual([]);
  });

  it('refuses to put a folder into itself or below itself', async () => {
    const me = await folders.app.stranger();
    const [a, b, c] = await nest(me, 'a', 'b', 'c');
    const table = await newTable(me, 't');
    for (const target of [a, b, c]) {
      expect(await move(me, [table, folderRef(a!)], target!, 400)).toMatchObject({ error: 'folder_cycle' });
    }
    expect(await names(me, { filter_type: 'TABLE' })).toEqual(['t']);
    expect(await move(me, [folderRef(c!)], a!)).toEqual({ moved_count: 1 });
    expect(await move(me, [folderRef(b!)], c!)).toEqual({ moved_count: 1 });
    expect((await list(me, { flatten: 'true' })).map(({ path }) => path.join('/')).sort()).toEqual(['', 'a', 'a/c']);
  });

  it('refuses a second folder of one name, whether it stays there or comes along', async () => {
    const me = await folders.app.stranger();
    const [x, inX] = await nest(me, 'x', 'same');
    const [y, inY] = await nest(me, 'y', 'same');
    const { id: target } = await newFolder(me, 'target');
    await newTable(me, 'same', target);
    expect(await move(me, [folderRef(inX!), folderRef(inY!)], target, 400)).toMatchObject({
      error: 'folder_name_taken',
    });
    expect(await move(me, [folderRef(inX!)], target)).toEqual({ moved_count: 1 });
    expect(await move(me, [folderRef(inY!)], target, 400)).toMatchObject({ error: 'folder_name_taken' });
    await move(me, [folderRef(inY!)], null);
    expect(await move(me, [folderRef(inX!)], null, 400)).toMatchObject({ error: 'folder_name_taken' });
    expect(await names(me, { folder_id: x! })).toEqual([]);
    expect(await names(me, { folder_id: y! })).toEqual([]);
  });

  it('lets only one of two moves happen that would make a circle together', async () => {
    const me = await folders.app.stranger();
    for (let round = 0; round < 10; round++) {
      const [a] = await nest(me, `a${round}`, 'a1', 'a2');
      const [b] = await nest(me, `b${round}`, 'b1', 'b2');
      const deepest = async (path: string) => resolve(me, path);
      const [a2, b2] = [await deepest(`a${round}.a1.a2`), await deepest(`b${round}.b1.b2`)];
      const into = (id: number, folder_id: number) =>
        me.request('POST', ENTITIES, { entities: [folderRef(id)], folder_id });
      const answers = await Promise.all([into(a!, b2), into(b!, a2)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
    expect(await list(me, { flatten: 'true' })).toHaveLength(60);
  });

  it('refuses requests that make no sense', async () => {
    const me = await folders.app.stranger();
    const wrong = [
      {},
      { entities: null },
      { entities: [null] },
      { entities: [[]] },
      { entities: [[{ id: 1, type: 'FOLDER' }]] },
      { entities: [{ id: 1 }] },
      { entities: [{ type: 'FOLDER' }] },
      { entities: [{ id: 1, type: 'SHEET' }] },
      { entities: [{ id: 0, type: 'FOLDER' }] },
      { entities: [{ id: '1', type: 'FOLDER' }] },
      { entities: [{ id: 1.5, type: 'FOLDER' }] },
      { entities: [], folder_id: 0 },
      { entities: Array.from({ length: 10_001 }, () => folderRef(1)) },
    ];
    for (const body of wrong) {
      await me.post(ENTITIES, body, 422);
      if (!('folder_id' in body)) expect((await me.request('DELETE', ENTITIES, body)).status).toBe(422);
    }
    expect(await me.post(ENTITIES, { entities: [folderRef(1), { id: 0, type: 'FOLDER' }] }, 422)).toMatchObject({
      detail: [{ loc: ['body', 'entities', 1, 'id'] }],
    });
  });
});

describe('deleting entities', () => {
  it('hides tables, removes folders, and writes one audit entry each', async () => {
    const me = await folders.app.stranger();
    const { id } = await newFolder(me, 'empty');
    const table = await newTable(me, 't');
    expect(await remove(me, [folderRef(id), table, table])).toEqual({ moved_count: 2 });
    expect(await names(me, { filter_type: 'FOLDER,TABLE' })).toEqual([]);
    await me.get(`${TABLES}/${table.id}`, 404);
    await me.get(`${ENTITIES}?folder_id=${id}`, 404);
    expect(await folders.deletions(me)).toEqual([`folder.delete ${id}`, `table.delete ${table.id}`]);
    await remove(me, [table], {}, 404);
    await newFolder(me, 'empty');
    expect(await remove(me, [])).toEqual({ moved_count: 0 });
  });

  it('refuses a folder that holds anything, listed on request or not', async () => {
    const me = await folders.app.stranger();
    const holders: Record<string, (folder: number) => Promise<unknown>> = {
      folder: (folder) => newFolder(me, 'sub', folder),
      table: (folder) => newTable(me, 't', folder),
      note: (folder) => folders.note(me, { name: 'n', pinned: true }, folder),
    };
    const free = await newFolder(me, 'free');
    for (const [name, fill] of Object.entries(holders)) {
      const { id } = await newFolder(me, name);
      await fill(id);
      for (const more of [{}, { cascade: false }, { cascade: null }]) {
        expect(await remove(me, [folderRef(free.id), folderRef(id)], more, 400)).toMatchObject({
          error: 'folder_not_empty',
          message: expect.stringContaining(`Folder ${id} `),
        });
      }
    }
    expect(await names(me)).toEqual(['folder', 'free', 'note', 'table']);
    expect(await folders.deletions(me)).toEqual([]);
  });

  it('deletes a folder as empty when its contents are named as well, or deleted', async () => {
    const me = await folders.app.stranger();
    const [a, b] = await nest(me, 'a', 'b');
    const table = await newTable(me, 't', b);
    await remove(me, [await newTable(me, 'gone', b)]);
    await remove(me, [folderRef(a!), folderRef(b!)], {}, 400);
    expect(await remove(me, [folderRef(a!), table, folderRef(b!)])).toEqual({ moved_count: 3 });
  });

  it('takes everything below along when it cascades, and nothing else', async () => {
    const me = await folders.app.stranger();
    const [a, b, c] = await nest(me, 'a', 'b', 'c');
    const { id: kept } = await newFolder(me, 'kept');
    const inside = [await newTable(me, 't', a), await newTable(me, 'u', c), await folders.note(me, { name: 'n' }, b)];
    await newTable(me, 'stays', kept);
    const outside = await newTable(me, 'named too');
    // Below the folder and named itself: counted once.
    const named = [folderRef(a!), folderRef(c!), inside[1]!, outside];
    expect(await remove(me, named, { cascade: true })).toEqual({ moved_count: 7 });
    expect(await names(me, { flatten: 'true', filter_type: 'FOLDER,TABLE,AB_TEST' })).toEqual(['kept', 'stays']);
    const expected = [
      ...[a, b, c].map((id) => `folder.delete ${id}`),
      ...[inside[0]!, inside[1]!, outside].map(({ id }) => `table.delete ${id}`),
      `note.delete ${inside[2]!.id}`,
    ];
    expect(await folders.deletions(me)).toEqual(expected.sort());
  });

  it('frees external ids, also of nested entities', async () => {
    const me = await folders.app.stranger();
    const external_ids = [{ source: 's', external_id: '1' }];
    const outer = await newFolder(me, 'outer');
    await newFolder(me, 'inner', outer.id, { external_ids });
    await me.post(FOLDERS, { name: 'again', external_ids }, 409);
    await remove(me, [folderRef(outer.id)], { cascade: true });
    await newFolder(me, 'again', null, { external_ids });
  });

  it('deletes nothing when one entity is unknown', async () => {
    const me = await folders.app.stranger();
    const { id } = await newFolder(me, 'f');
    expect(await remove(me, [folderRef(id), folderRef(2 ** 31 - 1)], { cascade: true }, 404)).toMatchObject({
      error: 'folder_entity_not_found',
    });
    expect(await names(me)).toEqual(['f']);
  });

  it('never leaves anything in a folder that is gone, whatever happens at once', async () => {
    const me = await folders.app.stranger();
    for (let round = 0; round < 15; round++) {
      const [outer, inner] = await nest(me, `outer${round}`, 'inner');
      const table = await newTable(me, 'moved');
      const cascade = round % 2 === 0;
      const target = cascade ? outer! : inner!;
      const [deleted, ...filled] = await Promise.all([
        me.request('DELETE', ENTITIES, { entities: [folderRef(target)], cascade }),
        me.request('POST', TABLES, { title: 'new', folder_id: inner }),
        me.request('POST', FOLDERS, { name: 'new', parent_id: inner }),
        me.request('POST', ENTITIES, { entities: [table], folder_id: inner }),
      ]);
      expect([200, ...(cascade ? [] : [400])]).toContain(deleted.status);
      for (const { status } of filled) expect([200, 201, 404]).toContain(status);
      const stored = filled.filter(({ status }) => status < 300).length;
      if (!cascade) expect(deleted.status === 200).toBe(stored === 0);
    }
    expect(await folders.orphans()).toEqual([]);
  });

  it('deletes ten thousand folders with fifty thousand tables at once', async () => {
    const me = await folders.app.stranger();
    const workspace = await folders.workspaceOf(me);
    const { id: top } = await newFolder(me, 'huge');
    // Statistics of the planner are often older than the rows.
    await folders.db.query('ANALYZE folders, tables');
    // A chain of 500 folders, the others side by side.
    await folders.db.query(
      `INSERT INTO folders (workspace_id, id, parent_id, name) OVERRIDING SYSTEM VALUE
       SELECT $1, 1000000 + n, CASE WHEN n = 1 OR n > 500 THEN $2::int ELSE 1000000 + n - 1 END, 'f' || n
         FROM generate_series(1, 10000) n`,
      [workspace, top],
    );
    await folders.db.query(
      `INSERT INTO external_ids (workspace_id, source, external_id, entity_type, entity_id)
       SELECT $1, 's', n::text, 'folder', (1000000 + n)::text FROM generate_series(1, 10000) n`,
      [workspace],
    );
    await folders.db.query(
      `INSERT INTO tables (workspace_id, id, title, folder_id)
       SELECT $1, gen_random_uuid(), 't' || n, 1000000 + 1 + n % 10000 FROM generate_series(1, 50000) n`,
      [workspace],
    );
    const all = await list(me, { folder_id: top, flatten: 'true', filter_type: 'FOLDER,TABLE' });
    expect(all).toHaveLength(60_000);
    expect(all.find(({ name }) => name === 'f500')).toMatchObject({
      path: ['huge', ...Array.from({ length: 499 }, (_, at) => `f${at + 1}`)],
      external_ids: [{ source: 's', external_id: '500' }],
    });
    expect(await remove(me, [folderRef(top)], { cascade: true })).toEqual({ moved_count: 60_001 });
    expect(await names(me, { flatten: 'true', filter_type: 'FOLDER,TABLE' })).toEqual([]);
    expect(new Set(await folders.deletions(me)).size).toBe(60_001);
    const left = await folders.db.query<unknown[]>('SELECT 1 FROM external_ids WHERE workspace_id = $1', [workspace]);
    expect(left).toEqual([]);
  });
});
