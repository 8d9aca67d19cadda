import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';

const FOLDERS = '/api/public/v2/folders';

interface Pair {
  source: string;
  external_id: string;
}

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
});
afterAll(() => app.stop());

let count = 0;
interface Holder {
  id: number;
  workspace: number;
  url: string;
}
/** A new folder: an entity that external ids can be attached to. */
async function newHolder(client = me, external_ids: Pair[] = []): Promise<Holder> {
  const { folder } = (await client.post(FOLDERS, { name: `Folder ${count++}`, external_ids }, 201)) as {
    folder: { id: number; workspace_id: number };
  };
  return { id: folder.id, workspace: folder.workspace_id, url: `${FOLDERS}/${folder.id}/external-ids` };
}

const pairOf = (external_id: string, source = 'crm'): Pair => ({ source, external_id });
const urlOf = (holder: Holder, { source, external_id }: Pair) =>
  `${holder.url}/${encodeURIComponent(source)}/${encodeURIComponent(external_id)}`;
const attach = (holder: Holder, pair: unknown, status = 201, client = me) => client.post(holder.url, pair, status);
const attached = async (holder: Holder, client = me) =>
  ((await client.get(holder.url)) as { external_ids: Pair[] }).external_ids;
const remove = (holder: Holder) =>
  me.request('DELETE', `${FOLDERS}/entities`, { entities: [{ id: holder.id, type: 'FOLDER' }] });

/** Asserts an error as this family words it: nothing but these two fields. */
function expectBrief(body: unknown, message: string | RegExp): void {
  expect(body).toEqual({ success: false, message: expect.stringMatching(message) });
}

describe('attaching an external id', () => {
  it('answers with it, and says the same when it is repeated', async () => {
    const holder = await newHolder();
    const pair = pairOf('repeat');
    for (let time = 0; time < 3; time++) {
      expect(await attach(holder, pair)).toEqual({ success: true, external_id: pair });
    }
    expect(await attached(holder)).toEqual([pair]);
  });

  it('is refused when another entity has it; source and letter case make a difference', async () => {
    const [one, two] = [await newHolder(), await newHolder()];
    const pair = pairOf('taken');
    await attach(one, pair);
    expectBrief(await attach(two, pair, 409), /crm\/taken/);
    expect(await attached(two)).toEqual([]);
    await attach(two, pairOf('Taken'));
    await attach(two, pairOf('taken', 'CRM'));
    await attach(two, pairOf('taken', 'other'));
    expect(await attached(one)).toEqual([pair]);
  });

  it('can be done in every workspace on its own', async () => {
    const stranger = await app.stranger();
    const [mine, theirs] = [await newHolder(), await newHolder(stranger)];
    const pair = pairOf('in both');
    await attach(mine, pair);
    await attach(theirs, pair, 201, stranger);
    expect(await attached(theirs, stranger)).toEqual([pair]);
  });

  it('keeps the order, also after those that came with the entity', async () => {
    const inline = [pairOf('z-inline'), pairOf('a-inline')];
    const holder = await newHolder(me, inline);
    const later = ['m', 'b', 'x'].map((id) => pairOf(`${id}-later`, 'later'));
    for (const pair of later) await attach(holder, pair);
    await attach(holder, inline[0]);
    expect(await me.get(holder.url)).toEqual({ success: true, external_ids: [...inline, ...later] });
  });

  it('takes texts up to their limits, counted in characters, and nothing else', async () => {
    const holder = await newHolder();
    await attach(holder, { source: '🎉'.repeat(128), external_id: '🎉'.repeat(512) });
    const refused: [body: unknown, loc: (string | number)[], type: string][] = [
      [{ source: 's'.repeat(129), external_id: 'x' }, ['body', 'source'], 'string_too_long'],
      [{ source: 's', external_id: 'x'.repeat(513) }, ['body', 'external_id'], 'string_too_long'],
      [{ source: ' ', external_id: 'x' }, ['body', 'source'], 'string_too_short'],
      [{ source: 's', external_id: '' }, ['body', 'external_id'], 'string_too_short'],
      [{ source: 's' }, ['body', 'external_id'], 'missing'],
      [{ source: 's', external_id: 7 }, ['body', 'external_id'], 'string_type'],
      [{ source: 's', external_id: null }, ['body', 'external_id'], 'string_type'],
      [{ source: 's', external_id: 'x', colour: 'red' }, ['body', 'colour'], 'extra_forbidden'],
    ];
    for (const [body, loc, type] of refused) {
      expect(await attach(holder, body, 422)).toEqual({
        detail: [{ loc, type, msg: expect.any(String) }],
        message: expect.stringContaining(loc.join('.')),
      });
    }
    expect(await attached(holder)).toHaveLength(1);
  });

  it('replaces characters that cannot be stored, in the address as in the body', async () => {
    const holder = await newHolder();
    const stored = pairOf('a\uFFFDb\uFFFD', 's\uFFFD');
    expect(await attach(holder, { source: 's\u0000', external_id: 'a\u0000b\uD800' })).toEqual({
      success: true,
      external_id: stored,
    });
    expect(await attached(holder)).toEqual([stored]);
    await me.delete(`${holder.url}/s%00/a%00b%EF%BF%BD`);
    expect(await attached(holder)).toEqual([]);
  });
});

