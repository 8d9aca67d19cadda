// MCP server made with the official package, in a separate process that tests can kill. It reports its calls to the
// parent.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const options = JSON.parse(process.argv[2]);
const { transport, port = 0, token = null, json = false, resumable = false, endless = false } = options;
/** Number of tool calls that are refused before one is accepted. */
let { busy = 0 } = options;

const object = (properties, more = {}) => ({ type: 'object', properties, ...more });
const text = (value) => ({ content: [{ type: 'text', text: value }] });

const TOOLS = {
  shout: {
    inputSchema: object({ text: { type: 'string' } }, { required: ['text'] }),
    call: ({ text: given }) => text(given.toUpperCase()),
  },
  arguments: {
    inputSchema: object({
      text: { type: 'string' },
      count: { type: 'integer' },
      share: { type: ['number', 'null'] },
      isOn: { type: 'boolean' },
      list: { anyOf: [{ type: 'array' }, { type: 'null' }] },
      anything: {},
    }),
    call: (given) => ({ ...text('no more than this'), structuredContent: { given } }),
  },
  json: { inputSchema: object({}), call: () => text('{"a":1}') },
  parts: {
    inputSchema: object({}),
    call: () => ({
      content: [
        { type: 'text', text: 'A picture:' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
    }),
  },
  nothing: { inputSchema: object({}), call: () => ({ content: [] }) },
  huge: { inputSchema: object({}), call: () => text('x'.repeat(20_000_000)) },
  fail: { inputSchema: object({}), call: () => ({ ...text('There is no such order.'), isError: true }) },
  refuse: {
    inputSchema: object({}),
    call: () => {
      throw Object.assign(new Error('The argument is wrong.'), { code: -32602 });
    },
  },
  die: { inputSchema: object({}), call: () => process.exit(1) },
  // Hangs up without an answer, which waits for those who ask for the rest.
  pause: {
    inputSchema: object({}),
    call: (_, { closeSSEStream }) => {
      closeSSEStream();
      return text('after the break');
    },
  },
  hang: {
    inputSchema: object({ text: { type: 'string' } }),
    call: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          process.send({ event: 'cancelled' });
          reject(new Error('cancelled'));
        });
      }),
  },
};

function newServer() {
  const server = new Server({ name: 'test tools', version: '1.2.3' }, { capabilities: { tools: {} } });
  const tools = Object.entries(TOOLS).map(([name, { inputSchema }]) => ({ name, inputSchema }));
  // Two pages.
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    endless
      ? { tools: [{ ...tools[0], description: 'x'.repeat(1_000_000) }], nextCursor: 'more' }
      : params?.cursor === 'rest'
        ? { tools: tools.slice(4) }
        : { tools: tools.slice(0, 4), nextCursor: 'rest' },
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: given = {} } }, extra) => {
    process.send({ event: 'call', tool: name, arguments: given });
    return TOOLS[name].call(given, extra);
  });
  return server;
}

/** Keeps sent events, which lets clients resume streams. */
class Events {
  sent = [];

  storeEvent(streamId, message) {
    this.sent.push({ streamId, message });
    return Promise.resolve(String(this.sent.length));
  }

  replayEventsAfter(lastEventId, { send }) {
    process.send({ event: 'resumed' });
    const { streamId } = this.sent[Number(lastEventId) - 1];
    const rest = this.sent.map((each, index) => ({ ...each, id: index + 1 })).slice(Number(lastEventId));
    for (const each of rest) if (each.streamId === streamId) send(String(each.id), each.message);
    return Promise.resolve(streamId);
  }
}

const sessions = new Map();

async function serveStreamable(request, response) {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined) {
    const known = sessions.get(id);
    if (known) return known.handleRequest(request, response);
    return response.writeHead(404).end('Session not found');
  }
  const session = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: json,
    ...(resumable && { eventStore: new Events(), retryInterval: 10 }),
    onsessioninitialized: (created) => {
      sessions.set(created, session);
      process.send({ event: 'session' });
    },
    onsessionclosed: () => process.send({ event: 'closed' }),
  });
  await newServer().connect(session);
  return session.handleRequest(request, response);
}

async function serveSse(request, response) {
  const url = new URL(request.url, 'http://localhost');
  if (request.method === 'GET' && url.pathname === '/mcp') {
    const session = new SSEServerTransport('/messages', response);
    sessions.set(session.sessionId, session);
    process.send({ event: 'session' });
    response.on('close', () => process.send({ event: 'closed' }));
    return newServer().connect(session);
  }
  const session = sessions.get(url.searchParams.get('sessionId'));
  if (request.method === 'POST' && session) return session.handlePostMessage(request, response);
  return response.writeHead(404).end();
}

const server = http.createServer((request, response) => {
  if (token !== null && request.headers.authorization !== `Bearer ${token}`) {
    return response.writeHead(401).end('Who are you?');
  }
  if (busy > 0 && request.headers['mcp-session-id']) {
    busy--;
    process.send({ event: 'refused' });
    return response.writeHead(429, { 'retry-after': '0' }).end('busy');
  }
  process.send({ event: 'request', method: request.method, team: request.headers['x-team'] ?? null });
  return transport === 'sse' ? serveSse(request, response) : serveStreamable(request, response);
});
server.listen(port, '127.0.0.1', () => process.send({ event: 'ready', port: server.address().port }));
process.on('disconnect', () => process.exit());
