import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsersService } from '../../src/administration/index.js';
import { runDemo } from '../../src/embedded/demo/demo.js';
import type { Progress } from '../../src/embedded/progress.js';
import { every } from '../support/every.js';
import type { Client } from '../support/client.js';
import { clientFor } from '../support/examples.js';
import { Mailbox } from '../support/mailbox.js';
import { askFor } from '../support/label-changes.js';
import { promptBody, PUBLISH } from '../support/prompts.js';
import { disagreement, listItems, newQueue } from '../support/reviews.js';
import { HostileProvider } from '../support/hostile-provider.js';
import { groupBody, GROUPS, provider as scimProvider, type Resource, userBody, USERS } from '../support/scim.js';
import { type Document, isForProviders, type Operation, operationsOf } from '../support/operations.js';
import { JSON_TYPE, llmSpan, send } from '../support/otlp.js';
import { newFeed } from '../support/feeds.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let mailbox: Mailbox;
let provider: HostileProvider;
beforeAll(async () => {
  provider = await HostileProvider.start();
  // The provider of the examples is on this machine, and the person of the examples has a password.
  mailbox = await Mailbox.start();
  const mail = { SMTP_URL: mailbox.url, MAIL_FROM: 'a@example.com', PUBLIC_URL: 'http://localhost' };
  app = await TestApp.own({ env: { OUTBOUND_ALLOW_PRIVATE: 'on', LOCAL_SIGN_IN: 'on', ...mail } });
  await app.listen();
});
afterAll(async () => {
  await app.stop();
  await provider.stop();
  await mailbox.stop();
});

const fetched = (url: string, headers: Record<string, string> = {}) => app.app.inject({ url, headers });

describe.each(['/openapi.json', '/docs/swagger-ui-init.js'])('%s', (url) => {
  it('is compressed for clients that accept it, and is the same text', async () => {
    const plain = await fetched(url);
    const packed = await fetched(url, { 'accept-encoding': 'br, gzip' });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(packed.rawPayload).toString()).toBe(plain.body);
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    expect(plain.headers['content-encoding']).toBeUndefined();
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await fetched(url);
    expect(headers['cache-control']).toBe('no-cache');
    const again = await fetched(url, { 'if-none-match': String(headers.etag), 'accept-encoding': 'gzip' });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    expect((await fetched(url, { 'if-none-match': '"other"' })).statusCode).toBe(200);
  });
});

/** Routes of somebody who has signed in. */
const IN_PERSON =
  /^\/console\/(sessions|session\/workspace|identities)|^\/api\/public\/v2\/(me\/api-keys|label-changes\/.*\/(approve|reject)$)/;
const OF_ANYBODY = /^\/console\/(sign-in|invitation|password)/;

/**
 * Operations in an order that works: reads first, then changes, then deletions from the innermost entity to the
 * outermost. Users are deleted after their requests.
 */
function inOrder(operations: Operation[]): Operation[] {
  const rank = ({ method, path }: Operation) =>
    method === 'GET'
      ? 0
      : IN_PERSON.test(path)
        ? 2
        : method === 'DELETE'
          ? 1000 - path.split('/').length
          : path.endsWith('/close')
            ? 2
            : 1;
  return operations.filter(({ path }) => !/\/operations\/.*\/events$/.test(path)).sort((a, b) => rank(a) - rank(b));
}

/** @param given values of path parameters that only an earlier answer says */
function urlOf({ path, parameters }: Operation, given: Record<string, string> = {}): string {
  const example = (key: string) => given[key] ?? parameters.find(({ name }) => name === key)!.schema.example;
  const filled = path.replace(/\{([^}]+)\}/g, (_, key: string) => encodeURIComponent(String(example(key))));
  const shown = parameters.filter(({ in: place, schema }) => place === 'query' && schema.example !== undefined);
  return `${filled}?${new URLSearchParams(shown.map(({ name, schema }) => [name, String(schema.example)])).toString()}`;
}

function bodyOf({ requestBody }: Operation): unknown {
  const { example, examples } = requestBody?.content['application/json'] ?? {};
  return Object.values(examples ?? {})[0]?.value ?? example;
}

/** Some refuse what would change a sheet while something is imported into it. */
async function untilEnded(answer: unknown): Promise<void> {
  const { status_url: url } = answer as { status_url?: string };
  if (!url) return;
  await until(async () => {
    const { operation } = (await app.client.get(url)) as { operation: { status: string } };
    return !['queued', 'running'].includes(operation.status);
  });
}

const WORKSPACE = '/api/admin/v1/workspaces/1';
/** The person of the examples. */
const SAM = { email: 'sam@example.com', password: 'correct horse battery staple' };
/** The token in the examples: links of persons that the examples are sent by. */
const TOKEN = 'dGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLWF0LWFsbCE';

const invite = async (email: string) =>
  (await app.client.post(`${WORKSPACE}/invitations`, { email, roles: ['admin'] }, 201)) as { path: string };

/** The first invitation stays open. Sam, who is the first user, accepts the second one. */
async function admitSam(): Promise<void> {
  await invite('jo@example.com');
  const [, token] = (await invite(SAM.email)).path.split('#');
  await app.clientWith(null).post('/console/invitation/accept', { token, password: SAM.password }, 201);
}