describe('detaching an external id', () => {
  it('sets it free for others and leaves the rest alone', async () => {
    const [one, two] = [await newHolder(), await newHolder()];
    const [pair, other] = [pairOf('detached'), pairOf('kept')];
    await attach(one, pair);
    await attach(one, other);
    expect(await me.delete(urlOf(one, pair))).toEqual({ success: true });
    expect(await attached(one)).toEqual([other]);
    await attach(two, pair);
    expectBrief(await me.delete(urlOf(one, pair), 404), /crm\/detached/);
    expect(await attached(two)).toEqual([pair]);
  });

  it('finds it whatever its characters are: the address is decoded once', async () => {
    const holder = await newHolder();
    const texts = ['a/b', '/', '100%', '%2F', '%252F', 'a+b', 'a b', 'é🎉', '?x=1&y', '#', 'a\\b', '"', 'ü/%41'];
    for (const text of texts) {
      const pair = { source: text, external_id: `${text}${text}` };
      await attach(holder, pair);
      await me.delete(urlOf(holder, { ...pair, external_id: text }), 404);
      expect([text, await me.delete(urlOf(holder, pair))]).toEqual([text, { success: true }]);
    }
    expect(await attached(holder)).toEqual([]);
    await attach(holder, pairOf('a+b'));
    await me.delete(`${holder.url}/crm/a%20b`, 404);
    await me.delete(`${holder.url}/crm/a+b`);
  });

  it('counts the length after decoding', async () => {
    const holder = await newHolder();
    const longest = { source: 'ü'.repeat(128), external_id: '漢'.repeat(512) };
    await attach(holder, longest);
    await me.delete(urlOf(holder, longest));
    await me.delete(urlOf(holder, { source: 's'.repeat(129), external_id: 'x' }), 422);
    await me.delete(urlOf(holder, { source: 's', external_id: 'x'.repeat(513) }), 422);
  });
});

