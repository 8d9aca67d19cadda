import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { activeOperation, recalculate } from '../support/external-cells.js';
import { addColumn, addCount, cellsOf, type Column, newSheet, settled, type TestSheet } from '../support/factories.js';
import { type McpServerOptions, McpServerProcess, mcpServersUrl, registerServer } from '../support/mcp-servers.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const ENV = { OUTBOUND_ALLOW_PRIVATE: 'on', EXTERNAL_BACKOFF_MS: '20' };
const TOKEN = 'a-token-that-nobody-sees-1234';

let app: TestApp;
let me: Client;
let workspace: number;
const processes: McpServerProcess[] = [];
beforeAll(async () => {
  app = await TestApp.start({ env: ENV });
  me = app.client;
  const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
  workspace = workspaces[0]!.id;
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((each) => each.stop()));
});
afterAll(() => app.stop());

async function start(options: Partial<McpServerOptions> = {}): Promise<McpServerProcess> {
  const started = await McpServerProcess.start({ transport: 'streamable_http', ...options });
  processes.push(started);
  return started;
}

/** A server of tools and its id in the workspace. */
async function registered(options: Partial<McpServerOptions> = {}): Promise<{ server: McpServerProcess; id: number }> {
  const server = await start(options);
  const auth = options.token === undefined ? null : { type: 'bearer', token: options.token };
  const { transport = 'streamable_http' } = options;
  return { server, id: (await registerServer(me, workspace, { url: server.url, transport, auth })).id };
}

function addTool(sheet: TestSheet, id: number, tool: string, mappings: object = {}, title = 'Result'): Promise<Column> {
  const config = { mcp_server_id: id, tool_name: tool, input_mappings: mappings };
  return addColumn(me, sheet, { title, type: 'MCP', config });
}

async function valuesOf(sheet: TestSheet, column: Column): Promise<unknown[]> {
  await settled(me, sheet);
  return (await cellsOf(me, sheet, column.id)).map(({ value, error_message: error }) => error ?? value);
}

