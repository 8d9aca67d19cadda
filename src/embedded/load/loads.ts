import { randomBytes } from 'node:crypto';
import type { ApiClient } from '../api-client.js';

const TABLES = '/api/public/v2/tables';
const SPANS = 100;
const SPANS_PER_TRACE = 10;
const ROWS = 10_000;
const WORDS =
  'the parcel left our warehouse on monday and should reach you within three working days refund order'.split(' ');

/** Completed work, and the latency of each request in milliseconds. */
export interface LoadResult {
  perSecond: number;
  latencies: number[];
}

export interface LoadSize {
  seconds: number;
  clients: number;
}

/** Spans that are acknowledged: requests of a hundred, in traces of ten, four of each calls of models with messages. */
export function sendSpans(client: ApiClient, size: LoadSize): Promise<LoadResult> {
  return repeat(size, SPANS, () => client.post('/v1/traces', traces()));
}

/** Searches of request logs for two words, newest first. */
export function search(client: ApiClient, size: LoadSize): Promise<LoadResult> {
  return repeat(size, 1, () =>
    client.post('/api/public/v2/requests/search', { q: `${word()} ${word()}`, per_page: 25 }),
  );
}

/** Cells of columns that count words, over sheets of ten thousand rows, from the request that adds a column until all is stored. */
export async function computeCells(client: ApiClient, sheets: number): Promise<LoadResult> {
  const paths = await Promise.all(Array.from({ length: sheets }, () => newSheet(client)));
  const start = performance.now();
  const latencies = await Promise.all(paths.map((path) => computeColumn(client, path)));
  return { perSecond: (sheets * ROWS) / ((performance.now() - start) / 1000), latencies };
}

async function repeat({ seconds, clients }: LoadSize, done: number, work: () => Promise<unknown>): Promise<LoadResult> {
  const start = performance.now();
  const latencies: number[] = [];
  const run = async () => {
    while (performance.now() - start < seconds * 1000) {
      const began = performance.now();
      await work();
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, run));
  return { perSecond: (latencies.length * done) / ((performance.now() - start) / 1000), latencies };
}

async function newSheet(client: ApiClient): Promise<string> {
  const lines = Array.from({ length: ROWS }, () => sentence());
  const file = Buffer.from(['text', ...lines].join('\n')).toString('base64');
  const { table, default_sheet: sheet } = await client.post<{ table: { id: string }; default_sheet: { id: string } }>(
    TABLES,
    { title: 'Load' },
  );
  const path = `${TABLES}/${table.id}/sheets/${sheet.id}`;
  const content = { file_name: 'load.csv', file_content_base64: file };
  const { status_url: url } = await client.post<{ status_url: string }>(`${path}/imports/file`, content);
  await client.untilFinished(url);
  return path;
}

interface StatusCounts {
  total_cells: number;
  status_counts: { COMPLETED: number };
}

async function computeColumn(client: ApiClient, path: string): Promise<number> {
  const start = performance.now();
  await client.post(`${path}/columns`, { title: 'Words', type: 'COUNT', config: { source: 'text', type: 'words' } });
  await client.until(async () => {
    const { total_cells: total, status_counts: done } = await client.get<StatusCounts>(`${path}/status-counts`);
    return done.COMPLETED === total;
  });
  return performance.now() - start;
}

function traces(): object {
  const spans = Array.from({ length: SPANS / SPANS_PER_TRACE }, trace).flat();
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'load' } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
}

function trace(): object[] {
  const traceId = randomBytes(16).toString('hex');
  const root = randomBytes(8).toString('hex');
  const now = Date.now();
  return Array.from({ length: SPANS_PER_TRACE }, (_, index) => {
    const place = index === 0 ? { spanId: root } : { spanId: randomBytes(8).toString('hex'), parentSpanId: root };
    const times = { startTimeUnixNano: `${now + index}000000`, endTimeUnixNano: `${now + index + 900}000000` };
    const attributes = index > 0 && index <= 4 ? callAttributes() : [attribute('step', sentence())];
    return { traceId, ...place, name: index === 0 ? 'request' : 'step', ...times, attributes };
  });
}

const callAttributes = (): object[] => [
  attribute('gen_ai.operation.name', 'chat'),
  attribute('gen_ai.provider.name', 'openai'),
  attribute('gen_ai.request.model', 'gpt-4o-mini'),
  { key: 'gen_ai.usage.input_tokens', value: { intValue: '120' } },
  { key: 'gen_ai.usage.output_tokens', value: { intValue: '40' } },
  attribute('gen_ai.input.messages', messages('user')),
  attribute('gen_ai.output.messages', messages('assistant')),
];

const messages = (role: string): string => JSON.stringify([{ role, parts: [{ type: 'text', content: sentence() }] }]);
const attribute = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
const word = (): string => WORDS[Math.floor(Math.random() * WORDS.length)]!;
const sentence = (): string => Array.from({ length: 25 }, word).join(' ');