async function signInSam(): Promise<Client> {
  const { headers } = await app.clientWith(null).request('POST', '/console/sign-in', SAM);
  return app.clientWith(null).with({ 'x-console': '1', cookie: String(headers['set-cookie']).split(';')[0]! });
}

/** Gives the newest link the token of the examples. An earlier link loses it. */
async function linkOfExamples(table: string): Promise<void> {
  await app.sql(`UPDATE ${table} SET token_hash = sha256(token_hash) WHERE token_hash = sha256($1::bytea)`, [TOKEN]);
  await app.sql(
    `UPDATE ${table} SET token_hash = sha256($1::bytea) WHERE expires_at = (SELECT max(expires_at) FROM ${table})`,
    [TOKEN],
  );
}

/** The provider of the examples, which another example may have changed. */
async function withProvider(): Promise<Record<string, string>> {
  await app.sql(`UPDATE identity_providers SET issuer = $1, enabled = true WHERE slug = 'acme'`, [provider.issuer]);
  return {};
}

/** A request for a change of a label of a prompt that no other example uses. */
async function withSession(): Promise<Record<string, string>> {
  await send(app.client, [llmSpan({ more: { 'session.id': 'chat-1001', 'user.id': 'ada' } })]);
  return { session_id: 'chat-1001', end_user_id: 'ada' };
}

async function withLabelChange(): Promise<Record<string, string>> {
  await app.client.patch(`${WORKSPACE}/settings`, { protected_labels: ['live'], approval_labels: ['live'] });
  const name = randomUUID();
  await app.client.post(PUBLISH, promptBody(name), 201);
  const body = { kind: 'prompt', item: name, label: 'live', version_number: 1, reason: 'Better' };
  return { label_change_id: (await askFor(app.client, body)).id };
}

/** The same, for Sam to decide about. Another example may have changed the roles. */
async function withLabelChangeForSam(): Promise<Record<string, string>> {
  await app.operator().patch(`${WORKSPACE}/members/1`, { roles: ['admin'] });
  return withLabelChange();
}

/** A queue of requests about which two reviewers disagree. */
async function withReview(): Promise<Record<string, string>> {
  const key = (await app.operator().post(`${WORKSPACE}/api-keys`, { roles: ['contributor'] }, 201)) as {
    secret: string;
  };
  const body = { subject: 'request' };
  return disagreement(app.client, app.clientWith(key.secret), body, { filter_group: { filters: [] }, limit: 2 });
}

/** A queue of rows of the sheet of the examples. */
async function withRows(): Promise<Record<string, string>> {
  const sheet = (await app.sql('SELECT id FROM sheets WHERE deleted_at IS NULL AND table_id IS NOT NULL LIMIT 1')) as {
    id: string;
  }[];
  const rubric = { kind: 'scale', min: 1, max: 5 };
  const queue = await newQueue(app.client, { subject: 'row', sheet_id: sheet[0]!.id, rubric }, { row_indices: [0] });
  const [item] = await listItems(app.client, queue);
  return { review_queue_id: queue, review_item_id: item!.id };
}

/** A feed of the sheet of the examples. */
async function withFeed(): Promise<Record<string, string>> {
  const [sheet] = (await app.sql(
    'SELECT id, table_id FROM sheets WHERE deleted_at IS NULL AND table_id IS NOT NULL LIMIT 1',
  )) as [{ id: string; table_id: string }];
  const path = `/api/public/v2/tables/${sheet.table_id}/sheets/${sheet.id}`;
  const feed = await newFeed(app.client, { path }, { source: 'requests', rows_per_day: 1 });
  return { table_id: sheet.table_id, sheet_id: sheet.id, feed_id: feed.id };
}

const FEED = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/feeds/{feed_id}';

