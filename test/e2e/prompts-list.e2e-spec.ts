import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { every } from '../support/every.js';
import {
  clientOf,
  deletePrompt,
  PROMPTS,
  promptUrl,
  publishPrompt,
  type PublishedPrompt,
  type ReadPrompt,
  textsOf,
} from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const FOLDERS = '/api/public/v2/folders';

interface Item extends ReadPrompt {
  folder_id: number | null;
  parent_folder_name: string | null;
  full_folder_path: string | null;
  external_ids: object[];
}
interface Page {
  items: Item[];
  page: number;
  per_page: number;
  pages: number;
  total: number;
}

let app: TestApp;
let me: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
  me = await app.stranger();
});
afterAll(() => app.stop());

const list = async (client: Client, query = '') => (await client.get(PROMPTS + query)) as Page;
const names = async (client: Client, query = '') => (await list(client, query)).items.map((item) => item.prompt_name);
const publishAll = async (client: Client, ...all: string[]) => {
  for (const name of all) await publishPrompt(client, name);
};

describe('an item of the list', () => {
  it('says everything about the latest version, unrendered', async () => {
    const client = await app.stranger();
    const folder = async (name: string, parent_id: number | null) =>
      ((await client.post(FOLDERS, { name, parent_id }, 201)) as { folder: { id: number } }).folder.id;
    const folderId = await folder('Inner', await folder('Outer', null));
    const externalIds = ['b', 'a'].map((external_id) => ({ source: 'crm', external_id }));
    await publishPrompt(client, 'snippet', { text: 'x' });
    await publishPrompt(client, 'listed');
    const options = { folderId, tags: ['t'], externalIds, version: { commit_message: 'second' } };
    const latest = await publishPrompt(client, 'listed', { ...options, message: '@@@snippet@@@ {name}' });
    const [item] = (await list(client)).items;
    expect(item).toEqual({
      id: latest.id,
      prompt_name: 'listed',
      version: 2,
      prompt_version_id: latest.prompt_version_id,
      workspace_id: latest.workspace_id,
      prompt_template: latest.prompt_template,
      metadata: latest.metadata,
      commit_message: 'second',
      tags: ['t'],
      is_snippet: false,
      is_deleted: false,
      folder_id: folderId,
      parent_folder_name: 'Inner',
      full_folder_path: 'Outer/Inner',
      created_at: expect.any(String),
      llm_kwargs: null,
      snippets: [],
      external_ids: externalIds,
    });
  });

  it('has no folder at the top', async () => {
    const client = await app.stranger();
    await publishPrompt(client, 'top');
    const atTop = { folder_id: null, parent_folder_name: null, full_folder_path: null };
    expect((await list(client)).items).toMatchObject([atTop]);
  });
});

describe('the pages of the list', () => {
  const all = Array.from({ length: 35 }, (_, index) => `p${String(index).padStart(2, '0')}`);
  let client: Client;
  beforeAll(async () => {
    client = await app.stranger();
    await publishAll(client, ...all);
  });
  const place = async (query: string) => {
    const { items, ...rest } = await list(client, query);
    return { ...rest, count: items.length };
  };

  it('hold 30 prompts unless it is said otherwise, newest first', async () => {
    const first = { page: 1, per_page: 30, pages: 2, total: 35, has_next: true, has_prev: false };
    expect(await place('')).toEqual({ ...first, next_num: 2, prev_num: null, count: 30 });
    expect(await names(client)).toEqual(all.toReversed().slice(0, 30));
  });

  it('say where they are', async () => {
    const middle = { page: 2, per_page: 10, pages: 4, total: 35, has_next: true, has_prev: true };
    expect(await place('?page=2&per_page=10')).toEqual({ ...middle, next_num: 3, prev_num: 1, count: 10 });
    const last = { page: 4, per_page: 10, pages: 4, total: 35, has_next: false, has_prev: true };
    expect(await place('?page=4&per_page=10')).toEqual({ ...last, next_num: null, prev_num: 3, count: 5 });
    const exact = { page: 1, per_page: 35, pages: 1, total: 35, has_next: false, has_prev: false };
    expect(await place('?per_page=35')).toEqual({ ...exact, next_num: null, prev_num: null, count: 35 });
  });

  it('are empty beyond the end, and in a workspace without prompts', async () => {
    expect(await place('?page=3')).toMatchObject({ page: 3, total: 35, pages: 2, count: 0, next_num: null });
    expect(await place('?page=1000000')).toMatchObject({ total: 35, count: 0 });
    const empty = { items: [], page: 1, per_page: 30, pages: 0, total: 0, has_next: false, has_prev: false };
    expect(await list(await app.stranger())).toEqual({ ...empty, next_num: null, prev_num: null });
  });

  it('hold every prompt once', async () => {
    for (const sort of ['created_at', 'updated_at', 'name', 'id']) {
      const pages = [1, 2, 3, 4, 5].map((page) => names(client, `?per_page=8&page=${page}&sort_by=${sort}`));
      expect((await Promise.all(pages)).flat().sort()).toEqual(all);
    }
  });

  it('have 1 to 100 prompts', async () => {
    expect(await place('?per_page=1')).toMatchObject({ pages: 35, count: 1 });
    expect(await place('?per_page=100')).toMatchObject({ pages: 1, count: 35 });
    for (const query of ['per_page=0', 'per_page=101', 'per_page=x', 'per_page=-1', 'page=0', 'page=x', 'page=1.5']) {
      const answer = await client.get(`${PROMPTS}?${query}`, 422);
      expect(answer).toMatchObject({ detail: [{ loc: ['query', query.split('=')[0]] }] });
    }
  });

  it('are the same below /v1', async () => {
    expect(await client.get('/v1/prompt-templates?page=2&per_page=3')).toEqual(
      await list(client, '?page=2&per_page=3'),
    );
  });
});

