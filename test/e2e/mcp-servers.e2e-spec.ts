import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { McpServerProcess, mcpServersUrl, type RegisteredServer, registerServer } from '../support/mcp-servers.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let me: Client;
let workspace: number;
let url: string;
beforeAll(async () => {
  app = await TestApp.start({ works: false, env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
  me = app.client;
  const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
  workspace = workspaces[0]!.id;
  url = mcpServersUrl(workspace);
});
afterAll(() => app.stop());

const TOKEN = 'a-token-that-nobody-sees-1234';
const TOOLS = { name: 'Orders', url: 'https://tools.invalid/mcp', transport: 'streamable_http' };

interface Report {
  connected: boolean;
  problem: string | null;
  server: string | null;
  tools: { name: string; input_schema: object }[];
}

const read = async (id: number) => ((await me.get(`${url}/${id}`)) as { mcp_server: RegisteredServer }).mcp_server;
const change = async (id: number, body: object) =>
  ((await me.patch(`${url}/${id}`, body)) as { mcp_server: RegisteredServer }).mcp_server;
const test = async (id: number) => (await me.post(`${url}/${id}/test`, undefined)) as Report;

describe('an MCP server', () => {
  it('is registered, listed, read, changed and deleted', async () => {
    const created = await registerServer(me, workspace, TOOLS);
    expect(created).toMatchObject({ ...TOOLS, auth: null, headers: {} });
    expect(Number.isInteger(created.id)).toBe(true);
    expect(await read(created.id)).toEqual(created);
    const { mcp_servers: listed } = (await me.get(url)) as { mcp_servers: RegisteredServer[] };
    expect(listed[0]).toEqual(created);
    expect(await change(created.id, { name: 'Stock', transport: 'sse' })).toMatchObject({
      name: 'Stock',
      transport: 'sse',
      url: TOOLS.url,
    });
    await me.delete(`${url}/${created.id}`);
    await me.get(`${url}/${created.id}`, 404);
    await me.delete(`${url}/${created.id}`, 404);
    await me.post(`${url}/${created.id}/test`, undefined, 404);
  });

  it('never shows its secrets, and they are not in the database either', async () => {
    const auth = { type: 'bearer', token: TOKEN };
    const { id } = await registerServer(me, workspace, {
      ...TOOLS,
      auth,
      headers: { 'X-Key': 'header-secret-9876', S: 'short' },
    });
    const answers = [
      await read(id),
      await me.get(url),
      await change(id, { name: 'Renamed' }),
      await app.sql('SELECT id, secrets::text, secret_ends::text FROM mcp_servers WHERE id = $1', [id]),
      await me.get(`/api/admin/v1/workspaces/${workspace}/audit-entries`),
    ];
    expect(answers[0]).toMatchObject({
      auth: { type: 'bearer', last_4: '1234' },
      headers: { 'X-Key': '9876', S: '' },
    });
    expect(JSON.stringify(answers)).not.toMatch(/nobody-sees|header-secret|short/);
    const [{ secrets }] = (await app.sql('SELECT secrets FROM mcp_servers WHERE id = $1', [id])) as [
      { secrets: Buffer },
    ];
    expect(secrets.toString('latin1')).not.toMatch(/nobody-sees|header-secret/);
  });

  it('gets other secrets one by one', async () => {
    const auth = { type: 'bearer', token: TOKEN };
    const { id } = await registerServer(me, workspace, {
      ...TOOLS,
      auth,
      headers: { A: 'first-value-1111', B: 'second-value-2222' },
    });
    expect(await change(id, { headers: { a: 'third-value-3333' } })).toMatchObject({
      auth: { last_4: '1234' },
      headers: { B: '2222', a: '3333' },
    });
    expect((await change(id, { headers: { b: null } })).headers).toEqual({ a: '3333' });
    expect(await change(id, { auth: null })).toMatchObject({ auth: null, headers: { a: '3333' } });
    expect(await change(id, { headers: null })).toMatchObject({ auth: null, headers: {} });
  });

  it('needs new secrets when its URL changes to another origin', async () => {
    const auth = { type: 'bearer', token: TOKEN };
    const { id } = await registerServer(me, workspace, { ...TOOLS, auth, headers: { A: 'first-value-1111' } });
    expect((await change(id, { url: 'https://tools.invalid/v2' })).auth).toMatchObject({ last_4: '1234' });
    const elsewhere = { url: 'https://elsewhere.invalid/' };
    for (const more of [{}, { auth }, { headers: null }, { auth: null, headers: {} }]) {
      expect(await me.patch(`${url}/${id}`, { ...elsewhere, ...more }, 400)).toMatchObject({
        error: 'mcp_server_secrets_needed',
      });
    }
    expect(await change(id, { ...elsewhere, auth: null, headers: { a: 'new-secret-0000' } })).toMatchObject({
      ...elsewhere,
      auth: null,
      headers: { a: '0000' },
    });
  });

  it.each<[string, object, number]>([
    ['no name', { name: undefined }, 422],
    ['a blank name', { name: '  ' }, 422],
    ['no URL', { url: undefined }, 422],
    ['a URL of another scheme', { url: 'file:///etc/passwd' }, 400],
    ['credentials in the URL', { url: 'https://a:b@tools.invalid' }, 400],
    ['another transport', { transport: 'stdio' }, 422],
    ['no transport', { transport: undefined }, 422],
    ['another kind of auth', { auth: { type: 'basic', token: 'x' } }, 422],
    ['auth without a token', { auth: { type: 'bearer' } }, 422],
    ['a token with a line break', { auth: { type: 'bearer', token: 'a\r\nX: y' } }, 422],
    ['a line break in a header', { headers: { A: 'a\nb' } }, 400],
    ['a header of the protocol', { headers: { 'Mcp-Session-Id': '1' } }, 400],
    ['a Host', { headers: { Host: 'inside' } }, 400],
    ['a token twice', { auth: { type: 'bearer', token: 'x' }, headers: { Authorization: 'Basic x' } }, 400],
    ['a header that is no text', { headers: { A: 1 } }, 422],
    ['headers that are a list', { headers: ['A'] }, 422],
  ])('with %s is refused', async (_, wrong, status) => {
    await me.post(url, { ...TOOLS, ...wrong }, status);
  });

  it('is visible to administrators of its workspace only', async () => {
    const { id } = await registerServer(me, workspace, TOOLS);
    const keys = `/api/admin/v1/workspaces/${workspace}/api-keys`;
    const { secret } = (await me.post(keys, { role: 'member' }, 201)) as { secret: string };
    const member = app.clientWith(secret);
    for (const path of [url, `${url}/${id}`]) await member.get(path, 403);
    await member.post(`${url}/${id}/test`, undefined, 403);
    const stranger = await app.stranger();
    await stranger.get(`${url}/${id}`, 404);
    await app.operator().get(`${url}/${id}`);
  });

  it('is refused at a private address where those are not allowed', async () => {
    const strict = await TestApp.own({ works: false });
    const { workspaces } = (await strict.operator().get('/api/admin/v1/workspaces')) as {
      workspaces: { id: number }[];
    };
    const body = { ...TOOLS, url: 'http://169.254.169.254/mcp' };
    expect(await strict.client.post(mcpServersUrl(workspaces[0]!.id), body, 400)).toMatchObject({
      error: 'mcp_server_url_refused',
    });
    await strict.stop();
  });

  it('may come twice with the same key of idempotency and is there once', async () => {
    const again = me.with({ 'idempotency-key': 'once' });
    const first = await registerServer(again, workspace, TOOLS);
    expect(await registerServer(again, workspace, TOOLS)).toEqual(first);
  });
});

describe('the test of an MCP server', () => {
  const processes: McpServerProcess[] = [];
  const servers: Server[] = [];
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((each) => each.stop()));
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function start(options: Parameters<typeof McpServerProcess.start>[0]): Promise<McpServerProcess> {
    const started = await McpServerProcess.start(options);
    processes.push(started);
    return started;
  }

  /** Starts a service that is no MCP server, and returns its URL. */
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }

  it.each([
    ['streamable_http', false],
    ['streamable_http', true],
    ['sse', false],
  ] as const)('lists the tools of all pages with their schemas (%s, plain JSON: %s)', async (transport, json) => {
    const server = await start({ transport, json, token: TOKEN });
    const auth = { type: 'bearer', token: TOKEN };
    const headers = { 'X-Team': 'support' };
    const { id } = await registerServer(me, workspace, { url: server.url, transport, auth, headers });
    const report = await test(id);
    expect(report).toMatchObject({ connected: true, problem: null, server: 'test tools 1.2.3' });
    expect(report.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['shout', 'hang']));
    expect(report.tools.find(({ name }) => name === 'shout')).toMatchObject({
      input_schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    });
    expect(new Set(server.seen('request').map(({ team }) => team))).toEqual(new Set(['support']));
    await expect.poll(() => server.count('closed')).toBe(1);
  });

  it.each<[string, RequestListener, string | RegExp]>([
    ['401', (_, response) => response.writeHead(401).end('no key'), /answered 401: no key.* check auth and headers/],
    ['404', (_, response) => response.writeHead(404).end(), /answered 404.*path of the URL.*sse/],
    [
      'a redirect',
      (_, response) => response.writeHead(307, { location: '/new' }).end(),
      /307.*Redirects are not followed, here to \/new/,
    ],
    [
      'a page',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
      /as the protocol says.*text\/html/,
    ],
    [
      'no JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      /as the protocol says/,
    ],
    [
      'other JSON',
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}'),
      /as the protocol says/,
    ],
    ['a hang-up', (request) => request.socket.destroy(), /cannot be reached.*ECONNRESET/],
    [
      'the start of a stream',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n');
        response.end();
      },
      'The MCP server ended the connection before it answered.',
    ],
  ])('explains the error of a server that answers %s', async (_, listener, problem) => {
    const { id } = await registerServer(me, workspace, { url: await serve(listener) });
    expect(await test(id)).toEqual({
      success: true,
      connected: false,
      problem: typeof problem === 'string' ? problem : expect.stringMatching(problem),
      server: null,
      tools: [],
    });
  });

  it('reads no list of tools without end', async () => {
    const server = await start({ transport: 'streamable_http', endless: true });
    const { id } = await registerServer(me, workspace, { url: server.url });
    expect((await test(id)).problem).toBe('The MCP server describes its tools with more than 5 MB.');
  });

  it('reports a missing token, the wrong transport, and a server that is not reachable', async () => {
    const closed = await start({ transport: 'streamable_http', token: TOKEN });
    const { id } = await registerServer(me, workspace, { url: closed.url, auth: { type: 'bearer', token: 'wrong' } });
    expect((await test(id)).problem).toMatch(/^The MCP server answered 401: Who are you\?/);
    const older = await start({ transport: 'sse' });
    const mistaken = await registerServer(me, workspace, { url: older.url });
    expect((await test(mistaken.id)).problem).toMatch(/404.*speaks sse and not streamable_http/);
    const newer = await registerServer(me, workspace, {
      url: closed.url,
      transport: 'sse',
      auth: { type: 'bearer', token: TOKEN },
    });
    expect((await test(newer.id)).problem).toMatch(/speaks streamable_http and not sse/);
    await closed.stop();
    expect((await test(id)).problem).toBe('The MCP server cannot be reached. The connection failed (ECONNREFUSED).');
  });
});
