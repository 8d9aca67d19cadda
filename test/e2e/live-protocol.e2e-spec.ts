import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newSheet } from '../support/factories.js';
import { addressOf, channelOf, LiveSocket, tokenFor } from '../support/live.js';
import { RawConnection } from '../support/raw-connection.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
let url: string;
let channel: string;
let token: string;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  me = app.client;
  url = await addressOf(app.app);
  channel = channelOf(await newSheet(me));
  token = (await tokenFor(me, channel)).token;
});
afterAll(() => app.stop());

const opened: LiveSocket[] = [];
afterEach(() => opened.splice(0).forEach((each) => each.close()));
const keep = async (live: Promise<LiveSocket>): Promise<LiveSocket> => {
  opened.push(await live);
  return live;
};
const open = (subprotocols?: string[]) => keep(LiveSocket.open(url, subprotocols));
const connect = (withToken = token) => keep(LiveSocket.connect(url, withToken));

/** Answers whatever the server sends with a sign of life. */
function answering(live: LiveSocket): LiveSocket {
  live.socket.on('message', () => live.socket.send('{}'));
  return live;
}

/** Starts another server for one test. */
async function withServer(env: Record<string, string>, test: (server: TestApp, at: string) => Promise<void>) {
  const server = await TestApp.start({ works: false, env });
  try {
    await test(server, await addressOf(server.app));
  } finally {
    await server.stop();
  }
}