describe('filters', () => {
  it('by name: contained in it, whatever the case, and wildcards are letters', async () => {
    const client = await app.stranger();
    const all = ['100% sure', '100 sure', 'a_b', 'aXb', 'ÉCOLE', 'back\\slash', 'Greeting', 'x/greeting/y'];
    await publishAll(client, ...all);
    const cases: [name: string, found: string[]][] = [
      ['SURE', ['100 sure', '100% sure']],
      ['100%', ['100% sure']],
      ['a_b', ['a_b']],
      ['école', ['ÉCOLE']],
      ['\\', ['back\\slash']],
      ['greeting', ['x/greeting/y', 'Greeting']],
      ['nothing', []],
      ['', all.toReversed()],
    ];
    await every(cases, async ([name, found]) => {
      expect([name, await names(client, `?name=${encodeURIComponent(name)}`)]).toEqual([name, found]);
    });
  });

  it('by tags, of which it must have all, repeated or joined with commas', async () => {
    const client = await app.stranger();
    await publishPrompt(client, 'both', { tags: ['a', 'b'] });
    await publishPrompt(client, 'one', { tags: ['a'] });
    await publishPrompt(client, 'none');
    await publishPrompt(client, 'comma', { tags: ['x,y'] });
    const cases: [query: string, found: string[]][] = [
      ['tags=a', ['one', 'both']],
      ['tags=x,y', ['comma']],
      ['tags=x', []],
      ['tags=b', ['both']],
      ['tags=a&tags=b', ['both']],
      ['tags=a,b', ['both']],
      ['tags=b%2Ca', ['both']],
      ['tags=A', []],
      ['tags=a&tags=c', []],
      ['tags=', ['comma', 'none', 'one', 'both']],
    ];
    await every(cases, async ([query, found]) => {
      expect([query, await names(client, `?${query}`)]).toEqual([query, found]);
    });
  });

  it('by label, and show the version that carries it', async () => {
    const client = await app.stranger();
    await publishPrompt(client, 'labelled', { message: 'old {a}', labels: ['prod'] });
    await publishPrompt(client, 'labelled', { message: 'new {b}', labels: ['staging'] });
    await publishPrompt(client, 'unlabelled');
    const { items, total } = await list(client, '?label=prod');
    expect([total, items.map((item) => [item.prompt_name, item.version])]).toEqual([1, [['labelled', 1]]]);
    expect(items[0]!.prompt_template.input_variables).toEqual(['a']);
    expect((await list(client, '?label=staging')).items[0]!.version).toBe(2);
    expect(await names(client, '?label=Prod')).toEqual([]);
  });

  it('by status', async () => {
    const client = await app.stranger();
    await publishPrompt(client, 'live', { labels: ['prod'] });
    const { id } = await publishPrompt(client, 'dead', { labels: ['prod'] });
    await deletePrompt(client, id);
    await publishPrompt(client, 'dead');
    const cases: [query: string, found: [name: string, deleted: boolean][]][] = [
      [
        '',
        [
          ['dead', false],
          ['live', false],
        ],
      ],
      [
        '?status=active',
        [
          ['dead', false],
          ['live', false],
        ],
      ],
      ['?status=deleted', [['dead', true]]],
      [
        '?status=all',
        [
          ['dead', false],
          ['dead', true],
          ['live', false],
        ],
      ],
    ];
    await every(cases, async ([query, found]) => {
      const { items } = (await client.get(PROMPTS + query)) as {
        items: { prompt_name: string; is_deleted: boolean }[];
      };
      expect(items.map((item) => [item.prompt_name, item.is_deleted])).toEqual(found);
    });
    await client.get(`${PROMPTS}?status=lost`, 422);
  });

  it('by being a snippet', async () => {
    const client = await app.stranger();
    await publishPrompt(client, 'snippet', { text: 'x', isSnippet: true });
    await publishPrompt(client, 'completion', { text: 'x' });
    for (const yes of ['true', 'True', '1']) expect(await names(client, `?is_snippet=${yes}`)).toEqual(['snippet']);
    for (const no of ['false', '0']) expect(await names(client, `?is_snippet=${no}`)).toEqual(['completion']);
    expect(await names(client)).toEqual(['completion', 'snippet']);
    await client.get(`${PROMPTS}?is_snippet=maybe`, 422);
  });

  it('by the owner of the key that created it, whatever the case', async () => {
    const client = await app.stranger();
    const { workspace_id: workspace } = await publishPrompt(client, 'by nobody');
    const key = { role: 'admin', owner_email: 'Ada@Example.com' };
    await publishPrompt(await clientOf(app, workspace, key), 'by ada');
    await publishPrompt(client, 'by ada');
    await publishPrompt(await clientOf(app, workspace, { ...key, owner_email: 'bob@example.com' }), 'by bob');
    expect(await names(client, '?created_by_email=ada@example.COM')).toEqual(['by ada']);
    expect(await names(client, '?created_by_email=bob%40example.com')).toEqual(['by bob']);
    expect(await names(client, '?created_by_email=ada')).toEqual([]);
    expect(await names(client, '?created_by_email=a%25')).toEqual([]);
  });

  it('by times, their bounds included', async () => {
    const client = await app.stranger();
    const { id } = await publishPrompt(client, 'old');
    const { created_at: created } = (await client.get(promptUrl(id))) as ReadPrompt;
    const later = new Date(Date.parse(created) + 1).toISOString();
    await until(() => Promise.resolve(Date.now() > Date.parse(later)));
    await publishPrompt(client, 'new');
    await publishPrompt(client, 'old');
    const cases: [query: string, found: string[]][] = [
      [`created_after=${created}`, ['new', 'old']],
      [`created_after=${later}`, ['new']],
      [`created_before=${created}`, ['old']],
      [`created_after=${created}&created_before=${created}`, ['old']],
      [`updated_after=${later}`, ['new', 'old']],
      [`updated_before=${created}`, []],
      [`updated_after=${later}&created_before=${created}`, ['old']],
      ['created_before=2020-01-01', []],
      ['updated_after=2020-01-01T00:00:00%2B02:00', ['new', 'old']],
    ];
    await every(cases, async ([query, found]) => {
      expect([query, await names(client, `?${query}`)]).toEqual([query, found]);
    });
    for (const name of ['created_after', 'created_before', 'updated_after', 'updated_before']) {
      await client.get(`${PROMPTS}?${name}=yesterday`, 422);
    }
  });

  it('by external id, whose two halves go together', async () => {
    const client = await app.stranger();
    const pair = (source: string, external_id: string) => ({ source, external_id });
    await publishPrompt(client, 'one', { externalIds: [pair('crm', 'x/1'), pair('erp', 'y')] });
    await publishPrompt(client, 'two', { externalIds: [pair('crm', 'X/1')] });
    expect(await names(client, '?external_source=crm&external_id=x%2F1')).toEqual(['one']);
    expect(await names(client, '?external_source=erp&external_id=y')).toEqual(['one']);
    expect(await names(client, '?external_source=crm&external_id=y')).toEqual([]);
    for (const query of ['external_source=crm', 'external_id=x']) {
      const { detail } = (await client.get(`${PROMPTS}?${query}`, 422)) as { detail: { loc: string[] }[] };
      expect(detail[0]!.loc[0]).toBe('query');
    }
  });

  it('hold together', async () => {
    const client = await app.stranger();
    const externalIds = [{ source: 'crm', external_id: '1' }];
    const matching = { text: 'x', isSnippet: true, tags: ['a', 'b'], labels: ['prod'] };
    const { workspace_id: workspace } = await publishPrompt(client, 'other match');
    const ada = await clientOf(app, workspace, { role: 'admin', owner_email: 'ada@example.com' });
    await publishPrompt(ada, 'the match', { ...matching, externalIds });
    await publishPrompt(ada, 'match unlabelled', { ...matching, labels: [] });
    await publishPrompt(ada, 'match untagged', { ...matching, tags: ['a'] });
    await publishPrompt(ada, 'match no snippet', { ...matching, isSnippet: false });
    await publishPrompt(client, 'match of another', matching);
    await publishPrompt(ada, 'else', matching);
    const query = '?name=match&tags=a,b&label=prod&is_snippet=true&status=active&created_by_email=ada@example.com';
    const times =
      '&created_after=2020-01-01&created_before=2100-01-01&updated_after=2020-01-01&updated_before=2100-01-01';
    const identity = '&external_source=crm&external_id=1&sort_by=name&sort_order=asc&page=1&per_page=100';
    expect(await names(client, query)).toEqual(['the match']);
    expect(await names(client, query + times + identity)).toEqual(['the match']);
    expect(await list(client, `${query}${times}${identity}`)).toMatchObject({ total: 1, pages: 1 });
  });

  it('never reach into another workspace', async () => {
    const stranger = await app.stranger();
    await publishPrompt(stranger, 'theirs', { tags: ['secret'], labels: ['secret'] });
    for (const query of ['', '?tags=secret', '?label=secret', '?name=theirs', '?status=all']) {
      expect(await names(me, query)).toEqual([]);
    }
  });
});

