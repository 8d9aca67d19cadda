import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { type Page, readAll } from '../support/factories.js';
import {
  clientOf,
  deletePrompt,
  patchPrompt,
  promptBody,
  PROMPTS,
  PUBLISH,
  type PublishedPrompt,
  publishPrompt,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';

interface Event {
  id: number;
  event_type: string;
  details: Record<string, unknown>;
  key_id: number | null;
  request_id: string;
  timestamp: string;
}

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

/** A workspace of its own, and what happened in it since it was last asked. */
class Watched {
  private constructor(
    readonly me: Client,
    readonly workspace: number,
    private last: number,
  ) {}

  static async start(): Promise<Watched> {
    const me = await app.stranger();
    const { workspace_id: workspace } = await publishPrompt(me, 'the first of the workspace');
    const watched = new Watched(me, workspace, 0);
    await watched.news();
    return watched;
  }

  get url(): string {
    return `/api/admin/v1/workspaces/${this.workspace}/events`;
  }

  /** Type and details of the new events, oldest first, and without `prompt_template_` in front of everything. */
  async news(): Promise<[type: string, details: object][]> {
    const all = await readAll<Event>(this.me, `${this.url}?order=asc&limit=100`);
    const fresh = all.filter(({ id }) => id > this.last);
    this.last = all.at(-1)?.id ?? 0;
    return fresh.map(({ event_type: type, details }) => [type.replace(/^prompt_template_/, ''), short(details)]);
  }
}

function short(details: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(details).map(([key, value]) => [key.replace(/^(old_)?prompt_template_/, '$1'), value]),
  );
}

const named = ({ id, prompt_name: name }: PublishedPrompt) => ({ id, name });
const versioned = (prompt: PublishedPrompt, version_number = prompt.version_number) => ({
  ...named(prompt),
  version_number,
});
const text = (content: string, labels?: string[]) => ({ text: content, labels });

async function labelId(me: Client, { id }: PublishedPrompt): Promise<number> {
  const { release_labels: labels } = (await me.get(`${PROMPTS}/${id}/labels`)) as {
    release_labels: { release_label_id: number }[];
  };
  return labels[0]!.release_label_id;
}

describe('an event', () => {
  it('says what happened, by which key, in which request and when', async () => {
    const watched = await Watched.start();
    const client = watched.me.with({ 'x-request-id': 'my-request' });
    const prompt = await publishPrompt(client, 'described');
    const { data } = (await watched.me.get(`${watched.url}?limit=1`)) as Page<Event>;
    const { api_keys: keys } = (await watched.me.get(`/api/admin/v1/workspaces/${watched.workspace}/api-keys`)) as {
      api_keys: { id: number }[];
    };
    expect(data).toEqual([
      {
        id: expect.any(Number),
        event_type: 'prompt_template_version_created',
        details: {
          prompt_template_name: 'described',
          prompt_template_version_number: 1,
          prompt_template_id: prompt.id,
        },
        key_id: keys[0]!.id,
        request_id: 'my-request',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ]);
  });
});

describe('the events of versions', () => {
  it('come from publishing, patching and upserting, the labels after the version', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    const one = await publishPrompt(me, 'p', { labels: ['prod', 'live'] });
    const label = (prompt_template: PublishedPrompt, name: string) => ({ ...versioned(prompt_template), label: name });
    expect(await watched.news()).toEqual([
      ['version_created', versioned(one)],
      ['label_created', label(one, 'prod')],
      ['label_created', label(one, 'live')],
    ]);
    const two = await patchPrompt(me, 'p', { release_labels: ['prod', 'new'] });
    expect(await watched.news()).toEqual([
      ['version_created', versioned(two)],
      ['label_moved', { ...label(two, 'prod'), old_version_number: 1 }],
      ['label_created', label(two, 'new')],
    ]);
    const url = `${PROMPTS}/by-external-id/s/1`;
    const three = (await me.put(url, promptBody('p'), 200)) as PublishedPrompt;
    expect(await watched.news()).toEqual([['version_created', versioned(three)]]);
    const renamed = (await me.put(url, promptBody('q'), 200)) as PublishedPrompt;
    expect(await watched.news()).toEqual([
      ['name_changed', { ...named(renamed), old_name: 'p' }],
      ['version_created', versioned(renamed)],
    ]);
  });

  it('are not emitted for rejected requests', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    await publishPrompt(me, 'holder', { externalIds: [{ source: 's', external_id: 'x' }] });
    await watched.news();
    await me.post(PUBLISH, promptBody('late', { externalIds: [{ source: 's', external_id: 'x' }] }), 409);
    await me.post(PUBLISH, promptBody('late', { message: '@@@missing@@@', labels: ['prod'] }), 422);
    await me.patch(`${PUBLISH}/holder`, { messages: { '9': {} } }, 400);
    await me.post('/prompts/1/label', { name: 'x', prompt_version_number: 9 }, 404);
    expect(await watched.news()).toEqual([]);
  });
});

