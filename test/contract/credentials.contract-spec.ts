import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { sampled } from '../support/depth.js';
import { type Ids, readExamples } from '../support/examples.js';
import { documentOf, fillPath, isPublic, type Operation, operationsOf } from '../support/operations.js';
import { ADMIN_TOKEN, TestApp } from '../support/test-app.js';

const SIGN_OUTS = ['DELETE /console/session', 'DELETE /console/sessions'];
const IN_BODY = 'body';

/** The credentials of a request: their names in the document, and how they are sent. */
interface Credentials {
  names: string[];
  headers?: Record<string, string>;
  body?: object;
}

let app: TestApp;
let anyone: Client;
let operations: Operation[];
let unknown: Ids;
let queries: Record<string, string>;
let sent: Credentials[];
beforeAll(async () => {
  // Requests of the operator change what all workspaces share.
  app = await TestApp.own({ works: false });
  anyone = app.clientWith(null);
  // These end the session that the others need.
  operations = operationsOf(documentOf(app)).filter((each) => !isPublic(each) && !SIGN_OUTS.includes(each.name));
  const examples = await readExamples();
  unknown = Object.assign({}, ...examples.map((each) => each.unknown)) as Ids;
  queries = Object.assign({}, ...examples.map((each) => each.queries)) as Record<string, string>;
  const cookie = await signIn();
  sent = [
    { names: [] },
    { names: ['api_key'], headers: { 'X-API-KEY': app.apiKey } },
    { names: ['bearer_key'], headers: { authorization: `Bearer ${app.apiKey}` } },
    { names: ['console_session'], headers: { cookie } },
    { names: ['console_request'], headers: { 'x-console': '1' } },
    { names: ['console_session', 'console_request'], headers: { cookie, 'x-console': '1' } },
    { names: ['scim_token'], headers: { authorization: await scimToken() } },
    { names: ['operator'], headers: { authorization: `Bearer ${ADMIN_TOKEN}` } },
    { names: [IN_BODY], body: { api_key: app.apiKey } },
  ];
});
afterAll(() => app.stop());

async function signIn(): Promise<string> {
  const { headers } = await app.client.request('POST', '/console/session');
  return String(headers['set-cookie']).split(';')[0]!;
}

async function scimToken(): Promise<string> {
  const issued = await app.operator().post('/api/admin/v1/scim-tokens', { name: 'Provider' }, 201);
  return `Bearer ${(issued as { secret: string }).secret}`;
}

/** Whether one of the alternatives of the route is complete. The empty one stands for a key in the body. */
function isNamed({ security = [] }: Operation, { names }: Credentials): boolean {
  const alternatives = security.map((schemes) => Object.keys(schemes));
  return alternatives.some((needed) =>
    needed.length === 0 ? names.includes(IN_BODY) : needed.every((name) => names.includes(name)),
  );
}

async function isAccepted(operation: Operation, { headers = {}, body = {} }: Credentials): Promise<boolean> {
  const path = fillPath(operation.path, unknown) + (queries[operation.name] ?? '');
  const payload = operation.method === 'GET' ? undefined : body;
  return (await anyone.with(headers).request(operation.method, path, payload)).status !== 401;
}

describe('a route', () => {
  it('accepts the credentials that the document names for it, and no others', async () => {
    expect(operations.length).toBeGreaterThan(200);
    for (const [index, operation] of operations.entries()) {
      for (const credentials of sampled(sent, index)) {
        const [names, { name }] = [credentials.names.join(' and ') || 'nothing', operation];
        const accepted = await isAccepted(operation, credentials);
        expect([name, names, accepted]).toEqual([name, names, isNamed(operation, credentials)]);
      }
    }
  });

  it('takes a key in a header before one in the body, and a key before the cookie of the console', async () => {
    const wrong = `pl_${'w'.repeat(43)}`;
    const status = async (headers: Record<string, string>, path: string, body?: object) =>
      (await anyone.with(headers).request(body ? 'POST' : 'GET', path, body)).status;
    expect(await status({ 'x-api-key': wrong }, '/create-group', { api_key: app.apiKey })).toBe(401);
    expect(await status({ 'x-api-key': wrong, authorization: `Bearer ${app.apiKey}` }, '/requests')).toBe(401);
    expect(await status({ 'x-api-key': wrong, cookie: await signIn() }, '/requests')).toBe(401);
  });
});