describe('the order', () => {
  let client: Client;
  let a: PublishedPrompt;
  beforeAll(async () => {
    client = await app.stranger();
    a = await publishPrompt(client, 'b');
    await publishAll(client, 'c', 'a');
    const before = Date.now();
    await until(() => Promise.resolve(Date.now() > before));
    await publishPrompt(client, 'b');
  });

  it.each([
    ['created_at', ['b', 'c', 'a']],
    ['updated_at', ['c', 'a', 'b']],
    ['name', ['a', 'b', 'c']],
    ['id', ['b', 'c', 'a']],
  ])('is by %s, the highest first unless it is said otherwise', async (sort, ascending) => {
    expect(await names(client, `?sort_by=${sort}&sort_order=asc`)).toEqual(ascending);
    expect(await names(client, `?sort_by=${sort}&sort_order=desc`)).toEqual(ascending.toReversed());
    expect(await names(client, `?sort_by=${sort}`)).toEqual(ascending.toReversed());
  });

  it('can be reversed without naming the field', async () => {
    expect((await list(client, '?sort_order=asc')).items[0]!.id).toBe(a.id);
  });

  it('is by nothing else', async () => {
    for (const query of ['sort_by=colour', 'sort_by=', 'sort_order=up']) await client.get(`${PROMPTS}?${query}`, 422);
  });
});

