import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FoldersApp, ENTITIES, list, names, nest, newFolder, newTable, type Entity } from './folders.fixture.js';

let folders: FoldersApp;
beforeAll(async () => {
  folders = await FoldersApp.start();
});
afterAll(() => folders.app.stop());

describe('the entities of a folder', () => {
  it('are its folders first, then everything else by name; types of our own on request', async () => {
    const me = await folders.app.stranger();
    const [top] = await nest(me, 'Top', 'below');
    await newFolder(me, 'Zoo', top);
    await newFolder(me, 'ant', top);
    await folders.note(me, { name: 'bee' }, top);
    await folders.note(me, { name: 'Ape' }, top);
    await folders.note(me, { name: 'cat', pinned: true }, top);
    const table = await newTable(me, 'A table', top);
    const entities = await list(me, { folder_id: top! });
    expect(entities.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'FOLDER ant',
      'FOLDER below',
      'FOLDER Zoo',
      'AB_TEST Ape',
      'AB_TEST bee',
      'INPUT_VARIABLE_SET cat',
    ]);
    expect(entities[0]).toEqual({
      id: expect.any(Number),
      name: 'ant',
      type: 'FOLDER',
      folder_id: top,
      path: ['Top'],
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
      external_ids: [],
    });
    expect(await list(me, { folder_id: top!, filter_type: 'TABLE' })).toMatchObject([
      { id: table.id, name: 'A table', type: 'TABLE', folder_id: top, path: ['Top'] },
    ]);
    expect(await names(me)).toEqual(['Top']);
  });

  it('are filtered by type, repeated or joined; types without entities are no error', async () => {
    const me = await folders.app.stranger();
    await newFolder(me, 'f');
    await folders.note(me, { name: 'n' });
    await newTable(me, 't');
    expect(await names(me, { filter_type: 'AB_TEST,TABLE' })).toEqual(['n', 't']);
    const repeated = (await me.get(`${ENTITIES}?filter_type=FOLDER&filter_type=TABLE`)) as { entities: Entity[] };
    expect(repeated.entities.map(({ name }) => name)).toEqual(['f', 't']);
    expect(await names(me, { filter_type: 'DATASET,INPUT_VARIABLE_SET' })).toEqual([]);
    expect(await me.get(`${ENTITIES}?filter_type=AB_TEST,nonsense`, 422)).toMatchObject({
      detail: [{ loc: ['query', 'filter_type'], type: 'enum' }],
    });
  });

  it('can be everything below, each with the path to it', async () => {
    const me = await folders.app.stranger();
    const [a, b, c] = await nest(me, 'a', 'b', 'c');
    await newFolder(me, 'elsewhere');
    await folders.note(me, { name: 'deep' }, c);
    await folders.note(me, { name: 'near' }, a);
    await folders.note(me, { name: 'far' });
    const below = await list(me, { folder_id: a!, flatten: 'True' });
    expect(below.map(({ name, path }) => [name, path.join('/')])).toEqual([
      ['b', 'a'],
      ['c', 'a/b'],
      ['deep', 'a/b/c'],
      ['near', 'a'],
    ]);
    expect(below.find(({ name }) => name === 'c')!.folder_id).toBe(b);
    expect(await names(me, { flatten: 1 })).toEqual(['a', 'b', 'c', 'elsewhere', 'deep', 'far', 'near']);
    expect(await names(me, { folder_id: c! })).toEqual(['deep']);
  });

  it('carry metadata when it is wanted', async () => {
    const me = await folders.app.stranger();
    await newFolder(me, 'f');
    await folders.note(me, { name: 'n', text: 'four' });
    expect((await list(me)).every((entity) => !('metadata' in entity))).toBe(true);
    expect((await list(me, { include_metadata: 'true' })).map(({ metadata }) => metadata)).toEqual([{}, { length: 4 }]);
  });

  it('carry their external ids in the order they were attached, and are found by them', async () => {
    const me = await folders.app.stranger();
    const pairs = [
      { source: 'z', external_id: 'same' },
      { source: 'a', external_id: 'A' },
    ];
    const folder = await newFolder(me, 'f', null, { external_ids: pairs });
    const note = await folders.note(me, { name: 'n' });
    // An entity of another type with the same id has nothing to do with it.
    await folders.db.query(
      `INSERT INTO external_ids (workspace_id, source, external_id, entity_type, entity_id) VALUES ($1, 'z', 'note', 'note', $2), ($1, 'x', 'y', 'note', $3)`,
      [await folders.workspaceOf(me), note.id, folder.id],
    );
    expect((await list(me)).map(({ external_ids }) => external_ids)).toEqual([
      pairs,
      [{ source: 'z', external_id: 'note' }],
    ]);
    expect(await names(me, { external_source: 'z', external_id: 'same' })).toEqual(['f']);
    expect(await names(me, { external_source: 'z', external_id: 'note' })).toEqual(['n']);
    expect(await names(me, { external_source: 'a', external_id: 'a' })).toEqual([]);
    expect(await me.get(`${ENTITIES}?external_source=z`, 422)).toMatchObject({
      detail: [{ loc: ['query', 'external_id'] }],
    });
    expect(await me.get(`${ENTITIES}?external_id=z`, 422)).toMatchObject({
      detail: [{ loc: ['query', 'external_source'] }],
    });
  });

  it('are filtered by all of the tags; what cannot have tags has none of them', async () => {
    const me = await folders.app.stranger();
    await newFolder(me, 'red');
    await folders.note(me, { name: 'both', tags: ['red', 'green', 'big'] });
    await folders.note(me, { name: 'one', tags: ['red'] });
    await folders.note(me, { name: 'comma', tags: ['x,y'] });
    expect(await names(me, { tags: 'red' })).toEqual(['both', 'one']);
    expect(await names(me, { tags: 'red,green' })).toEqual(['both']);
    const repeated = (await me.get(`${ENTITIES}?tags=green&tags=red`)) as { entities: Entity[] };
    expect(repeated.entities.map(({ name }) => name)).toEqual(['both']);
    expect(await names(me, { tags: 'Red' })).toEqual([]);
    expect(await names(me, { tags: 'x,y' })).toEqual(['comma']);
    expect(await names(me, { tags: 'x' })).toEqual([]);
    // Nothing asked for is no condition: folders have no tags.
    expect(await names(me, { tags: '' })).toEqual(expect.arrayContaining(['red', 'both', 'comma']));
    expect(await names(me, { tags: 'red', filter_type: 'TABLE,FOLDER' })).toEqual([]);
  });

  it('are filtered by the owner of the key that created them', async () => {
    const me = await folders.app.stranger();
    const sam = await folders.keyIn(me, { role: 'member', owner_email: 'Sam@Example.com' });
    await newFolder(me, 'mine');
    await newFolder(sam, `sam's`);
    await newTable(sam, `sam's table`);
    const filter = { created_by_email: 'sam@example.COM', filter_type: 'FOLDER,TABLE' };
    expect(await names(me, filter)).toEqual([`sam's`, `sam's table`]);
    expect(await names(me, { created_by_email: 'sam@example.co' })).toEqual([]);
    expect(await names(await folders.app.stranger(), filter)).toEqual([]);
  });

  it('are filtered by times, which are inclusive', async () => {
    const me = await folders.app.stranger();
    const note = await folders.note(me, { name: 'n' });
    const times = `created_at = '2026-03-01T10:00:00.123Z', updated_at = '2026-03-02T10:00:00Z'`;
    await folders.db.query(`UPDATE notes SET ${times} WHERE id = $1`, [note.id]);
    const found = async (query: Record<string, string>) => (await names(me, query)).length;
    expect(await found({ created_after: '2026-03-01T10:00:00.123Z', created_before: '2026-03-01T10:00:00.123Z' })).toBe(
      1,
    );
    expect(await found({ created_after: '2026-03-01T10:00:00.124Z' })).toBe(0);
    expect(await found({ created_before: '2026-03-01T10:00:00.122Z' })).toBe(0);
    expect(await found({ created_before: '2026-03-01', created_after: '2026-03-01' })).toBe(1);
    expect(await found({ created_before: '2026-02-28' })).toBe(0);
    expect(await found({ updated_after: '2026-03-02T12:00:00+02:00', updated_before: '2026-03-02T10:00:00' })).toBe(1);
    expect(await found({ created_after: '1772359200123', created_before: '1772359200.123' })).toBe(1);
    expect(await found({ updated_after: '2026-03-02T10:00:00.001Z' })).toBe(0);
    expect(await found({ updated_before: '2026-03-02T09:59:59.999Z' })).toBe(0);
    for (const time of ['yesterday', '2026-02-30', '', '1e300']) {
      expect(await me.get(`${ENTITIES}?created_after=${time}`, 422)).toMatchObject({
        detail: [{ loc: ['query', 'created_after'], type: 'datetime_parsing' }],
      });
    }
  });

  it('are sorted as asked, the highest first', async () => {
    const me = await folders.app.stranger();
    await folders.note(me, { name: 'b' });
    const table = await newTable(me, 'c');
    await newFolder(me, 'a');
    await folders.db.query(
      `UPDATE notes SET created_at = '2026-01-01', updated_at = '2026-02-03' WHERE workspace_id = $1`,
      [await folders.workspaceOf(me)],
    );
    await folders.db.query(`UPDATE tables SET created_at = '2026-01-02', updated_at = '2026-02-01' WHERE id = $1`, [
      table.id,
    ]);
    await folders.db.query(
      `UPDATE folders SET created_at = '2026-01-03', updated_at = '2026-02-02' WHERE workspace_id = $1`,
      [await folders.workspaceOf(me)],
    );
    const sorted = (query: Record<string, string>) => names(me, { filter_type: 'FOLDER,AB_TEST,TABLE', ...query });
    expect(await sorted({ sort_by: 'created_at' })).toEqual(['a', 'c', 'b']);
    expect(await sorted({ sort_by: 'created_at', sort_order: 'asc' })).toEqual(['b', 'c', 'a']);
    expect(await sorted({ sort_by: 'updated_at' })).toEqual(['b', 'a', 'c']);
    expect(await sorted({ sort_by: 'name' })).toEqual(['c', 'b', 'a']);
    expect(await sorted({ sort_by: 'name', sort_order: 'asc' })).toEqual(['a', 'b', 'c']);
    expect((await sorted({ sort_by: 'id', sort_order: 'asc' })).at(-1)).toBe('c');
    expect(await sorted({ sort_order: 'desc' })).toEqual(['a', 'c', 'b']);
    await me.get(`${ENTITIES}?sort_by=colour`, 422);
  });
});