/** Creates the entities of an example that the example data lack. Returns path parameters that only an answer has. */
const PREPARED: Record<string, () => Promise<Record<string, string>>> = {
  'POST /console/invitation': async () => {
    await invite('lee@example.com');
    await linkOfExamples('invitations');
    return {};
  },
  'POST /console/invitation/sign-in': async () => {
    await invite('kim@example.com');
    await linkOfExamples('invitations');
    return withProvider();
  },
  'GET /api/public/v2/sessions/{session_id}': withSession,
  'GET /api/public/v2/sessions/{session_id}/turns': withSession,
  'GET /api/public/v2/users/{end_user_id}': withSession,
  'POST /api/public/v2/label-changes': withLabelChange,
  'GET /api/public/v2/label-changes/{label_change_id}': withLabelChange,
  'POST /api/public/v2/label-changes/{label_change_id}/approve': withLabelChangeForSam,
  'POST /api/public/v2/label-changes/{label_change_id}/reject': withLabelChangeForSam,
  'POST /api/public/v2/label-changes/{label_change_id}/cancel': withLabelChange,
  'GET /api/public/v2/review-queues/{review_queue_id}': withReview,
  'PATCH /api/public/v2/review-queues/{review_queue_id}': withRows,
  'DELETE /api/public/v2/review-queues/{review_queue_id}': withReview,
  'POST /api/public/v2/review-queues/{review_queue_id}/items': withRows,
  'GET /api/public/v2/review-queues/{review_queue_id}/items': withReview,
  'GET /api/public/v2/review-queues/{review_queue_id}/agreement': withReview,
  'GET /api/public/v2/review-queues/{review_queue_id}/few-shot': withReview,
  'POST /api/public/v2/review-queues/{review_queue_id}/next': withRows,
  'GET /api/public/v2/review-queues/{review_queue_id}/items/{review_item_id}': withReview,
  'POST /api/public/v2/review-queues/{review_queue_id}/items/{review_item_id}/answer': withRows,
  'DELETE /api/public/v2/review-queues/{review_queue_id}/items/{review_item_id}/answer': withReview,
  'POST /api/public/v2/review-queues/{review_queue_id}/items/{review_item_id}/skip': withRows,
  'POST /api/public/v2/review-queues/{review_queue_id}/items/{review_item_id}/decide': withReview,
  [`GET ${FEED}`]: withFeed,
  [`PATCH ${FEED}`]: withFeed,
  [`DELETE ${FEED}`]: withFeed,
  [`GET ${FEED}/decisions`]: withFeed,
  [`GET ${FEED}/hours`]: withFeed,
  'POST /console/identities': withProvider,
  'DELETE /console/identities/{identity_id}': async () => {
    const [row] = await app.sql(
      `INSERT INTO user_identities (provider_id, issuer, subject, user_id)
       SELECT p.id, p.issuer, 'sam', u.id FROM identity_providers p, users u WHERE p.slug = 'acme' AND u.email = $1 RETURNING id`,
      [SAM.email],
    );
    return { identity_id: String((row as { id: number }).id) };
  },
  'POST /console/sign-in-link': async () => {
    await app.app.get(UsersService).createSignInLink('examples', 1);
    await linkOfExamples('user_links');
    return {};
  },
  'POST /console/password/forgotten': async () => {
    mailbox.mails.length = 0;
    return Promise.resolve({});
  },
  'POST /console/password': async () => {
    await app.operator().post('/api/admin/v1/users/1/password-links', undefined, 201);
    await linkOfExamples('user_links');
    return {};
  },
  'DELETE /console/sessions/{console_session_id}': async () => {
    const { sessions } = (await (await signInSam()).get('/console/sessions')) as { sessions: { id: string }[] };
    return { console_session_id: sessions[0]!.id };
  },
  'DELETE /api/public/v2/me/api-keys/{key_id}': async () => {
    const answer = await (await signInSam()).post('/api/public/v2/me/api-keys', { name: 'Mine' }, 201);
    return { key_id: String((answer as { api_key: { id: number } }).api_key.id) };
  },
};

describe('the examples of the document', () => {
  it('can all be sent unchanged after example data and a user were created', async () => {
    const { port } = app.app.getHttpServer().address() as AddressInfo;
    const said: string[] = [];
    const progress = { during: (_: string, work: Promise<unknown>) => work, say: (line: string) => said.push(line) };
    await runDemo(port, app.apiKey, progress as unknown as Progress, new AbortController().signal);
    expect(said).toEqual([expect.stringContaining('Added the prompt')]);
    await admitSam();
    const acme = { slug: 'acme', name: 'Acme', issuer: provider.issuer, client_id: 'tracesheet' };
    await app.operator().post('/api/admin/v1/identity-providers', acme, 201);

    const document = JSON.parse((await fetched('/openapi.json')).body) as Document;
    const operations = inOrder(operationsOf(document));
    expect(operations.length).toBeGreaterThan(275);
    await every(operations, async (operation) => {
      const prepare = isForProviders(operation) ? provision : PREPARED[operation.name];
      const url = urlOf(operation, await prepare?.());
      const body = bodyOf(operation);
      const sender = await senderOf(operation);
      const client = body === undefined ? sender : sender.with(JSON_TYPE);
      const answer = await client.request(operation.method, url, body && JSON.stringify(body));
      if (answer.status >= 300)
        throw new Error(`${operation.name} ${url} ${answer.status} ${JSON.stringify(answer.body)}`);
      await untilEnded(answer.body);
      // Its link replaces others, so it is waited for.
      if (operation.name === 'POST /console/password/forgotten') await mailbox.next(SAM.email);
    });
  });
});

/** A user and a group that an identity provider has made. */
async function provision(): Promise<Record<string, string>> {
  const idp = await scimProvider(app);
  const user = (await idp.post(USERS, userBody(`${randomUUID()}@example.com`), 201)) as Resource;
  const group = (await idp.post(GROUPS, groupBody(randomUUID()), 201)) as Resource;
  return { scim_user_id: user.id, scim_group_id: group.id };
}

async function senderOf(operation: Operation): Promise<Client> {
  if (isForProviders(operation)) return scimProvider(app);
  if (IN_PERSON.test(operation.path)) return signInSam();
  return OF_ANYBODY.test(operation.path) ? app.clientWith(null) : clientFor(app, operation);
}