describe('the events of labels', () => {
  it('come from creating, moving and deleting, but not from leaving them where they are', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    const one = await publishPrompt(me, 'p');
    await publishPrompt(me, 'p');
    await watched.news();
    await me.post(`/prompts/${one.id}/label`, { name: 'prod', prompt_version_number: 1 });
    expect(await watched.news()).toEqual([['label_created', { ...versioned(one, 1), label: 'prod' }]]);
    const url = `/prompt-labels/${await labelId(me, one)}`;
    await me.patch(url, { prompt_version_number: 2 });
    expect(await watched.news()).toEqual([
      ['label_moved', { ...versioned(one, 2), label: 'prod', old_version_number: 1 }],
    ]);
    await me.patch(url, { prompt_version_number: 2 });
    expect(await watched.news()).toEqual([]);
    await me.delete(url, 204);
    expect(await watched.news()).toEqual([['label_deleted', { ...versioned(one, 2), label: 'prod' }]]);
  });
});

describe('the events of deletions', () => {
  it('name each prompt that was deleted, by itself or with its folder', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    const { folder } = (await me.post('/api/public/v2/folders', { name: 'F' }, 201)) as { folder: { id: number } };
    const prompts = [
      await publishPrompt(me, 'alone', { labels: ['prod'] }),
      await publishPrompt(me, 'inside', { folderId: folder.id }),
      await publishPrompt(me, 'snippet', { text: 'x', isSnippet: true, folderId: folder.id }),
    ];
    await watched.news();
    await deletePrompt(me, prompts[0]!.id);
    expect(await watched.news()).toEqual([['deleted', named(prompts[0]!)]]);
    const entities = [{ id: folder.id, type: 'FOLDER' }];
    await me.delete('/api/public/v2/folders/entities', 200, { entities, cascade: true });
    const deleted = await watched.news();
    expect(deleted.map(([type]) => type)).toEqual(['deleted', 'deleted']);
    expect(deleted.map(([, details]) => details)).toEqual(
      expect.arrayContaining([named(prompts[1]!), named(prompts[2]!)]) as object[],
    );
  });
});

