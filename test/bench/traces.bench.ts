import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { ADMIN_TOKEN } from '../support/workspaces.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import {
  columnsOf,
  LATENCY_COLUMNS,
  leaf,
  measureSearch,
  middleOf,
  oneByOne,
  pager,
  pick,
  REQUESTS,
  SEARCH_COLUMNS,
  type SearchAnswer,
  type SearchRequest,
} from './one-by-one.js';
import { benchPlans } from './plans.js';
import { databaseSize, machine, describeMemory, printTable } from './report.js';
import { SESSION } from './trace-seeds.js';
import { loadTraces, LONG_TRACE, type TracedWorkspace, type TraceLoad } from './traces-load.js';

const TRACES = '/api/public/v2/traces';
const PER_PAGE = 25;
/** Requests before those that are measured, of each kind. */
const WARM_UP = 5;
const READINGS = 20;

let server: Installation;
let api: ProductProcess;
let db: pg.Client;
let load: TraceLoad;

beforeAll(async () => {
  server = await startBenchInstallation({ ADMIN_TOKEN });
  api = await server.start('api', benchNodeOptions);
  const worker = await server.start('worker');
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  const start = performance.now();
  load = await loadTraces(server, db);
  process.stdout.write(`Loaded ${load.spans} spans in ${Math.round((performance.now() - start) / 1000)} s.\n`);
  await worker.stop();
}, 3_600_000);
afterAll(async () => {
  await db.end();
  await server.close();
});

it('finds traces', async () => {
  const rows = [['request', 'traces', ...SEARCH_COLUMNS]];
  try {
    for (const workspace of [load.large, load.small]) {
      for (const [name, request] of Object.entries(requestsOf(workspace))) {
        await oneByOne(WARM_UP, request);
        rows.push([name, String(workspace.traces), ...(await measureSearch(request))]);
      }
    }
  } finally {
    // A request that fails must not take along what was measured before it.
    await printSearches(rows);
  }
}, 7_200_000);

async function printSearches(rows: string[][]): Promise<void> {
  const { spans, large, small } = load;
  printTable(
    `Trace search: ${spans} spans, of ${large.traces} traces in the large workspace and ${small.traces} in the small one; ` +
      `${REQUESTS} requests each over HTTP, one after the other, ${PER_PAGE} items a page\n${await machine(server.databaseUrl)}\n` +
      `Memory of the api process: ${describeMemory(api.pid)}. Size of the database: ${await databaseSize(db)}.`,
    rows,
  );
}

it('reads a long trace', async () => {
  const rows = [['view', ...LATENCY_COLUMNS, 'MB']];
  for (const view of ['skeleton', 'full']) {
    const path = `${TRACES}/${load.long.traceId}?view=${view}`;
    const read = () => textOf(load.long.client, 'GET', path);
    const trace = JSON.parse(await read()) as { spans: unknown[] };
    expect(trace.spans).toHaveLength(LONG_TRACE);
    await oneByOne(WARM_UP, read);
    const { latencies, last } = await oneByOne(READINGS, read);
    rows.push([view, ...columnsOf(latencies), (Buffer.byteLength(last!) / 1e6).toFixed(2)]);
  }
  printTable(
    `A trace of ${LONG_TRACE} spans among ${load.spans}: ${READINGS} requests each over HTTP, one after the other, until the last byte is there\n` +
      `Memory of the api process at the end: ${describeMemory(api.pid)}.`,
    rows,
  );
});

benchPlans(() => {
  const workspaces = [load.large, load.small].map((each) => ({
    name: String(each.traces),
    requests: requestsOf(each),
  }));
  return { server, db, workspaces };
});

async function textOf(client: ApiClient, method: string, path: string, body?: object): Promise<string> {
  const response = await client.send(method, path, body);
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  return text;
}

/** Every answer must have found something, or nothing would be measured. */
async function search({ client }: TracedWorkspace, body: object): Promise<SearchAnswer> {
  const answer = JSON.parse(await textOf(client, 'POST', `${TRACES}/search`, body)) as SearchAnswer;
  expect(answer.items!.length, JSON.stringify(body)).toBeGreaterThan(0);
  return answer;
}