describe('a page of long prompts', () => {
  it('holds them all, in order and complete', async () => {
    const client = await app.stranger();
    // Texts that do not compress well: each is read by itself.
    const texts = Array.from({ length: 5 }, (_, at) => (at === 2 ? 'short' : randomBytes(300_000).toString('base64')));
    for (const [at, text] of texts.entries()) await publishPrompt(client, `long ${at}`, { text });
    const { items } = await list(client, '?sort_by=id&sort_order=asc');
    expect(items.map((item) => textsOf(item))).toEqual(texts.map((text) => [text]));
  });
});

describe('the arguments for models in the list', () => {
  const model = { provider: 'openai', name: 'gpt-4o-mini' };
  const contents = ({ llm_kwargs }: Item) =>
    (llm_kwargs as { messages: { content: { text: string }[] }[] } | null)?.messages.map(
      ({ content }) => content[0]!.text,
    );

  it.each(['/prompt-templates', '/v1/prompt-templates'])('are there when %s is asked for them', async (url) => {
    const client = await app.stranger();
    await publishPrompt(client, 'snippet', { text: 'Be {tone}.', model: null });
    await publishPrompt(client, 'plain', { model, message: '@@@snippet@@@ Hello {name}!' });
    await publishPrompt(client, 'jinja', { model, message: 'Hello {{ name }}!', format: 'jinja2' });
    await publishPrompt(client, 'bare', { model: null });
    const asked = async (query: string) => {
      const { items } = (await client.get(url + query)) as Page;
      return Object.fromEntries(items.map((item) => [item.prompt_name, contents(item)]));
    };
    const none = { snippet: undefined, plain: undefined, jinja: undefined, bare: undefined };
    expect(await asked('')).toEqual(none);
    for (const yes of ['true', 'True', '1']) {
      const kept = { ...none, plain: ['Be {tone}. Hello {name}!'], jinja: ['Hello {{ name }}!'] };
      expect(await asked(`?skip_input_variable_rendering=${yes}`)).toEqual(kept);
    }
    const filled = { ...none, plain: ['Be . Hello !'], jinja: ['Hello !'] };
    expect(await asked('?skip_input_variable_rendering=false')).toEqual(filled);
    const { items } = (await client.get(`${url}?skip_input_variable_rendering=false`)) as Page;
    expect(textsOf(items.find(({ prompt_name }) => prompt_name === 'jinja')!)).toEqual(['Hello {{ name }}!']);
    for (const wrong of ['yes', '2', '', 'null', '[]']) {
      const { status, body } = await client.request('GET', `${url}?skip_input_variable_rendering=${wrong}`);
      expect([wrong, status, body]).toMatchObject([
        wrong,
        422,
        { detail: [{ loc: ['query', 'skip_input_variable_rendering'] }] },
      ]);
    }
  });
});
