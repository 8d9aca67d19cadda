import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  type Folder,
} from './folders.fixture.js';

let folders: FoldersApp;
beforeAll(async () => {
  folders = await FoldersApp.start('vaults');
});
afterAll(() => folders.app.stop());

describe('creating a folder', () => {
  it('puts it at the top level or into another folder, and returns its path', async () => {
    const me = await folders.app.stranger();
    const top = await newFolder(me, 'Support');
    expect(top).toMatchObject({ name: 'Support', parent_id: null, path: null, external_ids: [] });
    expect(top.workspace_id).toBe(await folders.workspaceOf(me));
    expect(top.created_at).toMatch(/^\d{4}-.*Z$/);
    const inner = await newFolder(me, 'Refunds', top.id);
    const innermost = await newFolder(me, '2026', inner.id);
    expect(inner).toMatchObject({ parent_id: top.id, path: [{ id: top.id, name: 'Support' }] });
    expect(innermost.path).toEqual([
      { id: top.id, name: 'Support' },
      { id: inner.id, name: 'Refunds' },
    ]);
  });

  it('refuses a name that a sibling has, at the top as well; letter case and the level make a difference', async () => {
    const me = await folders.app.stranger();
    const { id } = await newFolder(me, 'Same');
    expect(await me.post(FOLDERS, { name: 'Same' }, 400)).toMatchObject({ success: false, error: 'folder_name_taken' });
    await newFolder(me, 'same');
    await newFolder(me, 'Same', id);
    expect(await me.post(FOLDERS, { name: 'Same', parent_id: id }, 400)).toMatchObject({ error: 'folder_name_taken' });
    await newFolder(await folders.app.stranger(), 'Same');
  });

  it('lets exactly one of several equal requests win', async () => {
    const me = await folders.app.stranger();
    const parent = await newFolder(me, 'Parent');
    for (const parent_id of [null, parent.id]) {
      const requests = Array.from({ length: 10 }, () => me.request('POST', FOLDERS, { name: 'One', parent_id }));
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([201, ...Array.from({ length: 9 }, () => 400)]);
    }
  });

  it('takes external ids along, all or nothing', async () => {
    const me = await folders.app.stranger();
    const pair = { source: 'drive', external_id: 'a/b' };
    const folder = await newFolder(me, 'Linked', null, {
      external_ids: [pair, { source: 'crm', external_id: '7' }, pair],
    });
    expect(folder.external_ids).toEqual([pair, { source: 'crm', external_id: '7' }]);
    const second = { name: 'Second', external_ids: [{ source: 'new', external_id: '1' }, pair] };
    expect(await me.post(FOLDERS, second, 409)).toEqual({
      success: false,
      message: expect.stringContaining('drive/a/b'),
    });
    expect(await names(me)).toEqual(['Linked']);
    await newFolder(me, 'Third', null, { external_ids: [{ source: 'new', external_id: '1' }] });
  });

  it('rejects values that it cannot store', async () => {
    const me = await folders.app.stranger();
    expect((await newFolder(me, '🎉'.repeat(255))).name).toBe('🎉'.repeat(255));
    expect((await newFolder(me, 'a\u0000b')).name).toBe('a\uFFFDb');
    for (const name of ['', '  ', 'x'.repeat(256), 7, null]) await me.post(FOLDERS, { name }, 422);
    for (const parent_id of [0, -1, 1.5, '1', 2 ** 31]) await me.post(FOLDERS, { name: 'x', parent_id }, 422);
    const extra = { name: 'x', external_ids: [{ source: 'a', external_id: 'b', more: 1 }] };
    expect(await me.post(FOLDERS, extra, 422)).toMatchObject({
      detail: [{ loc: ['body', 'external_ids', 0, 'more'], type: 'extra_forbidden' }],
    });
    expect(await me.post(FOLDERS, { name: 'x', parent_id: 2 ** 31 - 1 }, 404)).toMatchObject({
      error: 'folder_not_found',
    });
  });
});