const group = (logic: string, ...filters: object[]) => ({ filter_group: { logic, filters } });
const DEAREST = { sort_by: 'trace_total_cost_usd', sort_order: 'desc' };
const SLOWEST = { sort_by: 'trace_duration_ms', sort_order: 'desc' };
const MOST_SPANS = { sort_by: 'trace_span_count', sort_order: 'desc' };
const failed = leaf('trace_status', 'is', 'ERROR');
const dear = leaf('trace_total_cost_usd', 'gt', 0.02);

function requestsOf(workspace: TracedWorkspace): Record<string, SearchRequest> {
  return { ...pagesOf(workspace), ...ofTraces(workspace), ...ofSpans(workspace), ...ofTexts(workspace) };
}

function pagesOf(workspace: TracedWorkspace): Record<string, SearchRequest> {
  const ask = (body: object) => search(workspace, { per_page: PER_PAGE, ...body });
  const middle = Math.ceil(workspace.traces / PER_PAGE / 2);
  return {
    newest: () => ask({}),
    'cursor, page after page': pager((page) => search(workspace, page)),
    'cursor, by cost': pager((page) => search(workspace, { ...DEAREST, ...page })),
    [`page ${middle} by number`]: () => ask({ page: middle }),
    'by cost': () => ask(DEAREST),
    'by duration': () => ask(SLOWEST),
    'by number of spans': () => ask(MOST_SPANS),
  };
}

function ofTraces(workspace: TracedWorkspace): Record<string, SearchRequest> {
  const { seeds } = workspace;
  const ask = (...filters: object[]) => search(workspace, { per_page: PER_PAGE, ...group('AND', ...filters) });
  const tools = seeds.filter((seed) => seed.operation === 'tool');
  const chats = seeds.filter((seed) => seed.operation === 'chat');
  return {
    errors: () => ask(failed),
    cost: () => ask(dear),
    'errors, cost': () => ask(failed, dear),
    'errors, by cost': () => search(workspace, { per_page: PER_PAGE, ...DEAREST, ...group('AND', failed) }),
    'a model': () => ask(leaf('trace_models_used', 'contains', pick(chats).model)),
    'a user': () => ask(leaf('user_id', 'is', pick(seeds).user)),
    'a session': () => ask(leaf('trace_metadata', 'key_equals', `${SESSION}${pick(seeds).traceId}`, 'conversation_id')),
    'trace id': () => ask(leaf('trace_id', 'is', pick(seeds).traceId)),
    'span id': () => ask(leaf('span_id', 'is', pick(seeds).spanId)),
    'without a tool': () => ask(leaf('trace_tool_names', 'not_contains', pick(tools).tool)),
  };
}

const type = (value: string) => leaf('span_type', 'is', value);
const tool = (value: string) => leaf('span_tool_name', 'is', value);
const model = (value: string) => leaf('span_model', 'is', value);
const attribute = (key: string, value: unknown) => leaf('span_attributes', 'key_equals', value, key);
const slowerThan = (ms: number) => leaf('span_duration_ms', 'gt', ms);
/** Rounded as people ask: less than the duration of a span, so that this span is found. */
const roundedDown = (ms: number) => Math.floor(ms / 2);