describe('prompt_template_updated', () => {
  const updated = (news: [type: string, details: object][]) =>
    news.filter(([type]) => type === 'updated').map(([, details]) => details);

  it('comes for every prompt whose latest version imports a snippet with a new version, at any depth', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    await publishPrompt(me, 'snippet', text('one', ['prod']));
    const direct = await publishPrompt(me, 'direct', { message: '@@@snippet@@@' });
    const middle = await publishPrompt(me, 'middle', text('@@@snippet@@@'));
    const nested = await publishPrompt(me, 'nested', { message: '@@@middle@@@' });
    await publishPrompt(me, 'nested by version', { message: '@@@middle@version_number:1@@@' });
    await publishPrompt(me, 'by number', { message: '@@@snippet@version_number:1@@@' });
    await publishPrompt(me, 'by label', { message: '@@@snippet@label:prod@@@' });
    await publishPrompt(me, 'not any more', { message: '@@@snippet@@@' });
    await publishPrompt(me, 'not any more', { message: 'nothing' });
    const gone = await publishPrompt(me, 'gone', { message: '@@@snippet@@@' });
    await deletePrompt(me, gone.id);
    await publishPrompt(me, 'unrelated');
    await watched.news();
    const two = await publishPrompt(me, 'snippet', text('two'));
    const news = await watched.news();
    expect(news[0]).toEqual(['version_created', versioned(two)]);
    const details = updated(news) as { name: string }[];
    expect(details.map(({ name }) => name).sort()).toEqual(['direct', 'middle', 'nested', 'nested by version']);
    expect(details).toEqual(
      expect.arrayContaining([versioned(direct), versioned(middle), versioned(nested)]) as object,
    );
    expect(news).toHaveLength(5);
  });

  it('comes when the label it is imported by is moved, put there or removed', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    const snippet = await publishPrompt(me, 'snippet', text('one', ['prod']));
    const user = await publishPrompt(me, 'user', { message: '@@@snippet@label:prod@@@' });
    await publishPrompt(me, 'latest user', { message: '@@@snippet@@@' });
    await publishPrompt(me, 'snippet', text('two'));
    await watched.news();
    const url = `/prompt-labels/${await labelId(me, snippet)}`;
    await me.patch(url, { prompt_version_number: 2 });
    expect(await watched.news()).toEqual([
      ['label_moved', { ...versioned(snippet, 2), label: 'prod', old_version_number: 1 }],
      ['updated', versioned(user)],
    ]);
    await me.patch(url, { prompt_version_number: 2 });
    expect(await watched.news()).toEqual([]);
    await me.delete(url, 204);
    expect(updated(await watched.news())).toEqual([versioned(user)]);
    await me.post(`/prompts/${snippet.id}/label`, { name: 'prod', prompt_version_number: 1 });
    expect(updated(await watched.news())).toEqual([versioned(user)]);
    await me.post(`/prompts/${snippet.id}/label`, { name: 'other', prompt_version_number: 1 });
    expect(updated(await watched.news())).toEqual([]);
    const three = await publishPrompt(me, 'snippet', text('three', ['prod']));
    const news = await watched.news();
    expect(news.slice(0, 2).map(([type]) => type)).toEqual(['version_created', 'label_moved']);
    expect(three.version_number).toBe(3);
    expect((updated(news) as { name: string }[]).map(({ name }) => name).sort()).toEqual(['latest user', 'user']);
  });

  it('comes when the snippet is deleted, by itself or with its folder', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    const { folder } = (await me.post('/api/public/v2/folders', { name: 'F' }, 201)) as { folder: { id: number } };
    const snippet = await publishPrompt(me, 'snippet', { ...text('one', ['prod']), isSnippet: true });
    const inside = await publishPrompt(me, 'inside', { ...text('one'), isSnippet: true, folderId: folder.id });
    await publishPrompt(me, 'inside too', { message: '@@@inside@@@', folderId: folder.id });
    const users = [
      await publishPrompt(me, 'by label', { message: '@@@snippet@label:prod@@@' }),
      await publishPrompt(me, 'by number', { message: '@@@snippet@version_number:1@@@' }),
      await publishPrompt(me, 'latest', { message: '@@@snippet@@@' }),
    ];
    const user = await publishPrompt(me, 'user of the other', { message: '@@@inside@@@' });
    await watched.news();
    await deletePrompt(me, snippet.id, 'SNIPPET');
    expect(await watched.news()).toEqual([
      ['deleted', named(snippet)],
      ...users.map((prompt) => ['updated', versioned(prompt)]),
    ]);
    const entities = [{ id: folder.id, type: 'FOLDER' }];
    await me.delete('/api/public/v2/folders/entities', 200, { entities, cascade: true });
    const news = await watched.news();
    expect(updated(news)).toEqual([versioned(user)]);
    expect(news.map(([, details]) => details)).toContainEqual(named(inside));
  });

  it('comes when the snippet becomes a chat, which cannot be imported', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    await publishPrompt(me, 'snippet', text('one'));
    const user = await publishPrompt(me, 'user', { message: '@@@snippet@@@' });
    await watched.news();
    await publishPrompt(me, 'snippet', { message: 'two' });
    expect(updated(await watched.news())).toEqual([versioned(user)]);
  });

  it('does not come for a label that stays where it was', async () => {
    const watched = await Watched.start();
    const { me } = watched;
    const snippet = await publishPrompt(me, 'snippet', text('one', ['prod', 'live']));
    await publishPrompt(me, 'user', { message: '@@@snippet@label:live@@@' });
    await watched.news();
    await me.post(`/prompts/${snippet.id}/label`, { name: 'x', prompt_version_number: 1 });
    await publishPrompt(me, 'snippet', text('two', ['prod']));
    expect(updated(await watched.news())).toEqual([]);
  });
});

