import pg from 'pg';
import { afterAll, beforeAll, it } from 'vitest';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN, createWorkspace, type NewWorkspace } from '../support/workspaces.js';
import { SCALE, startBenchInstallation } from './bench-installation.js';
import { measureSearch, oneByOne, columnsOf, REQUESTS, SEARCH_COLUMNS, type SearchAnswer } from './one-by-one.js';
import { machine, printTable } from './report.js';
import { count } from './multiply.js';
import { seedSpan } from './search-load.js';

const LOGS = Math.round(100 * SCALE);
/** With eight letters each, a log takes one megabyte. */
const WORDS = 110_000;

let server: Installation;
let db: pg.Client;
let workspace: NewWorkspace;
let indexing: { seconds: number; text: number };

beforeAll(async () => {
  server = await startBenchInstallation({ ADMIN_TOKEN, SEARCHES_PER_MINUTE: '0' });
  await server.start('api');
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  workspace = await createWorkspace(server, 'Different words');
  for (let log = 0; log < LOGS; log++) {
    const spans = [seedSpan(wordsOf(log).join(' '), `the answer to number${log}`, [])];
    await workspace.client.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  }
  const start = performance.now();
  const worker = await server.start('worker');
  await until(async () => (await count(db, 'request_log_search_queue')) === 0, 1_800_000);
  indexing = { seconds: (performance.now() - start) / 1000, text: LOGS * WORDS * 9 };
  await worker.stop();
}, 2_400_000);
afterAll(async () => {
  await db.end();
  await server.close();
});

it('finds words in logs of many different words', async () => {
  const first = wordsOf(0);
  const asked: Record<string, string> = {
    'word of one log': first[0]!,
    'its last word': first.at(-1)!,
    'beginning of words in most logs': first[5]!.slice(0, 3),
    'word of all logs': 'answer',
    'two words of one log': `${first[10]} ${first.at(-10)}`,
    'phrase of one log': `"${first.slice(-30, -27).join(' ')}"`,
    'word that is nowhere': 'w00000000',
  };
  const rows = [['request', ...SEARCH_COLUMNS]];
  for (const [name, q] of Object.entries(asked)) rows.push([name, ...(await measureSearch(() => search(q), REQUESTS))]);
  const fourAtOnce = await oneByOne(REQUESTS, () => Promise.all(first.slice(0, 4).map((q) => search(q))));
  rows.push(['word of one log, four at once', ...columnsOf(fourAtOnce.latencies), '', '']);
  printTable(
    `${LOGS} logs with ${WORDS} different words each; ${REQUESTS} searches each over HTTP\n${await machine(server.databaseUrl)}\n` +
      `Indexed in ${indexing.seconds.toFixed(0)} s. Texts: ${megabytes(indexing.text)}, index: ${await sizeOf('search_segments', 'search_postings', 'search_values', 'search_documents', 'search_word_lists')}, ` +
      `vocabulary: ${await sizeOf('vocabulary')}.`,
    rows,
  );
});

const search = (q: string) => workspace.client.post<SearchAnswer>('/api/public/v2/requests/search', { q });

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;

async function sizeOf(...tables: string[]): Promise<string> {
  const { rows } = await db.query<{ bytes: string }>(
    'SELECT sum(pg_total_relation_size(t::regclass)) AS bytes FROM unnest($1::text[]) AS t',
    [tables],
  );
  return megabytes(Number(rows[0]!.bytes));
}

/** The same for the same log, and hardly one that another log has. */
function wordsOf(log: number): string[] {
  let state = log * 7919 + 1;
  return Array.from({ length: WORDS }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    return `w${(state >>> 0).toString(36).padStart(7, '0')}`;
  });
}
