import type { Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Client } from '../support/client.js';
import { newSheet, TABLES } from '../support/factories.js';
import { addressOf, channelOf, LiveSocket, tokenFor } from '../support/live.js';
import { send, span } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';

const KEYS = '/api/admin/v1/workspaces/1/api-keys';
const ME = '/api/public/v2/me';
const OFFICE = '192.0.2.7';
const ELSEWHERE = '198.51.100.9';
const DAY_MS = 86_400_000;

interface Key {
  id: number;
  name: string | null;
  owner_email: string | null;
  roles: string[];
  expires_at: string | null;
  allowed_networks: string[];
}
interface Issued {
  api_key: Key;
  secret: string;
}

let app: TestApp;
let me: Client;
beforeAll(async () => {
  // The tests trust this machine as a proxy, so a header sets the address of a request.
  app = await TestApp.start({ works: false, env: { TRUSTED_PROXIES: '127.0.0.1', WRONG_KEYS_PER_MINUTE: '1' } });
  me = app.client;
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(async () => {
  (app.app.getHttpServer() as Server).closeAllConnections();
  await app.stop();
});

const from = (address: string, key: string | null) => app.clientWith(key).with({ 'x-forwarded-for': address });
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
const issue = async (body: object = {}) => (await me.post(KEYS, { role: 'admin', ...body }, 201)) as Issued;
const keyOf = async (id: number) =>
  ((await me.get(KEYS)) as { api_keys: Key[] }).api_keys.find((key) => key.id === id)!;
const expire = (id: number) => app.sql(`UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1`, [id]);

/** A key that was never used, so no process remembers it, and has expired. */
async function expiredKey(): Promise<Issued> {
  const issued = await issue({ expires_at: inDays(1) });
  await expire(issued.api_key.id);
  return issued;
}

const REFUSED = {
  expired: { status: 401, body: { error: 'api_key_expired', message: expect.stringContaining('has expired') } },
  outside: { status: 401, body: { error: 'api_key_outside_networks', message: expect.stringContaining(ELSEWHERE) } },
};

describe('a key', () => {
  it('shows its expiry and its networks: it never expires and works from any network by default', async () => {
    const expires_at = inDays(90);
    const allowed_networks = ['192.0.2.0/24', '2001:db8::/32', '203.0.113.5'];
    const { api_key: key } = await issue({ expires_at, allowed_networks });
    expect(key).toMatchObject({ expires_at, allowed_networks });
    expect(await keyOf(key.id)).toMatchObject({ expires_at, allowed_networks });
    expect((await issue()).api_key).toMatchObject({ expires_at: null, allowed_networks: [] });
    expect((await issue({ expires_at: null, allowed_networks: [] })).api_key.expires_at).toBeNull();
  });

  const WRONG = {
    expires_at: ['2020-01-01T00:00:00Z', '', 'tomorrow', '2027-W01', 5, {}, [], '+012345-01-01T00:00:00Z', 'x\0', true],
    allowed_networks: [
      '10.0.0.0/33',
      '10.0.0.0/08',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '10.0.0/8',
      '::/129',
      'fe80::1%eth0/64',
      '10.0.0.0/8/8',
      'example.com',
      '',
      ' ',
      '\0',
      '\ud800',
      'x'.repeat(5000),
      5,
      null,
      [],
      {},
    ].map((network) => [network] as unknown),
  };
  it('cannot be created or changed with an invalid or past time, or with an invalid network', async () => {
    const { api_key: key } = await issue();
    const bodies = [
      ...WRONG.expires_at.map((expires_at) => ({ expires_at })),
      ...[...WRONG.allowed_networks, 'everywhere', null, {}, Array<string>(101).fill('10.0.0.0/8')].map(
        (allowed_networks) => ({ allowed_networks }),
      ),
    ];
    for (const body of bodies) {
      await me.post(KEYS, body, 422);
      await me.patch(`${KEYS}/${key.id}`, body, 422);
    }
    await me.patch(`${KEYS}/${key.id}`, {}, 422);
    expect(await keyOf(key.id)).toEqual(key);
  });

  it.each([
    [['192.0.2.0/24'], OFFICE, true],
    [['192.0.2.0/24'], `::ffff:${OFFICE}`, true],
    [['192.0.2.0/24'], ELSEWHERE, false],
    [['192.0.2.7/24'], '192.0.2.200', true],
    [['192.0.2.7'], '192.0.2.8', false],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db8:ffff::1', true],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db9::1', false],
    [['2001:db8::7'], '2001:db8:0:0::7', true],
    [['0.0.0.0/0'], ELSEWHERE, true],
    [['0.0.0.0/0'], '2001:db8::1', false],
  ])('allowed in %j is accepted from %s: %s', async (allowed_networks, address, isAccepted) => {
    const { secret } = await issue({ allowed_networks });
    const { status, body } = await from(address, secret).request('GET', ME);
    if (isAccepted) expect(status).toBe(200);
    else expect([status, body]).toMatchObject([401, { error: 'api_key_outside_networks' }]);
  });
});

describe.each(['expired', 'outside'] as const)('a key that is refused because it is %s', (why) => {
  let issued: Issued;
  let session: string;
  beforeAll(async () => {
    issued = await issue({ allowed_networks: ['192.0.2.0/24'] });
    const { headers } = await from(OFFICE, null).request('POST', '/console/session', { api_key: issued.secret });
    session = String(headers['set-cookie']).split(';')[0]!;
    if (why === 'expired') await expire(issued.api_key.id);
    await me.patch(`${KEYS}/${issued.api_key.id}`, { name: 'its cached lookups are forgotten' });
  });
  const stranger = () => from(why === 'expired' ? OFFICE : ELSEWHERE, null);

  it('is rejected in every form of authentication, with a message, and never counts as a wrong key', async () => {
    const { secret } = issued;
    const cookie = stranger().with({ cookie: session, 'x-console': '1' });
    const answers = [
      await stranger().with({ 'x-api-key': secret }).request('GET', ME),
      await stranger()
        .with({ authorization: `Bearer ${secret}` })
        .request('GET', ME),
      await stranger().with({ 'x-api-key': secret }).request('POST', TABLES, {}),
      await stranger().request('POST', '/console/session', { api_key: secret }),
      await stranger().request('POST', '/library-track-score', { api_key: secret, request_id: 1, score: 1 }),
      await cookie.request('GET', ME),
      await cookie.request('POST', TABLES, {}),
    ];
    for (const answer of answers) expect(answer).toMatchObject(REFUSED[why]);
    expect((await send(stranger().with({ 'x-api-key': secret }), [span()])).status).toBe(401);
    await stranger().with({ 'x-api-key': secret }).get('/health/live');
  });

  it('opens no connection of the live channel', async () => {
    const sheet = await newSheet(me);
    await me.patch(`${KEYS}/${issued.api_key.id}`, { expires_at: null });
    const { token } = await tokenFor(from(OFFICE, issued.secret), channelOf(sheet));
    if (why === 'expired') await expire(issued.api_key.id);
    const address = why === 'expired' ? OFFICE : ELSEWHERE;
    const live = await LiveSocket.open(await addressOf(app.app), [], { 'x-forwarded-for': address });
    live.socket.send(JSON.stringify({ id: 1, connect: { token } }));
    expect(await live.closed).toEqual([3500, 'invalid token']);
  });
});

it('stops working the moment it expires, also where it was looked up just before', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const { secret } = await issue({ expires_at: new Date(Date.now() + 60_000).toISOString() });
  vi.setSystemTime(Date.now() + 59_500);
  await app.clientWith(secret).get(ME);
  vi.setSystemTime(Date.now() + 500);
  expect(await app.clientWith(secret).request('GET', ME)).toMatchObject(REFUSED.expired);
});