describe('renaming a folder', () => {
  it('changes its name and its time, and the path of its contents', async () => {
    const me = await folders.app.stranger();
    const [top, inner] = await nest(me, 'Old', 'Inner');
    const before = (await list(me))[0]!;
    const { folder } = (await me.patch(`${FOLDERS}/${top}`, { name: 'New' })) as { folder: Folder };
    expect(folder).toMatchObject({ id: top, name: 'New', created_at: before.created_at, path: null });
    expect(Date.parse(folder.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect(await list(me, { folder_id: top! })).toMatchObject([{ id: inner, path: ['New'] }]);
  });

  it('refuses the name of a sibling, not its own', async () => {
    const me = await folders.app.stranger();
    const [one, two] = [await newFolder(me, 'One'), await newFolder(me, 'Two')];
    expect(await me.patch(`${FOLDERS}/${two.id}`, { name: 'One' }, 400)).toMatchObject({ error: 'folder_name_taken' });
    await me.patch(`${FOLDERS}/${one.id}`, { name: 'One' });
    await me.patch(`${FOLDERS}/${two.id}`, { name: 'one' });
    await me.patch(`${FOLDERS}/${two.id}`, {}, 422);
    expect((await names(me)).sort()).toEqual(['One', 'one']);
  });

  it('finds no folder of another workspace', async () => {
    const [me, stranger] = [await folders.app.stranger(), await folders.app.stranger()];
    const { id } = await newFolder(me, 'Mine');
    expect(await stranger.patch(`${FOLDERS}/${id}`, { name: 'Theirs' }, 404)).toMatchObject({
      error: 'folder_not_found',
    });
    expect(await stranger.post(FOLDERS, { name: 'x', parent_id: id }, 404)).toMatchObject({
      error: 'folder_not_found',
    });
    await stranger.get(`${ENTITIES}?folder_id=${id}`, 404);
    await move(stranger, [folderRef(id)], null, 404);
    await remove(stranger, [folderRef(id)], {}, 404);
    await stranger.get(`${FOLDERS}/resolve-id?path=Mine`, 404);
    expect(await names(me)).toEqual(['Mine']);
  });
});

describe('the workspace_id that some clients send', () => {
  it('may only be the one of the key', async () => {
    const me = await folders.app.stranger();
    const folder = await newFolder(me, 'A', null, { workspace_id: await folders.workspaceOf(me) });
    const requests: [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object][] = [
      ['POST', FOLDERS, { name: 'B' }],
      ['PATCH', `${FOLDERS}/${folder.id}`, { name: 'A' }],
      ['GET', `${ENTITIES}?`],
      ['POST', ENTITIES, { entities: [] }],
      ['DELETE', ENTITIES, { entities: [] }],
      ['GET', `${FOLDERS}/resolve-id?path=A&`],
    ];
    for (const [method, url, body] of requests) {
      const send = (workspace_id: number) =>
        body
          ? me.request(method, url, { ...body, workspace_id })
          : me.request(method, `${url}workspace_id=${workspace_id}`);
      expect([url, (await send(folder.workspace_id)).status]).toEqual([
        url,
        method === 'POST' && url === FOLDERS ? 201 : 200,
      ]);
      const refused = await send(folder.workspace_id + 1);
      expect(refused.status).toBe(400);
      expect(refused.body).toMatchObject({
        error: 'workspace_id_invalid',
        message: expect.stringContaining('Invalid workspace_id'),
      });
    }
  });
});

describe('permissions', () => {
  it('let every role read and only editors write; missing entities are reported before missing permissions', async () => {
    const me = await folders.app.stranger();
    const [a, b] = await nest(me, 'a', 'b');
    for (const role of ['viewer', 'publisher', 'developer']) {
      const viewer = await folders.keyIn(me, { role });
      expect(await names(viewer, { flatten: 'true' })).toEqual(['a', 'b']);
      expect(await resolve(viewer, 'a.b')).toBe(b);
      const forbidden = {
        success: false,
        error: 'permission_missing',
        message: expect.stringMatching(/_(EDIT|CREATE|DELETE)/),
      };
      expect(await viewer.post(FOLDERS, { name: 'a' }, 403)).toMatchObject(forbidden);
      expect(await viewer.post(FOLDERS, { name: 'x', parent_id: 2 ** 31 - 1 }, 404)).toMatchObject({
        error: 'folder_not_found',
      });
      expect(await viewer.patch(`${FOLDERS}/${b}`, { name: 'x' }, 403)).toMatchObject(forbidden);
      expect(await viewer.patch(`${FOLDERS}/${2 ** 31 - 1}`, { name: 'x' }, 404)).toMatchObject({
        error: 'folder_not_found',
      });
      expect(await move(viewer, [folderRef(a!)], b!, 403)).toMatchObject(forbidden);
      expect(await remove(viewer, [folderRef(a!)], {}, 403)).toMatchObject(forbidden);
      await move(viewer, [folderRef(2 ** 31 - 1)], null, 404);
      await remove(viewer, [folderRef(2 ** 31 - 1)], {}, 404);
    }
    const contributor = await folders.keyIn(me, { role: 'contributor' });
    await newFolder(contributor, 'c');
    await move(contributor, [folderRef(b!)], null);
    await remove(contributor, [folderRef(b!)]);
  });

  it('are those of every kind that is moved', async () => {
    const me = await folders.app.stranger();
    const member = await folders.keyIn(me, { role: 'member' });
    const { id } = await newFolder(me, 'f');
    const [vault, table] = [await folders.vault(me), await newTable(me, 't')];
    expect(await move(member, [table, vault], id, 403)).toMatchObject({ message: expect.stringContaining('ADMIN') });
    expect(await names(me, { folder_id: id, filter_type: 'TABLE,INPUT_VARIABLE_SET' })).toEqual([]);
    await move(member, [table], id);
    await move(me, [vault], id);
    // Folders may be moved with everything in them.
    const { id: other } = await newFolder(me, 'other');
    await move(member, [folderRef(id)], other);
  });

  it('are those of every kind that is deleted, deep below as well; else nothing is deleted', async () => {
    const me = await folders.app.stranger();
    const member = await folders.keyIn(me, { role: 'member' });
    const [a, b] = await nest(me, 'a', 'b');
    const [table, vault] = [await newTable(me, 't', a), await folders.vault(me, b)];
    expect(await remove(member, [folderRef(a!)], { cascade: true }, 403)).toMatchObject({
      error: 'permission_missing',
    });
    expect(await remove(member, [table, vault], {}, 403)).toMatchObject({ error: 'permission_missing' });
    const everything = { flatten: 'true', filter_type: 'FOLDER,TABLE,INPUT_VARIABLE_SET' };
    expect(await names(me, everything)).toEqual(['a', 'b', 't', 'Vault']);
    expect(await remove(me, [folderRef(a!)], { cascade: true })).toEqual({ moved_count: 4 });
    expect(await names(me, everything)).toEqual([]);
  });
});

describe('a path of names', () => {
  it('is found with dots and with slashes', async () => {
    const me = await folders.app.stranger();
    const [top, inner] = await nest(me, 'My Folder', 'Sub');
    expect(await resolve(me, 'My Folder')).toBe(top);
    for (const path of ['My Folder.Sub', 'My Folder/Sub', '/My Folder/Sub/', '//My Folder/Sub'])
      expect(await resolve(me, path)).toBe(inner);
    for (const path of [
      'Sub',
      'my folder',
      'My Folder.Sub.',
      '.My Folder',
      'My Folder..Sub',
      'My Folder.',
      '/',
      '.',
      'My Folder.Sub.x',
      '%',
      'x'.repeat(10_000),
    ])
      await me.get(`${FOLDERS}/resolve-id?path=${encodeURIComponent(path)}`, 404);
    for (const query of ['', '?path=', '?path=%20', `?path=${'x'.repeat(10_001)}`])
      await me.get(`${FOLDERS}/resolve-id${query}`, 422);
  });

  it('may have separators inside of names; dots come before slashes and long names before short ones', async () => {
    const me = await folders.app.stranger();
    const [, , short] = await nest(me, 'a', 'b', 'c');
    expect(await resolve(me, 'a.b.c')).toBe(short);
    const [, middle] = await nest(me, 'a.b', 'c');
    expect(await resolve(me, 'a.b.c')).toBe(middle);
    const { id: long } = await newFolder(me, 'a.b.c');
    expect(await resolve(me, 'a.b.c')).toBe(long);
    expect(await resolve(me, 'a/b/c')).toBe(short);
    expect(await resolve(me, 'a.b/c')).toBe(middle);
    const [, slashed] = await nest(me, 'x/y', 'z');
    expect(await resolve(me, 'x/y.z')).toBe(slashed);
    expect(await resolve(me, 'x/y/z')).toBe(slashed);
    // Deeper, but with the longer first name.
    await nest(me, 'k', 'l.m.n');
    const [, , deep] = await nest(me, 'k.l', 'm', 'n');
    expect(await resolve(me, 'k.l.m.n')).toBe(deep);
    // With slashes the first name would be the longer one.
    await nest(me, 'p.q', 'r');
    const [, dotted] = await nest(me, 'p', 'q/r');
    expect(await resolve(me, 'p.q/r')).toBe(dotted);
    const { id: ends } = await newFolder(me, 'Inc.');
    expect(await resolve(me, 'Inc.')).toBe(ends);
    const { id: wild } = await newFolder(me, '%_');
    expect(await resolve(me, '%_')).toBe(wild);
  });

  it('goes back when the longest name leads nowhere', async () => {
    const me = await folders.app.stranger();
    const [, , right] = await nest(me, 'a', 'b', 'c');
    await nest(me, 'a.b', 'other');
    expect(await resolve(me, 'a.b.c')).toBe(right);
  });

  it('is answered soon even when there are countless ways to split it', async () => {
    const me = await folders.app.stranger();
    const workspace = await folders.workspaceOf(me);
    // In every folder "a" and "a.a", 12 levels deep: thousands of folders, of which none ends in "b".
    let level: (number | null)[] = [null];
    for (let depth = 0; depth < 12; depth++) {
      const rows = await folders.db.query<{ id: number }[]>(
        `INSERT INTO folders (workspace_id, parent_id, name)
         SELECT $1, parent, name FROM unnest($2::int[]) parent, unnest(ARRAY['a', 'a.a']) name RETURNING id`,
        [workspace, level],
      );
      level = rows.map(({ id }) => id);
    }
    await me.get(`${FOLDERS}/resolve-id?path=${'a.'.repeat(30)}b`, 404);
    const longest = await resolve(me, Array.from({ length: 24 }, () => 'a').join('.'));
    expect(await list(me, { flatten: 'true', search_query: 'a.a' })).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: longest, path: Array.from({ length: 11 }, () => 'a.a') })]),
    );
  });
});
