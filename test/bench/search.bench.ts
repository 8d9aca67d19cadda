import pg from 'pg';
import { afterAll, beforeAll, it } from 'vitest';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { ADMIN_TOKEN } from '../support/workspaces.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import {
  leaf,
  measureSearch,
  middleOf,
  pager,
  pick,
  REQUESTS,
  SEARCH_COLUMNS,
  type SearchAnswer,
  type SearchRequest,
} from './one-by-one.js';
import { benchPlans } from './plans.js';
import { databaseSize, machine, describeMemory, printTable } from './report.js';
import { type LoadedWorkspace, loadRequestLogs, type SearchLoad } from './search-load.js';

const SEARCH = '/api/public/v2/requests/search';
const SUGGESTIONS = '/api/public/v2/requests/suggestions';

let server: Installation;
let api: ProductProcess;
let db: pg.Client;
let load: SearchLoad;

beforeAll(async () => {
  server = await startBenchInstallation({ ADMIN_TOKEN, SEARCHES_PER_MINUTE: '0', SUGGESTIONS_PER_MINUTE: '0' });
  api = await server.start('api', benchNodeOptions);
  const worker = await server.start('worker');
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  const start = performance.now();
  load = await loadRequestLogs(server, db);
  process.stdout.write(`Loaded ${load.logs} logs in ${Math.round((performance.now() - start) / 1000)} s.\n`);
  await worker.stop();
}, 1_800_000);
afterAll(async () => {
  await db.end();
  await server.close();
});

it('finds request logs', async () => {
  const rows = [['request', 'workspace', ...SEARCH_COLUMNS]];
  for (const workspace of [load.large, load.small]) {
    for (const [name, request] of Object.entries(requestsOf(workspace)))
      rows.push([name, String(workspace.logs), ...(await measureSearch(request))]);
  }
  printTable(
    `Search: ${load.logs} request logs, of which ${load.large.logs} in the large workspace and ${load.small.logs} in the small one; ` +
      `${REQUESTS} requests each over HTTP, one after the other, 25 items a page\n${await machine(server.databaseUrl)}\n` +
      `Memory of the api process: ${describeMemory(api.pid)}. Size of the database: ${await databaseSize(db)}.`,
    rows,
  );
});

benchPlans(() => {
  const workspaces = [load.large, load.small].map((each) => ({ name: String(each.logs), requests: requestsOf(each) }));
  return { server, db, workspaces };
});

const MODELS = ['gpt-4o-mini', 'gpt-4o', 'claude-3-5-sonnet-20241022', 'gemini-1.5-pro', 'mistral-large-latest'];
const SORTS = ['request_start_time', 'input_tokens', 'output_tokens', 'cost', 'latency_ms', 'status'];

/** With two letters exchanged. */
const misspelt = ([first, second, third, fourth, ...rest]: string) => [first, second, fourth, third, ...rest].join('');

const having = (...filters: object[]) => ({ filter_group: { filters } });
const model = () => leaf('engine', 'is', pick(MODELS));
const slow = () => leaf('latency_ms', 'gt', pick([500, 5000, 20_000]));
const user = () => leaf('metadata', 'key_equals', `user-${Math.floor(Math.random() * 1000)}`, 'user_id');

function requestsOf(workspace: LoadedWorkspace): Record<string, SearchRequest> {
  const { client, vocabulary } = workspace;
  const search = (body: object) => client.post<SearchAnswer>(SEARCH, { per_page: 25, ...body });
  const sorts = SORTS.flatMap((sort_by) =>
    ['asc', 'desc'].map((sort_order): [string, SearchRequest] => [
      `by ${sort_by} ${sort_order}`,
      () => search({ sort_by, sort_order }),
    ]),
  );
  const suggest = (query: string) => () => client.get<SearchAnswer>(`${SUGGESTIONS}?${query}`);
  return {
    newest: () => search({}),
    'newest, with names of prompts': () => search({ include_prompt_name: true }),
    ...Object.fromEntries(sorts),
    'cursor, page after page': pager((page) => client.post<SearchAnswer>(SEARCH, page)),
    'cursor, by cost': pager((page) =>
      client.post<SearchAnswer>(SEARCH, { sort_by: 'cost', sort_order: 'desc', ...page }),
    ),
    'page 1000 by number': () => search({ page: 1000 }),
    model: () => search(having(model())),
    'model, latency': () => search(having(model(), slow())),
    'model, latency, metadata': () => search(having(model(), slow(), user())),
    'model, by cost': () => search({ ...having(model()), sort_by: 'cost', sort_order: 'desc' }),
    tag: () => search(having(leaf('tags', 'contains', `tag-${Math.floor(Math.random() * 20)}`))),
    'rare tag': () => search(having(leaf('tags', 'contains', `rare-${50 * Math.floor(Math.random() * 10)}`))),
    session: () => search(having(leaf('metadata', 'key_equals', 'session-1000500000', 'session_id'))),
    prompt: () => search(having(leaf('prompt_id', 'is', pick(workspace.prompts)))),
    errors: () => search(having(leaf('status', 'is', 'ERROR'))),
    'not a model': () => search(having(leaf('engine', 'is_not', 'gpt-4o-mini'))),
    'model and a provider without it': () =>
      search(having(leaf('engine', 'is', 'gpt-4o'), leaf('provider_type', 'is', 'anthropic'))),
    'word, rare': () => search({ q: pick(vocabulary.rare) }),
    'word, medium': () => search({ q: pick(vocabulary.medium) }),
    'word, common': () => search({ q: pick(vocabulary.common) }),
    'two words, medium and common': () => search({ q: `${pick(vocabulary.medium)} ${pick(vocabulary.common)}` }),
    'two words, both medium': () => search({ q: `${pick(vocabulary.medium)} ${pick(vocabulary.medium)}` }),
    'word, misspelt': () => search({ q: misspelt(pick(vocabulary.medium)) }),
    'begin of a word': () => search({ q: pick(vocabulary.medium).slice(0, 4) }),
    'word and model': () => search({ q: pick(vocabulary.medium), ...having(model()) }),
    'word, medium, by cost': () => search({ q: pick(vocabulary.medium), sort_by: 'cost', sort_order: 'desc' }),
    phrase: () => search({ q: `"${pick(vocabulary.phrases)}"` }),
    'phrase of common words': () => search({ q: `"${pick(vocabulary.commonPhrases)}"` }),
    'text contains a phrase': () => search(having(leaf('input_text', 'contains', pick(vocabulary.phrases)))),
    'text contains a part of a word': () =>
      search(having(leaf('input_text', 'contains', middleOf(pick(vocabulary.medium))))),
    'suggest models': suggest('field=engine'),
    'suggest tags': suggest('field=tags&prefix=r'),
    'suggest metadata values': suggest('field=metadata_values&metadata_key=user_id'),
    'suggest output values': suggest('field=output_values&metadata_key=answer'),
    'suggest prompts': suggest('field=prompt'),
  };
}