it('closes open connections when it expires or is not accepted from their address any more; others stay open', async () => {
  const sheet = await newSheet(me);
  const url = await addressOf(app.app);
  const started = await me.request('POST', `${sheet.path}/imports/request-logs`, { filter_group: { filters: [] } });
  const events = `${await app.app.getUrl()}${(started.body as { status_url: string }).status_url}/events`;
  const open = async ({ secret }: Issued) => {
    const { token } = await tokenFor(from(OFFICE, secret), channelOf(sheet));
    const live = await LiveSocket.open(url, [], { 'x-forwarded-for': OFFICE });
    await live.ask({ connect: { token } });
    const stream = await fetch(events, { headers: { 'x-api-key': secret, 'x-forwarded-for': OFFICE } });
    return { live, stream };
  };
  const [expiring, moved, kept] = [await issue(), await issue(), await issue({ allowed_networks: [OFFICE] })];
  const [first, second, third] = [await open(expiring), await open(moved), await open(kept)];
  await expire(expiring.api_key.id);
  await me.patch(`${KEYS}/${moved.api_key.id}`, { allowed_networks: ['203.0.113.0/24'] });
  for (const { live, stream } of [first, second]) {
    expect(await live.closed).toEqual([3500, 'invalid token']);
    expect(await stream.text()).not.toContain('event: end');
  }
  expect(await third.live.ask({ ping: {} })).toMatchObject({ ping: {} });
  const reader = third.stream.body!.getReader();
  expect((await reader.read()).done).toBe(false);
  await reader.cancel();
});