function ofSpans(workspace: TracedWorkspace): Record<string, SearchRequest> {
  const { seeds } = workspace;
  const ask = (logic: string, ...filters: object[]) =>
    search(workspace, { per_page: PER_PAGE, ...group(logic, ...filters) });
  const tools = seeds.filter((seed) => seed.operation === 'tool');
  const failures = tools.filter((seed) => seed.failed);
  const chats = seeds.filter((seed) => seed.operation === 'chat');
  const both = (first: object, second: object) => () => ask('SPAN_AND', first, second);
  return {
    'SPAN_AND: tool, error': () => ask('SPAN_AND', tool(pick(failures).tool), leaf('span_status', 'is', 'ERROR')),
    'SPAN_AND: tool, region': () => {
      const span = pick(tools);
      return ask('SPAN_AND', tool(span.tool), attribute('deployment.region', span.region));
    },
    'SPAN_AND: tool, latency': () => {
      const span = pick(tools);
      return ask('SPAN_AND', tool(span.tool), slowerThan(roundedDown(span.durationMs)));
    },
    'SPAN_AND: type, failed request': both(type('TOOL'), attribute('http.response.status_code', 504)),
    'SPAN_AND: type, session': () =>
      ask('SPAN_AND', type('TOOL'), attribute('session.id', `${SESSION}${pick(tools).traceId}`)),
    'SPAN_AND: model, latency': () => {
      const span = pick(chats);
      return ask('SPAN_AND', model(span.model), slowerThan(roundedDown(span.durationMs)));
    },
    'SPAN_AND: model, cost': () => ask('SPAN_AND', model('gpt-4o'), leaf('span_cost_usd', 'gt', 0.005)),
    'SPAN_AND in a day': () => {
      const { startMs, model: name } = pick(chats);
      const day = [startMs - 43_200_000, startMs + 43_200_000].map((time) => new Date(time).toISOString());
      const ofSpan = { logic: 'SPAN_AND', filters: [model(name), slowerThan(1)] };
      return ask('AND', ofSpan, leaf('trace_start', 'between', day));
    },
    'SPAN_AND: two, by cost': () =>
      search(workspace, { per_page: PER_PAGE, ...DEAREST, ...group('SPAN_AND', type('LLM_CALL'), slowerThan(2000)) }),
    'SPAN_OR: two tools': () => ask('SPAN_OR', tool(pick(tools).tool), tool(pick(tools).tool)),
    'SPAN_OR: tool, latency': () => ask('SPAN_OR', tool(pick(tools).tool), slowerThan(8000)),
    'SPAN_OR: tool, region': () =>
      ask('SPAN_OR', tool(pick(tools).tool), attribute('deployment.region', pick(seeds).region)),
    'SPAN_AND and errors': () =>
      ask('AND', failed, { logic: 'SPAN_AND', filters: [tool(pick(failures).tool), type('TOOL')] }),
    'AND: conditions on two spans': () => {
      const traceId = pick(chats).traceId;
      const ofTrace = seeds.filter((seed) => seed.traceId === traceId);
      const own = (operation: string) => pick(ofTrace.filter((seed) => seed.operation === operation));
      return ask('AND', tool(own('tool').tool), model(own('chat').model));
    },
  };
}

function ofTexts(workspace: TracedWorkspace): Record<string, SearchRequest> {
  const { vocabulary, seeds } = workspace;
  const ask = (body: object) => search(workspace, { per_page: PER_PAGE, ...body });
  const failures = seeds.filter((seed) => seed.failed);
  const answers = seeds.filter((seed) => seed.operation === 'chat');
  // A short one may begin many other words.
  const rare = vocabulary.rare.filter((word) => word.length > 9);
  const inAnswer = (text: string) => group('SPAN_AND', type('LLM_CALL'), leaf('span_output', 'contains', text));
  const words = (count: number) => someWords(pick(answers).output, count);
  return {
    'word, rare': () => ask({ q: pick(rare) }),
    'word, medium': () => ask({ q: pick(vocabulary.medium) }),
    'word, common': () => ask({ q: pick(vocabulary.common) }),
    'begin of a word': () => ask({ q: pick(vocabulary.medium).slice(0, 4) }),
    phrase: () => ask({ q: `"${pick(vocabulary.phrases)}"` }),
    'word, errors': () => ask({ q: someWords(pick(failures).input, 1), ...group('AND', failed) }),
    'SPAN_AND: type, word': () => ask(inAnswer(words(1))),
    'SPAN_AND: type, part of a word': () => ask(inAnswer(middleOf(words(1)))),
    'SPAN_AND: type, phrase': () => ask(inAnswer(words(3))),
  };
}

/** Takes `count` adjacent words from a text. */
function someWords(text: string, count: number): string {
  const words = text.split(' ');
  const start = Math.floor(Math.random() * (words.length - count));
  return words.slice(start, start + count).join(' ');
}