describe('the entity of external ids', () => {
  it('must exist in the workspace', async () => {
    const stranger = await app.stranger();
    const holder = await newHolder();
    const pair = pairOf('not theirs');
    await attach(holder, pair);
    const gone = await newHolder();
    await remove(gone);
    for (const [client, url] of [
      [stranger, holder.url],
      [me, `${FOLDERS}/${2 ** 31 - 1}/external-ids`],
      [me, gone.url],
    ] as const) {
      expectBrief(await client.get(url, 404), /No folder \d+/);
      expectBrief(await client.post(url, pairOf('new'), 404), /No folder \d+/);
      expectBrief(await client.delete(`${url}/crm/${encodeURIComponent(pair.external_id)}`, 404), /No folder \d+/);
    }
    expect(await attached(holder)).toEqual([pair]);
    for (const id of ['0', 'x', '1.5', String(2 ** 31)]) await me.get(`${FOLDERS}/${id}/external-ids`, 422);
  });

  it('takes them with it when it is deleted', async () => {
    const holder = await newHolder(me, [pairOf('released')]);
    await remove(holder);
    await newHolder(me, [pairOf('released')]);
  });

  it('shows them wherever it is shown', async () => {
    const holder = await newHolder();
    await attach(holder, pairOf('shown'));
    const { folder } = (await me.patch(`${FOLDERS}/${holder.id}`, { name: 'Shown' })) as { folder: object };
    expect(folder).toMatchObject({ external_ids: [pairOf('shown')] });
  });
});

describe('who may change external ids', () => {
  it('are those who may edit; everybody may read', async () => {
    const holder = await newHolder(me, [pairOf('readable')]);
    const keys = `/api/admin/v1/workspaces/${holder.workspace}/api-keys`;
    for (const role of ['viewer', 'publisher', 'developer']) {
      const { secret } = (await app.operator().post(keys, { role }, 201)) as { secret: string };
      const viewer = app.clientWith(secret);
      expect(await attached(holder, viewer)).toEqual([pairOf('readable')]);
      expectBrief(await attach(holder, pairOf('forbidden'), 403, viewer), /_EDIT/);
      expectBrief(await viewer.delete(urlOf(holder, pairOf('readable')), 403), /_EDIT/);
      // A body with the wrong shape is rejected before a missing entity, and a missing entity before a missing
      // permission.
      const missing = `${FOLDERS}/${2 ** 31 - 1}/external-ids`;
      expectBrief(await viewer.post(missing, pairOf('x'), 404), /No folder/);
      expectBrief(await viewer.delete(`${missing}/crm/x`, 404), /No folder/);
      await attach(holder, {}, 422, viewer);
    }
    expect(await attached(holder)).toEqual([pairOf('readable')]);
  });

  it('need a key', async () => {
    const holder = await newHolder();
    const nobody = app.clientWith(null);
    await nobody.get(holder.url, 401);
    await nobody.post(holder.url, pairOf('x'), 401);
    await nobody.delete(urlOf(holder, pairOf('x')), 401);
  });
});

describe('requests at once', () => {
  it('give an external id to one entity only', async () => {
    for (let round = 0; round < 10; round++) {
      const holders = await Promise.all([newHolder(), newHolder(), newHolder()]);
      const pair = pairOf(`race ${round}`);
      const answers = await Promise.all(holders.map(({ url }) => me.request('POST', url, pair)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
      const lists = await Promise.all(holders.map((holder) => attached(holder)));
      expect(lists.flat()).toEqual([pair]);
    }
  });

  it('attach it once, however often they come', async () => {
    const holder = await newHolder();
    const pair = pairOf('twenty times');
    const answers = await Promise.all(Array.from({ length: 20 }, () => me.request('POST', holder.url, pair)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    expect(await attached(holder)).toEqual([pair]);
  });

  it('leave no external id without its entity', async () => {
    for (let round = 0; round < 20; round++) {
      const holder = await newHolder();
      const pair = pairOf(`deleted ${round}`);
      const [added, deleted] = await Promise.all([me.request('POST', holder.url, pair), remove(holder)]);
      expect(deleted.status).toBe(200);
      expect([201, 404]).toContain(added.status);
    }
    const left = await app.app.get(DataSource).query<unknown[]>(
      `SELECT * FROM external_ids x WHERE entity_type = 'folder' AND NOT EXISTS
        (SELECT 1 FROM folders f WHERE f.workspace_id = x.workspace_id AND f.id::text = x.entity_id)`,
    );
    expect(left).toEqual([]);
  });
});