describe('changing a key', () => {
  it('reactivates it, and the audit trail records the change', async () => {
    const { api_key: key, secret } = await expiredKey();
    await app.clientWith(secret).get(ME, 401);
    const expires_at = inDays(3);
    const changed = await me.patch(`${KEYS}/${key.id}`, { expires_at, allowed_networks: ['127.0.0.1', '127.0.0.1'] });
    expect(changed).toMatchObject({ api_key: { name: key.name, expires_at, allowed_networks: ['127.0.0.1'] } });
    await app.clientWith(secret).get(ME);
    const { data } = (await me.get(
      `/api/admin/v1/workspaces/1/audit-entries?entity_id=${key.id}&action=api_key.update`,
    )) as { data: { details: object }[] };
    expect(data).toMatchObject([
      { details: { from: { allowed_networks: [] }, to: { expires_at, allowed_networks: ['127.0.0.1'] } } },
    ]);
  });

  it('cannot lock out the key that makes the request', async () => {
    const { api_key: key, secret } = await issue();
    const own = from(OFFICE, secret);
    const lockedOut = { allowed_networks: ['203.0.113.0/24', '2001:db8::/32'] };
    const refused = await own.request('PATCH', `${KEYS}/${key.id}`, { ...lockedOut, name: 'me' });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'api_key_would_lock_out', message: expect.stringContaining(OFFICE) },
    });
    expect(await keyOf(key.id)).toMatchObject({ name: null, allowed_networks: [] });
    await own.patch(`${KEYS}/${key.id}`, { allowed_networks: ['192.0.2.0/24'] });
    await own.patch(`${KEYS}/${key.id}`, { allowed_networks: [] });
    // Another key and the operator may.
    await me.patch(`${KEYS}/${key.id}`, lockedOut);
    await app.operator().patch(`${KEYS}/${key.id}`, { allowed_networks: ['203.0.113.1'] });
  });
});

describe('rotating a key', () => {
  const rotate = (id: number, body: object = {}) => me.request('POST', `${KEYS}/${id}/rotate`, body);

  it('gives a new one for the same use, and lets the old one live for a day', async () => {
    const { api_key: key, secret } = await issue({
      name: 'Exporter',
      owner_email: 'sam@example.com',
      role: undefined,
      roles: ['viewer', 'developer'],
      allowed_networks: ['127.0.0.0/8'],
    });
    const { status, body } = await rotate(key.id);
    const { api_key: fresh, secret: text, replaced } = body as Issued & { replaced: Key };
    expect(status).toBe(201);
    const { name, owner_email, roles, allowed_networks } = key;
    expect(fresh).toMatchObject({ name, owner_email, roles, allowed_networks, expires_at: null });
    expect(fresh.id).not.toBe(key.id);
    expect(replaced).toMatchObject({ id: key.id, name });
    const left = new Date(replaced.expires_at!).getTime() - Date.now();
    expect(left).toBeGreaterThan(DAY_MS - 60_000);
    expect(left).toBeLessThanOrEqual(DAY_MS);
    for (const each of [secret, text]) await app.clientWith(each).get(ME);
    const trail = await me.get(`/api/admin/v1/workspaces/1/audit-entries?entity_id=${key.id}&action=api_key.rotate`);
    expect(trail).toMatchObject({ data: [{ details: { new_key_id: fresh.id, expires_at: replaced.expires_at } }] });
    expect(JSON.stringify(trail)).not.toContain(text);
  });

  it('ends the old one at once when nothing shall overlap, and never later than it would have ended', async () => {
    const { api_key: key, secret } = await issue({ expires_at: inDays(10) });
    await app.clientWith(secret).get(ME);
    const long = (await rotate(key.id, { overlap_seconds: 30 * 86_400 })).body as Issued & { replaced: Key };
    expect(long.replaced.expires_at).toBe(key.expires_at);
    // The new key expires when the old one would have expired.
    expect(Math.round((new Date(long.api_key.expires_at!).getTime() - Date.now()) / DAY_MS)).toBe(10);
    expect((await rotate(key.id, { overlap_seconds: 0, expires_at: null })).body).toMatchObject({
      api_key: { expires_at: null },
    });
    expect(await app.clientWith(secret).request('GET', ME)).toMatchObject(REFUSED.expired);
    expect(await rotate(key.id)).toMatchObject({ status: 409, body: { error: 'api_key_ended' } });
  });

  it('is refused for keys that are over, unknown, stronger or of others, and with a wrong overlap', async () => {
    const [expired, revoked, weak] = [await expiredKey(), await issue(), await issue({ role: 'developer' })];
    await me.delete(`${KEYS}/${revoked.api_key.id}`);
    for (const { api_key: key } of [expired, revoked]) expect(await rotate(key.id)).toMatchObject({ status: 409 });
    expect(await rotate(999_999)).toMatchObject({ status: 404 });
    const strong = await issue();
    await app.clientWith(weak.secret).post(`${KEYS}/${strong.api_key.id}/rotate`, {}, 403);
    await (await app.stranger()).post(`${KEYS}/${strong.api_key.id}/rotate`, {}, 404);
    for (const overlap_seconds of [-1, 30 * 86_400 + 1, 1.5, '60', null, 1e30, {}]) {
      expect(await rotate(strong.api_key.id, { overlap_seconds })).toMatchObject({ status: 422 });
    }
    expect(await rotate(strong.api_key.id, { expires_at: '2020-01-01T00:00:00Z' })).toMatchObject({ status: 422 });
    expect((await keyOf(strong.api_key.id)).expires_at).toBeNull();
  });

  it('works for several at the same moment', async () => {
    const { api_key: key } = await issue();
    const answers = await Promise.all([1, 2, 3].map(() => rotate(key.id)));
    expect(new Set(answers.map(({ body }) => (body as Issued).secret)).size).toBe(3);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  });
});