describe('commands', () => {
  it('are answered in order, several in a frame, and with unknown fields', async () => {
    const live = await open(['centrifuge-json']);
    expect(live.socket.protocol).toBe('centrifuge-json');
    const commands = [
      { id: 7, connect: { token, name: 'python', data: { a: 1 }, headers: {} }, later: true },
      { subscribe: { channel, recoverable: true, flag: 1, token: '' }, id: 8 },
      { id: 9, ping: {} },
      { id: 10, unsubscribe: { channel } },
      { id: 11, unsubscribe: { channel } },
    ];
    live.socket.send(`${commands.map((command) => JSON.stringify(command)).join('\n')}\n\n`);
    await live.find(({ id }) => id === 11);
    expect(live.frames).toEqual([
      {
        id: 7,
        connect: {
          client: expect.any(String),
          version: '1.0.0',
          ping: 25,
          pong: true,
          expires: true,
          ttl: expect.any(Number),
        },
      },
      { id: 8, subscribe: {} },
      { id: 9, ping: {} },
      { id: 10, unsubscribe: {} },
      { id: 11, unsubscribe: {} },
    ]);
  });

  it('that are not possible are refused, and the connection goes on', async () => {
    const live = await connect();
    const another = channelOf(await newSheet(me));
    const cases: [object, number][] = [
      [{ subscribe: {} }, 107],
      [{ subscribe: { channel: 1 } }, 107],
      [{ subscribe: { channel: '' } }, 107],
      [{ unsubscribe: { channel: null } }, 107],
      [{ subscribe: { channel: 'news' } }, 102],
      [{ subscribe: { channel: another } }, 103],
      [{ subscribe: { channel: another, token } }, 103],
      [{ subscribe: { channel: another, token: 'x' } }, 103],
      [{ subscribe: { channel: another, token: 1 } }, 103],
      [{ publish: { channel, data: {} } }, 108],
      [{ history: { channel } }, 108],
      [{ rpc: { method: 'x' } }, 108],
      [{ dance: {} }, 104],
      [{ constructor: {} }, 104],
      [{}, 104],
      [{ refresh: { token: 'x' } }, 103],
    ];
    for (const [command, code] of cases) {
      const given = Object.keys(command).length > 0 ? command : { toString: {} };
      expect((await live.ask(given)).error, JSON.stringify(command)).toMatchObject({ code });
    }
    expect(await live.ask({ subscribe: { channel } })).toMatchObject({ subscribe: {} });
    expect((await live.ask({ subscribe: { channel } })).error).toMatchObject({ code: 105 });
  });

  const bad: [string, string | Buffer][] = [
    ['no JSON', 'hello'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a command without an id', '{"ping": {}}'],
    ['an id that is no number', '{"id": "1", "ping": {}}'],
    ['an id that is no whole number', '{"id": 1.5, "ping": {}}'],
    ['an id below zero', '{"id": -1, "ping": {}}'],
    ['an id that is too large', '{"id": 123456789012345678901234567890, "ping": {}}'],
    ['parameters that are a list', '{"id": 1, "ping": []}'],
    ['a second connect', '{"id": 1, "connect": {}}'],
    ['very deep JSON', `{"id": 1, "ping": ${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
  ];
  it.each(bad)('that are %s end the connection', async (_, frame) => {
    const live = await connect();
    live.socket.send(frame);
    expect(await live.closed).toEqual([3501, 'bad request']);
  });

  it('that are binary or too long end the connection', async () => {
    const [binary, long] = [await connect(), await connect()];
    binary.socket.send(Buffer.from([1, 2, 3]));
    expect(await binary.closed).toEqual([3506, 'inappropriate protocol']);
    long.socket.send('x'.repeat(65_537));
    expect((await long.closed)[0]).toBe(1009);
  });

  it('before connect end the connection', async () => {
    const live = await open();
    live.socket.send(JSON.stringify({ id: 1, subscribe: { channel } }));
    expect(await live.closed).toEqual([3501, 'bad request']);
  });
});

describe('tokens', () => {
  it('that are none end the connection', async () => {
    const [head, body, signature] = token.split('.') as [string, string, string];
    const forged = Buffer.from(body, 'base64url')
      .toString()
      .replace(/"workspace_id":\d+/, '"workspace_id":9');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const wrong = [
      'x',
      '',
      null,
      7,
      `${head}.${Buffer.from(forged).toString('base64url')}.${signature}`,
      `${none}.${body}.`,
      me.apiKey,
      'x'.repeat(60_000),
    ];
    for (const each of wrong) {
      const live = await open();
      live.socket.send(JSON.stringify({ id: 1, connect: { token: each } }));
      expect(await live.closed, String(each).slice(0, 100)).toEqual([3500, 'invalid token']);
    }
    // A cookie or a key in a header is nothing.
    const live = await open();
    live.socket.send(JSON.stringify({ id: 1, connect: {} }));
    expect(await live.closed).toEqual([3500, 'invalid token']);
  });

  it('from another installation are invalid', async () => {
    const key = Buffer.alloc(32, 2).toString('base64');
    await withServer({ SECRETS_KEY: key }, async (_, at) => {
      const live = await LiveSocket.open(at);
      live.socket.send(JSON.stringify({ id: 1, connect: { token } }));
      expect(await live.closed).toEqual([3500, 'invalid token']);
    });
  });

  it('need SECRETS_KEY', async () => {
    await withServer({ SECRETS_KEY: '' }, async (server, at) => {
      const own = channelOf(await newSheet(server.client));
      const answer = await server.client.request(
        'POST',
        `/ws-token-request-library?capability=${encodeURIComponent(own)}`,
      );
      expect(answer).toMatchObject({ status: 400, body: { error: 'secrets_key_missing' } });
      const live = await LiveSocket.open(at);
      live.socket.send(JSON.stringify({ id: 1, connect: { token } }));
      expect(await live.closed).toEqual([3500, 'invalid token']);
    });
  });

  it('open the channels of their workspace alone', async () => {
    const stranger = await app.stranger();
    const theirs = channelOf(await newSheet(stranger));
    const live = await connect((await tokenFor(stranger, theirs)).token);
    expect((await live.ask({ subscribe: { channel } })).error).toMatchObject({ code: 103 });
    expect((await live.ask({ subscribe: { channel, token } })).error).toMatchObject({ code: 103 });
    expect((await live.ask({ refresh: { token } })).error).toMatchObject({ code: 103 });
    expect(await live.ask({ subscribe: { channel: theirs } })).toMatchObject({ subscribe: {} });
  });

  it('from a revoked key are invalid', async () => {
    const operator = app.operator();
    const [{ id: workspace }] = (await app.sql('SELECT id FROM workspaces ORDER BY id LIMIT 1')) as [{ id: number }];
    const keys = `/api/admin/v1/workspaces/${workspace}/api-keys`;
    const issued = (await operator.post(keys, { role: 'admin' }, 201)) as { secret: string };
    const { token: own } = await tokenFor(app.clientWith(issued.secret), channel);
    await connect(own);
    await app.sql('UPDATE api_keys SET revoked_at = now() WHERE id = (SELECT max(id) FROM api_keys)');
    const live = await open();
    live.socket.send(JSON.stringify({ id: 1, connect: { token: own } }));
    expect(await live.closed).toEqual([3500, 'invalid token']);
  });

  it('end with their key, and all connections with them; those of other keys go on', async () => {
    const [{ id: workspace }] = (await app.sql('SELECT id FROM workspaces ORDER BY id LIMIT 1')) as [{ id: number }];
    const keys = `/api/admin/v1/workspaces/${workspace}/api-keys`;
    const issue = async () =>
      (await me.post(keys, { role: 'viewer' }, 201)) as { secret: string; api_key: { id: number } };
    const [lost, kept] = [await issue(), await issue()];
    const tokenOf = async ({ secret }: { secret: string }) => (await tokenFor(app.clientWith(secret), channel)).token;
    const [lostToken, keptToken] = [await tokenOf(lost), await tokenOf(kept)];
    const doomed = await Promise.all([connect(lostToken), connect(lostToken), connect(lostToken)]);
    const [others, mine] = [await connect(keptToken), await connect()];
    await doomed[1]!.ask({ subscribe: { channel } });
    await me.delete(`${keys}/${lost.api_key.id}`);
    for (const live of doomed) expect(await live.closed).toEqual([3500, 'invalid token']);
    for (const live of [others, mine]) expect(await live.ask({ ping: {} })).toMatchObject({ ping: {} });
  });

  it('expire, and so do connections unless they are given a new one', async () => {
    await withServer({ LIVE_HEARTBEAT_MS: '2000' }, async (server, at) => {
      const own = channelOf(await newSheet(server.client));
      const brief = { liveTokenSeconds: 4 };
      const short = (await server.withSettings(brief, () => tokenFor(server.client, own))).token;
      const live = answering(await LiveSocket.connect(at, short));
      expect(await live.closed).toEqual([3005, 'connection expired']);
      const late = answering(await LiveSocket.open(at));
      expect((await late.ask({ connect: { token: short } })).error).toMatchObject({
        code: 109,
        message: 'token expired',
      });
      // It may come back with another one.
      expect(
        (await late.ask({ connect: { token: (await tokenFor(server.client, own)).token } })).connect,
      ).toMatchObject({
        ttl: expect.closeTo(server.config.liveTokenSeconds, -2),
      });
      expect(await late.ask({ refresh: { token: (await tokenFor(server.client, own)).token } })).toMatchObject({
        refresh: { expires: true, ttl: expect.closeTo(server.config.liveTokenSeconds, -2) },
      });
      expect((await late.ask({ refresh: { token: short } })).error).toMatchObject({ code: 109 });
      late.close();
    });
  });
});

describe('limits', () => {
  const ended = async (ending: string): Promise<number> => {
    const { metrics } = { metrics: String((await me.request('GET', '/metrics')).body) };
    return Number(
      new RegExp(`tracesheet_live_connections_ended_total{ending="${ending}"} (\\d+)`).exec(metrics)?.[1] ?? 0,
    );
  };

  it('hold each connection to a number of channels, however many it asks for', async () => {
    await withServer({ LIVE_SUBSCRIPTIONS_PER_CONNECTION: '2' }, async (server, at) => {
      const sheets = [];
      for (let count = 0; count < 3; count++) sheets.push(channelOf(await newSheet(server.client)));
      const live = await LiveSocket.connect(at, (await tokenFor(server.client, sheets[0]!)).token);
      const join = async (one: string) =>
        live.ask({ subscribe: { channel: one, token: (await tokenFor(server.client, one)).token } });
      expect((await join(sheets[0]!)).error).toBeUndefined();
      expect((await join(sheets[1]!)).error).toBeUndefined();
      expect((await join(sheets[2]!)).error).toMatchObject({ code: 106, message: 'limit exceeded' });
      await live.ask({ unsubscribe: { channel: sheets[0] } });
      expect((await join(sheets[2]!)).error).toBeUndefined();
      live.close();
    });
  });

  it('let 10,000 subscriptions end in as many answers', async () => {
    const live = await connect();
    const lines = Array.from({ length: 10_000 }, (_, at) => {
      const id = at.toString(16).padStart(12, '0');
      const asked = at % 2 === 0 ? channel : `smart_sheets:smart_sheet#0198c0de-0000-7000-8000-${id}`;
      return JSON.stringify({ id: at + 100, subscribe: { channel: asked } });
    });
    for (let at = 0; at < lines.length; at += 400) live.socket.send(lines.slice(at, at + 400).join('\n'));
    await live.find(({ id }) => id === 10_099);
    const codes = live.frames.filter(({ id }) => id! >= 100).map(({ error }) => error?.code ?? 0);
    expect([codes.length, new Set(codes)]).toEqual([10_000, new Set([0, 103, 105])]);
    expect(codes.filter((code) => code === 0)).toHaveLength(1);
  });

  it('hold keys and workspaces to a number of connections, until some have ended', async () => {
    const env = { LIVE_CONNECTIONS_PER_KEY: '2', LIVE_CONNECTIONS_PER_WORKSPACE: '3' };
    await withServer(env, async (server, at) => {
      const own = channelOf(await newSheet(server.client));
      const [{ id: workspace }] = (await server.sql('SELECT id FROM workspaces ORDER BY id LIMIT 1')) as [
        { id: number },
      ];
      const keys = `/api/admin/v1/workspaces/${workspace}/api-keys`;
      const issued = (await server.operator().post(keys, { role: 'admin' }, 201)) as { secret: string };
      const tokens = [await tokenFor(server.client, own), await tokenFor(server.clientWith(issued.secret), own)];
      const enter = async (which: number) => {
        const live = await LiveSocket.open(at);
        live.socket.send(JSON.stringify({ id: 1, connect: { token: tokens[which]!.token } }));
        const outcome = await Promise.race([live.find(({ id }) => id === 1).catch(() => null), live.closed]);
        return { live, outcome };
      };
      const first = await enter(0);
      await enter(0);
      expect((await enter(0)).outcome).not.toMatchObject({ id: 1 });
      expect((await enter(1)).outcome).toMatchObject({ id: 1 });
      expect(await (await enter(1)).live.closed).toEqual([3504, 'connection limit']);
      first.live.close();
      await until(async () => {
        const { outcome } = await enter(1);
        return outcome !== null && 'id' in outcome;
      });
    });
  });

  it('end connections that show no token or give no sign of life', async () => {
    await withServer({ LIVE_HANDSHAKE_MS: '50' }, async (_, at) => {
      expect(await (await LiveSocket.open(at)).closed).toEqual([3502, 'stale']);
    });
    await withServer({ LIVE_HEARTBEAT_MS: '50' }, async (server, at) => {
      const own = channelOf(await newSheet(server.client));
      const live = await LiveSocket.connect(at, (await tokenFor(server.client, own)).token);
      await live.find((frame) => Object.keys(frame).length === 0);
      expect(await live.closed).toEqual([3012, 'no pong']);
    });
  });

  it('cut off who never reads', async () => {
    const before = await ended('slow');
    const live = await connect();
    live.socket.pause();
    const frame = Array.from({ length: 2500 }, (_, id) => JSON.stringify({ id: id + 1, ping: {} })).join('\n');
    const flood = () => {
      for (let count = 0; count < 20 && live.socket.bufferedAmount < 1_000_000; count++)
        live.socket.send(frame, () => undefined);
    };
    await until(async () => {
      flood();
      return (await ended('slow')) > before;
    });
  });
});