describe('a cell of a tool', () => {
  it.each<[string, Partial<McpServerOptions>]>([
    ['streamable HTTP', {}],
    ['streamable HTTP with plain JSON', { json: true }],
    ['SSE', { transport: 'sse' }],
    ['a bearer token', { token: TOKEN }],
    ['SSE and a bearer token', { transport: 'sse', token: TOKEN }],
  ])('is the result of the tool, for all rows over one session (%s)', async (_, options) => {
    const { server, id } = await registered(options);
    const sheet = await newSheet(me, ['rome', 'oslo', 'bern', 'oslo']);
    const column = await addTool(sheet, id, 'shout', { text: 'Column A' });
    expect(await valuesOf(sheet, column)).toEqual(['ROME', 'OSLO', 'BERN', 'OSLO']);
    expect([server.count('call'), server.count('session')]).toEqual([4, 1]);
  });

  it.each<[string, unknown]>([
    ['json', '{"a":1}'],
    ['nothing', []],
    [
      'parts',
      [
        { type: 'text', text: 'A picture:' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
    ],
  ])('is the text of one part, else the list of parts (%s)', async (tool, value) => {
    const { id } = await registered();
    const sheet = await newSheet(me, ['x']);
    expect(await valuesOf(sheet, await addTool(sheet, id, tool))).toEqual([value]);
  });

  it('is the structured result, made of arguments as the schema of the tool wants them', async () => {
    const { id } = await registered();
    const sheet = await newSheet(me, ['3']);
    await addCount(me, sheet, 'Length');
    const json = await addColumn(me, sheet, {
      title: 'JSON',
      type: 'VARIABLE',
      config: { value: { type: 'json', value: { a: 1 } } },
    });
    const blank = await addColumn(me, sheet, { title: 'Blank', type: 'TEXT' });
    const yes = await addColumn(me, sheet, {
      title: 'Yes',
      type: 'VARIABLE',
      config: { value: { type: 'string', value: 'True' } },
    });
    await settled(me, sheet);
    const column = await addTool(sheet, id, 'arguments', {
      text: 'Length',
      count: 'Column A',
      share: 'Length',
      isOn: yes.id,
      list: 'Blank',
      anything: 'Column A',
      other: json.id,
      none: '',
      nothing: null,
    });
    const given = { text: '1', count: 3, share: 1, isOn: true, list: null, anything: '3', other: { a: 1 } };
    expect(await valuesOf(sheet, column)).toEqual([{ given }]);
    const second = await addTool(
      sheet,
      id,
      'arguments',
      { count: blank.id, share: blank.id, text: blank.id },
      'Second',
    );
    expect(await valuesOf(sheet, second)).toEqual([{ given: { share: null } }]);
  });

  it('fails with the words of the tool when the tool says so, and its neighbours are computed', async () => {
    const { server, id } = await registered();
    const sheet = await newSheet(me, ['x']);
    const failing = await addTool(sheet, id, 'fail');
    const fine = await addTool(sheet, id, 'shout', { text: 'Column A' }, 'Fine');
    expect(await valuesOf(sheet, failing)).toEqual(['There is no such order.']);
    expect(await valuesOf(sheet, fine)).toEqual(['X']);
    expect([server.count('call', 'fail'), server.count('session')]).toEqual([1, 1]);
  });

  it('fails with the error message of the server', async () => {
    const { server, id } = await registered();
    const sheet = await newSheet(me, ['x']);
    const refused = await addTool(sheet, id, 'refuse');
    expect(await valuesOf(sheet, refused)).toEqual([
      expect.stringMatching(/^The MCP server refused the call: .*The argument is wrong\..* \(-32602\)\.$/),
    ]);
    expect(server.count('call', 'refuse')).toBe(1);
  });

  it('fails with the names of the tools that there are', async () => {
    const { id } = await registered();
    const sheet = await newSheet(me, ['x']);
    expect(await valuesOf(sheet, await addTool(sheet, id, 'shuot'))).toEqual([
      expect.stringMatching(/^The MCP server has no tool "shuot"\. It has: shout, arguments, json,.* hang\.$/),
    ]);
  });

  it.each<[string, Partial<McpServerOptions>]>([
    ['streams', {}],
    ['plain JSON', { json: true }],
    ['SSE', { transport: 'sse' }],
  ])('fails when the result is too large (%s)', async (_, options) => {
    const { id } = await registered(options);
    const sheet = await newSheet(me, ['x']);
    expect(await valuesOf(sheet, await addTool(sheet, id, 'huge'))).toEqual([
      'The MCP server sent more than 16 MB at once.',
    ]);
  });
});

describe('a server', () => {
  it.each<[string, Partial<McpServerOptions>]>([
    ['streams', {}],
    ['plain JSON', { json: true }],
    ['SSE', { transport: 'sse' }],
  ])('that dies in the middle of a call fails the cell with a sentence (%s)', async (_, options) => {
    const { id } = await registered(options);
    const sheet = await newSheet(me, ['x']);
    expect(await valuesOf(sheet, await addTool(sheet, id, 'die'))).toEqual([
      expect.stringMatching(
        /^The MCP server (?:cannot be reached\. The connection failed \(ECONNREFUSED\)|ended the connection)/,
      ),
    ]);
  });

  it.each<[string, Partial<McpServerOptions>]>([
    ['streams', {}],
    ['SSE', { transport: 'sse' }],
  ])('gets a new session after a restart (%s)', async (_, options) => {
    const { server, id } = await registered(options);
    const sheet = await newSheet(me, ['x']);
    const column = await addTool(sheet, id, 'shout', { text: 'Column A' });
    expect(await valuesOf(sheet, column)).toEqual(['X']);
    await server.stop();
    const again = await start({ ...options, port: server.port });
    await recalculate(me, sheet, { column_ids: [column.id] });
    expect(await valuesOf(sheet, column)).toEqual(['X']);
    expect([again.count('session'), again.count('call')]).toEqual([1, 1]);
  });

  it('that is busy is called again', async () => {
    const { server, id } = await registered({ busy: 2 });
    const sheet = await newSheet(me, ['x']);
    expect(await valuesOf(sheet, await addTool(sheet, id, 'shout', { text: 'Column A' }))).toEqual(['X']);
    expect([server.count('refused'), server.count('call')]).toEqual([2, 1]);
  });

  it('that hangs up is asked for the rest of the answer, and not called again', async () => {
    const { server, id } = await registered({ resumable: true });
    const sheet = await newSheet(me, ['x']);
    expect(await valuesOf(sheet, await addTool(sheet, id, 'pause'))).toEqual(['after the break']);
    expect([server.count('call'), server.count('resumed')]).toEqual([1, 1]);
  });

  it('that gets another token is called with it', async () => {
    const { server, id } = await registered({ token: TOKEN });
    const at = `${mcpServersUrl(workspace)}/${id}`;
    await me.patch(at, { auth: { type: 'bearer', token: 'outdated' } });
    const sheet = await newSheet(me, ['x']);
    const column = await addTool(sheet, id, 'shout', { text: 'Column A' });
    expect(await valuesOf(sheet, column)).toEqual([expect.stringContaining('answered 401')]);
    await me.patch(at, { auth: { type: 'bearer', token: TOKEN } });
    await recalculate(me, sheet, { column_ids: [column.id] });
    expect(await valuesOf(sheet, column)).toEqual(['X']);
    expect(server.count('call')).toBe(1);
  });

  it.each<[string, Partial<McpServerOptions>]>([
    ['streams', {}],
    ['plain JSON', { json: true }],
    ['SSE', { transport: 'sse' }],
  ])('is notified of a cancelled call, and other calls continue over the session (%s)', async (_, options) => {
    const { server, id } = await registered(options);
    const sheet = await newSheet(me, ['x', 'y']);
    await addTool(sheet, id, 'hang', { text: 'Column A' });
    await until(() => Promise.resolve(server.count('call') === 2));
    const operation = await activeOperation(me, sheet);
    await me.delete(`${sheet.path}/operations/${operation}`);
    await until(() => Promise.resolve(server.count('cancelled') === 2));
    const other = await addTool(sheet, id, 'shout', { text: 'Column A' }, 'Other');
    expect(await valuesOf(sheet, other)).toEqual(['X', 'Y']);
    expect(server.count('session')).toBe(1);
  });

  it('that does not exist is refused when the column is saved, and one that was deleted later fails its cells', async () => {
    const { id } = await registered();
    const sheet = await newSheet(me, ['x']);
    const config = { mcp_server_id: 999_999, tool_name: 'shout', input_mappings: { text: 'Column A' } };
    const problem = { error: 'column_config_invalid', message: expect.stringContaining('no MCP server 999999') };
    const body = { title: 'Result', type: 'MCP', config };
    expect(await me.post(`${sheet.path}/columns`, body, 400)).toMatchObject(problem);
    const column = await addTool(sheet, id, 'shout', { text: 'Column A' });
    expect(await valuesOf(sheet, column)).toEqual(['X']);
    expect(await me.patch(`${sheet.path}/columns/${column.id}`, { config }, 400)).toMatchObject(problem);
    const stranger = await app.stranger();
    const theirs = await newSheet(stranger, ['x']);
    const foreign = { ...body, config: { ...config, mcp_server_id: id } };
    expect(await stranger.post(`${theirs.path}/columns`, foreign, 400)).toMatchObject({
      error: 'column_config_invalid',
    });
    await me.delete(`${mcpServersUrl(workspace)}/${id}`);
    await recalculate(me, sheet, { column_ids: [column.id] });
    expect(await valuesOf(sheet, column)).toEqual([`MCP server ${id} does not exist any more. Choose another one.`]);
    await me.patch(`${sheet.path}/columns/${column.id}`, { title: 'Still there' });
  });
});

describe('the older form of the config', () => {
  it.each<[string, Partial<McpServerOptions>]>([
    ['streamable HTTP', {}],
    ['SSE', { transport: 'sse' }],
    ['a token', { token: TOKEN }],
  ])('names a server by its URL, whatever it speaks (%s)', async (_, options) => {
    const server = await start(options);
    const sheet = await newSheet(me, ['x', 'y']);
    const auth = options.token === undefined ? undefined : { type: 'bearer', token: options.token };
    const config = { server_url: server.url, function_name: 'shout', auth, input_mappings: { text: 'Column A' } };
    const column = await addColumn(me, sheet, { title: 'Result', type: 'MCP', config });
    expect(await valuesOf(sheet, column)).toEqual(['X', 'Y']);
    expect(server.count('session')).toBe(1);
  });

  it('needs no mappings', async () => {
    const server = await start();
    const sheet = await newSheet(me, ['x']);
    const config = { server_url: server.url, function_name: 'json' };
    const column = await addColumn(me, sheet, { title: 'Result', type: 'mcp', config });
    expect(await valuesOf(sheet, column)).toEqual(['{"a":1}']);
  });
});

describe('the config of a tool', () => {
  const older = { server_url: 'https://tools.invalid/mcp', function_name: 'shout' };
  it.each<[string, object, string]>([
    ['no server', { tool_name: 'a', input_mappings: {} }, 'Give either mcp_server_id or'],
    [
      'both servers',
      { mcp_server_id: 1, tool_name: 'a', input_mappings: {}, server_url: 'https://a.invalid' },
      'Give either',
    ],
    ['no tool', { mcp_server_id: 1, input_mappings: {} }, 'tool_name is required'],
    ['no mappings', { mcp_server_id: 1, tool_name: 'a' }, 'input_mappings is required'],
    [
      'an id that is a text',
      { mcp_server_id: 'one', tool_name: 'a', input_mappings: {} },
      'mcp_server_id: Input should be a valid integer',
    ],
    [
      'an id that is a huge number',
      { mcp_server_id: 1e15, tool_name: 'a', input_mappings: {} },
      'mcp_server_id: Input should be less',
    ],
    [
      'auth beside a registered server',
      { mcp_server_id: 1, tool_name: 'a', input_mappings: {}, auth: { type: 'bearer', token: 'x' } },
      'auth goes with server_url',
    ],
    ['another kind of auth', { ...older, auth: { type: 'oauth' } }, 'type should be "bearer" or "none"'],
    ['a token with a line break', { ...older, auth: { type: 'bearer', token: 'a\nb' } }, 'auth: token'],
    ['a URL of another scheme', { ...older, server_url: 'stdio:server' }, 'server_url: It must start with http'],
    [
      'mappings that are a list',
      { ...older, input_mappings: [] },
      'input_mappings: Input should be a valid dictionary',
    ],
  ])('with %s is refused', async (_, config, problem) => {
    const sheet = await newSheet(me, ['x']);
    const answer = await me.request('POST', `${sheet.path}/columns`, { title: 'Bad', type: 'MCP', config });
    expect(answer).toMatchObject({ status: 400, body: { error: 'column_config_invalid' } });
    expect((answer.body as { message: string }).message).toContain(problem);
  });

  it('with a column that does not exist is refused', async () => {
    const { id } = await registered();
    const sheet = await newSheet(me, ['x']);
    const config = { mcp_server_id: id, tool_name: 'shout', input_mappings: { text: 'Column Z' } };
    expect(await me.post(`${sheet.path}/columns`, { title: 'Bad', type: 'MCP', config }, 400)).toMatchObject({
      error: 'column_reference_unknown',
    });
  });

  it('refuses older servers at private addresses where those are not allowed', async () => {
    const strict = await TestApp.own({ works: false });
    const sheet = await newSheet(strict.client, ['x']);
    const config = { server_url: 'http://169.254.169.254/mcp', function_name: 'x' };
    await strict.client.post(`${sheet.path}/columns`, { title: 'Bad', type: 'MCP', config }, 400);
    await strict.stop();
  });

  it('is listed with its schema and an example that can be sent unchanged', async () => {
    const { column_types: types } = (await me.get('/api/public/v2/column-types')) as {
      column_types: { type: string; example: object | null }[];
    };
    const mcp = types.find(({ type }) => type === 'MCP')!;
    expect(mcp).toMatchObject({
      kind: 'external',
      source_keys: ['input_mappings'],
      config_schema: { required: ['tool_name', 'input_mappings'] },
      example: { type: 'MCP', config: { tool_name: 'find_order', input_mappings: { query: 'Column A' } } },
    });
    // Without rows nothing is called.
    await me.post(`${(await newSheet(me)).path}/columns`, mcp.example, 201);
  });
});