describe('the feed', () => {
  it('comes in pages, in both orders, and can be limited to a type', async () => {
    const { me, url } = await Watched.start();
    for (let n = 0; n < 7; n++) await publishPrompt(me, 'fed', { labels: [`label ${n}`] });
    const all = await readAll<Event>(me, `${url}?limit=3`);
    expect(all).toHaveLength(15);
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect((await readAll<Event>(me, `${url}?limit=4&order=asc`)).map(({ id }) => id)).toEqual(ids.toReversed());
    const labels = await readAll<Event>(me, `${url}?limit=2&event_type=prompt_template_label_created`);
    expect(labels.map(({ details }) => details.prompt_template_label)).toEqual(
      [6, 5, 4, 3, 2, 1, 0].map((n) => `label ${n}`),
    );
    expect(await readAll<Event>(me, `${url}?event_type=unknown`)).toEqual([]);
    const { next_cursor: cursor } = (await me.get(`${url}?limit=1`)) as Page<Event>;
    await me.get(`${url}?limit=1&order=asc&cursor=${cursor}`, 400);
    await me.get(`${url}?limit=1&event_type=unknown&cursor=${cursor}`, 400);
    for (const query of ['limit=0', 'limit=101', 'order=up']) await me.get(`${url}?${query}`, 422);
  });

  it('is for admins of the workspace and the operator only', async () => {
    const { workspace, url } = await Watched.start();
    for (const role of ['member', 'contributor', 'publisher', 'developer', 'viewer']) {
      const refused = await (await clientOf(app, workspace, { role })).get(url, 403);
      expect(refused).toMatchObject({
        error: 'permission_missing',
        message: expect.stringContaining('ADMIN') as string,
      });
    }
    await (await clientOf(app, workspace, { role: 'admin' })).get(url);
    expect(await app.operator().get(url)).toMatchObject({ count: 1 });
    await app.clientWith(null).get(url, 401);
    const stranger = await app.stranger();
    expect([403, 404]).toContain((await stranger.request('GET', url)).status);
  });

  it('drops events after the retention period', async () => {
    const worker = await TestApp.start({ env: { EVENT_RETENTION_DAYS: '7' } });
    for (const name of ['old', 'recent']) await publishPrompt(worker.client, name);
    const feed = '/api/admin/v1/workspaces/1/events?order=asc';
    const [old, recent] = ((await worker.operator().get(feed)) as Page<Event>).data;
    const age = `UPDATE outbox_events SET occurred_at = now() - $2 * interval '1 day' WHERE id = $1`;
    const db = worker.app.get(DataSource);
    await db.query(age, [recent!.id, 6]);
    await db.query(age, [old!.id, 8]);
    await worker.sweep('event-expiry');
    expect(await worker.operator().get(feed)).toMatchObject({ count: 1, data: [{ id: recent!.id }] });
    await worker.stop();
  });
});