it('answers clients that offer no subprotocol in so many words, whatever page they come from', async () => {
  const connection = await RawConnection.open(await app.app.getUrl());
  const headers = {
    host: 'test',
    connection: 'keep-alive, Upgrade',
    upgrade: 'WebSocket',
    origin: 'https://elsewhere.example',
    'sec-websocket-version': 13,
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': '',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  await connection.send(`GET /connection/websocket?format=json HTTP/1.1\r\n${lines.join('')}\r\n`);
  await until(() => Promise.resolve(connection.statuses.length > 0));
  expect(connection.statuses).toEqual([101]);
  connection.close();
});

describe('other upgrades', () => {
  it('are ignored, and the request is answered, its body read', async () => {
    const connection = await RawConnection.open(await app.app.getUrl());
    const body = JSON.stringify({ title: 'By an old client' });
    const headers = {
      'x-api-key': app.apiKey,
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQCAAAAAAIAAAAA',
      'content-length': body.length,
    };
    await connection.post('/api/public/v2/tables', headers);
    await connection.send(body);
    expect((await connection.answer()).text).toContain('By an old client');
    expect(connection.statuses).toEqual([201]);
    // The connection stays.
    await connection.post('/api/public/v2/tables', { ...headers, upgrade: 'websocket' });
    await connection.send(body);
    await until(() => Promise.resolve(connection.statuses.length === 2));
    expect(connection.statuses).toEqual([201, 201]);
    connection.close();
  });

  it('leave live connections open when an address has many', async () => {
    await withServer({ CONNECTIONS_PER_ADDRESS: '3' }, async (server, at) => {
      const own = channelOf(await newSheet(server.client));
      const live = await LiveSocket.connect(at, (await tokenFor(server.client, own)).token);
      const idle = [];
      for (let count = 0; count < 5; count++) idle.push(await RawConnection.open(await server.app.getUrl()));
      await Promise.all(idle.slice(0, 3).map((each) => each.closed));
      expect(await live.ask({ ping: {} })).toMatchObject({ ping: {} });
      idle.forEach((each) => each.close());
      live.close();
    });
  });
});
