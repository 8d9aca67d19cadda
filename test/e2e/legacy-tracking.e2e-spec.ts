import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { logCall } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { TestApp } from '../support/test-app.js';
import { createGroup, readLog } from '../support/tracking.js';

let app: TestApp;
let me: Client;
/** Sends no header: the key is in the body. */
let legacy: Client;
let api_key: string;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  legacy = app.clientWith(null);
  api_key = app.apiKey;
  await publishPrompt(me, 'greeting', { labels: ['prod'] });
});
afterAll(() => app.stop());

const PATHS = [
  '/library-track-metadata',
  '/library-track-score',
  '/library-track-prompt',
  '/track-group',
  '/create-group',
];
const OK = { success: true };

/** A body for each path that nothing but the key can be wrong with. */
async function bodyFor(path: string): Promise<Record<string, unknown>> {
  const request_id = await logCall(me);
  const bodies: Record<string, object> = {
    '/library-track-metadata': { request_id, metadata: { a: 'b' } },
    '/library-track-score': { request_id, score: 7 },
    '/library-track-prompt': { request_id, prompt_name: 'greeting' },
    '/track-group': { request_id, group_id: await createGroup(me) },
    '/create-group': {},
  };
  return { ...bodies[path] };
}

describe('a client that sends the key in the body', () => {
  it('tracks metadata, scores, a prompt and a group', async () => {
    const request_id = await logCall(me);
    const group = (await legacy.post('/create-group', { api_key })) as { success: true; id: number };
    expect(group).toEqual({ success: true, id: expect.any(Number) });
    const bodies: [string, object][] = [
      ['/library-track-metadata', { request_id, metadata: { user_id: '7' } }],
      ['/library-track-score', { request_id: String(request_id), score: 50 }],
      ['/library-track-score', { request_id, score: 90, name: 'tone' }],
      [
        '/library-track-prompt',
        { request_id, prompt_name: 'greeting', prompt_input_variables: { name: 'Ada' }, version: null, label: 'prod' },
      ],
      ['/track-group', { request_id, group_id: group.id }],
    ];
    for (const [path, body] of bodies) expect(await legacy.post(path, { api_key, ...body })).toEqual(OK);
    expect(await readLog(me, request_id)).toMatchObject({
      metadata: { user_id: '7' },
      score: 50,
      scores: [
        { name: 'default', score: 50 },
        { name: 'tone', score: 90 },
      ],
      prompt_name: 'greeting',
      prompt_version_number: 1,
      prompt_input_variables: { name: 'Ada' },
      group_ids: [group.id],
    });
  });

  it('gets 404 and 422 as everybody does', async () => {
    for (const path of PATHS.filter((each) => each !== '/create-group')) {
      const body = { ...(await bodyFor(path)), api_key };
      expect(await legacy.post(path, { ...body, request_id: 999_999_999 }, 404)).toMatchObject({
        error: 'request_not_found',
      });
      await legacy.post(path, { ...body, request_id: 'x' }, 422);
    }
  });

  it('sees only its own workspace', async () => {
    const stranger = await app.stranger();
    for (const path of PATHS.filter((each) => each !== '/create-group')) {
      await legacy.post(path, { ...(await bodyFor(path)), api_key: stranger.apiKey }, 404);
    }
  });

  it('may be called again with the same idempotency key', async () => {
    const once = legacy.with({ 'idempotency-key': 'group-1' });
    const first = await once.post('/create-group', { api_key });
    expect(await once.post('/create-group', { api_key })).toEqual(first);
    const kept = await app.sql('SELECT * FROM idempotency_keys');
    expect(kept).toHaveLength(1);
  });
});

describe('a key in the body', () => {
  const WRONG = [undefined, null, '', 'x', `pl_${'a'.repeat(43)}`, 7, true, {}, ['pl_x'], 'x'.repeat(100_000)];

  it('is refused with 401 before anything else is looked at', async () => {
    for (const path of PATHS) {
      const complete = await bodyFor(path);
      for (const key of WRONG) {
        const bodies = [{ ...complete, api_key: key }, { api_key: key }];
        for (const body of bodies)
          expect(await legacy.post(path, body, 401)).toMatchObject({ error: 'api_key_invalid' });
      }
      for (const body of ['[]', '"x"', 'null', '{}', undefined]) {
        const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
        await legacy.with(headers).post(path, body, 401);
      }
    }
  });

  it('counts less than a key in a header, even when only the header is wrong', async () => {
    const stranger = await app.stranger();
    for (const path of PATHS) {
      const body = await bodyFor(path);
      await me.post(path, { ...body, api_key: stranger.apiKey });
      await me.post(path, { ...body, api_key: 'x' });
      await me.post(path, { ...body, api_key: null });
      await legacy.with({ authorization: `Bearer ${api_key}` }).post(path, { ...body, api_key: 'x' });
      for (const header of ['', 'x', `pl_${'a'.repeat(43)}`]) {
        await legacy.with({ 'x-api-key': header }).post(path, { ...body, api_key }, 401);
      }
      await legacy.with({ authorization: `Bearer pl_${'a'.repeat(43)}` }).post(path, { ...body, api_key }, 401);
    }
  });

  it('must be a text: other values are rejected for every caller', async () => {
    for (const path of PATHS) {
      const answer = await me.post(path, { ...(await bodyFor(path)), api_key: 7 }, 422);
      expect(answer).toMatchObject({ detail: [{ loc: ['body', 'api_key'] }] });
    }
  });

  it('opens no other route', async () => {
    const request_id = await logCall(me);
    const others: [string, object][] = [
      ['/rest/track-metadata', { request_id, metadata: {} }],
      ['/rest/track-score', { request_id, score: 1 }],
      ['/rest/track-prompt', { request_id, prompt_name: 'greeting' }],
      ['/rest/track-group', { request_id, group_id: 1 }],
      ['/rest/prompt-templates', {}],
      ['/api/public/v2/tables', { title: 'Mine' }],
    ];
    for (const [path, body] of others) await legacy.post(path, { api_key, ...body }, 401);
    await legacy.get(`/api/public/v2/requests/${request_id}?api_key=${api_key}`, 401);
    await legacy.post(`/create-group?api_key=${api_key}`, {}, 401);
  });

  it('does not help a body that cannot be read', async () => {
    const json = legacy.with({ 'content-type': 'application/json' });
    await json.post('/create-group', `{"api_key":"${api_key}"`, 400);
    await legacy.with({ 'content-type': 'text/plain' }).post('/create-group', `{"api_key":"${api_key}"}`, 415);
    await json.post('/create-group', `{"api_key":"${'x'.repeat(11 * 1024 * 1024)}"}`, 413);
  });

  it('is kept nowhere', async () => {
    const request_id = await logCall(me);
    await legacy.post('/library-track-metadata', { api_key, request_id, metadata: { a: 'b' } });
    const rows = await app.sql('SELECT to_jsonb(l) AS log FROM request_logs l');
    expect(JSON.stringify(rows)).not.toContain(api_key);
  });
});