describe('a search', () => {
  it('finds what contains the text in any letter case, names before content', async () => {
    const me = await folders.app.stranger();
    await folders.note(me, { name: 'aaa', text: 'about REFUNDS' });
    await folders.note(me, { name: 'zzz refund' });
    await folders.note(me, { name: 'other', text: 'nothing' });
    await newFolder(me, 'Refund folder');
    await newTable(me, 'refund table');
    expect(await names(me, { search_query: 'ReFund' })).toEqual(['Refund folder', 'zzz refund', 'aaa']);
    expect(await names(me, { search_query: 'refund', sort_by: 'name' })).toEqual([
      'zzz refund',
      'Refund folder',
      'aaa',
    ]);
    expect(await names(me, { search_query: 'refund', filter_type: 'TABLE' })).toEqual(['refund table']);
    expect(await names(me, { search_query: '' })).toHaveLength(4);
  });

  it('takes wildcards and quotes literally', async () => {
    const me = await folders.app.stranger();
    for (const name of ['100%', '100 items', 'a_b', 'aXb', `it's`, 'back\\slash', 'ÉCOLE']) await newFolder(me, name);
    expect(await names(me, { search_query: '0%' })).toEqual(['100%']);
    expect(await names(me, { search_query: '_' })).toEqual(['a_b']);
    expect(await names(me, { search_query: `'` })).toEqual([`it's`]);
    expect(await names(me, { search_query: '\\' })).toEqual(['back\\slash']);
    expect(await names(me, { search_query: 'école' })).toEqual(['ÉCOLE']);
  });

  it('stays in the folder unless it is flat', async () => {
    const me = await folders.app.stranger();
    const [top] = await nest(me, 'top', 'found below');
    expect(await names(me, { search_query: 'found' })).toEqual([]);
    expect(await names(me, { search_query: 'found', flatten: 'true' })).toEqual(['found below']);
    expect(await names(me, { search_query: 'found', folder_id: top! })).toEqual(['found below']);
  });

  it('can be by relevance, with mistakes in the words', async () => {
    const me = await folders.app.stranger();
    await folders.note(me, { name: 'Shipping costs' });
    await folders.note(me, { name: 'Notes', text: 'How we handle refund requests politely' });
    await folders.note(me, { name: 'Refunds' });
    await newFolder(me, 'Refund requests');
    const semantic = { semantic_search: 'true', search_query: 'refund request', sort_by: 'id' };
    expect((await names(me, semantic)).slice(0, 3)).toEqual(['Refund requests', 'Notes', 'Refunds']);
    expect(await names(me, { ...semantic, semantic_search_top_k: 1 })).toEqual(['Refund requests']);
    expect(await names(me, { ...semantic, semantic_search_threshold: '0.3' })).toEqual(['Refund requests', 'Notes']);
    expect(await names(me, { ...semantic, search_query: 'refnud rqeuest' })).toContain('Refund requests');
    expect(await names(me, { ...semantic, search_query: '日本' })).toEqual([]);
    expect(await names(me, { ...semantic, filter_type: 'FOLDER' })).toEqual(['Refund requests']);
  });

  it('by relevance needs a text and sensible numbers', async () => {
    const me = await folders.app.stranger();
    expect(await me.get(`${ENTITIES}?semantic_search=true`, 422)).toMatchObject({
      detail: [{ loc: ['query', 'search_query'], type: 'missing' }],
    });
    for (const wrong of ['top_k=0', 'top_k=501', 'threshold=0', 'threshold=2.1', 'threshold=x', 'threshold=']) {
      await me.get(`${ENTITIES}?semantic_search=true&search_query=x&semantic_search_${wrong}`, 422);
    }
    await me.get(
      `${ENTITIES}?semantic_search=true&search_query=x&semantic_search_threshold=2&semantic_search_top_k=500`,
    );
  });
});
