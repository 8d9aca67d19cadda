import pg from 'pg';
import { afterAll, beforeAll, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import type { Installation } from '../support/server-processes.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, printTable, quantile } from './report.js';

const PROMPTS = Number(process.env.BENCH_PROMPTS ?? 10_000);
const VERSIONS = Number(process.env.BENCH_VERSIONS ?? 50);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 1000);
const CLIENTS = 4;

let server: Installation;
let db: pg.Client;
let client: ApiClient;
let workspaceId: number;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  workspaceId = (await db.query<{ id: number }>('SELECT min(id) AS id FROM workspaces')).rows[0]!.id;
  await fillRegistry();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

const FORMATS = ['f-string', 'jinja2'] as const;

it(`renders prompts and lists them, with ${PROMPTS} prompts of ${VERSIONS} versions`, async () => {
  const limit = await measure(
    () => db.query('SELECT template FROM prompt_versions WHERE workspace_id = $1 LIMIT 1', [workspaceId]),
    1,
  );
  const rows = [['request', 'clients', 'p50 ms', 'p95 ms', 'p99 ms', 'of a bare query']];
  for (const [name, request] of requests()) {
    for (const clients of [1, CLIENTS]) {
      await measure(request, clients, 100);
      const latencies = await measure(request, clients);
      const columns = [0.5, 0.95, 0.99].map((share) => quantile(latencies, share).toFixed(1));
      rows.push([name, String(clients), ...columns, (median(latencies) / median(limit)).toFixed(1)]);
    }
  }
  printTable(
    `Prompts: ${PROMPTS} prompts of ${VERSIONS} versions, ${REQUESTS} requests each over HTTP, 2.3 KB of messages\n` +
      `${await machine(server.databaseUrl)}\nA bare query reads one template by its key over one connection.`,
    rows,
  );
});

function requests(): [string, () => Promise<unknown>][] {
  const any = (count: number) => 1 + Math.floor(Math.random() * count);
  const name = (format: string) => `bench/${format}/${any(PROMPTS / 4) * 4 + (format === 'jinja2' ? 1 : 0)}`;
  const render = (path: string, body: object) =>
    client.post(`/prompt-templates/${path}`, { input_variables: VARIABLES, ...body });
  const list = (query: string) => () => client.get(`/prompt-templates?${query}`);
  const rendered = FORMATS.map((format): [string, () => Promise<unknown>] => [
    `rendered, ${format}`,
    () => render(encodeURIComponent(name(format)), {}),
  ]);
  return [
    ...rendered,
    ['rendered, by label', () => render(encodeURIComponent(name('f-string')), { label: 'prod' })],
    ['rendered, by version', () => render(encodeURIComponent(name('f-string')), { version: any(VERSIONS) })],
    ['rendered, with snippets', () => render(encodeURIComponent(`bench/snippets/${any(PROMPTS / 4) * 4 + 2}`), {})],
    ['list', list('')],
    ['list, last page', list(`page=${Math.floor(PROMPTS / 30)}`)],
    ['list, name', list('name=string/12')],
    ['list, tags', list('tags=tag1,even')],
    ['list, label', list('label=prod')],
    ['list, snippets', list('is_snippet=true')],
    ['list, creator', list('created_by_email=nobody@example.com')],
    ['list, times', list('created_after=2020-01-01&updated_before=2100-01-01')],
    ['list, external id', list('external_source=bench&external_id=77')],
    ['list, by name', list('sort_by=name&sort_order=asc')],
    [
      'list, all filters',
      list('name=bench&tags=even&label=prod&is_snippet=false&created_after=2020-01-01&sort_by=updated_at'),
    ],
    ['folder', () => client.get(`/api/public/v2/folders/entities?folder_id=${folderId}&include_metadata=true`)],
    ['folders, search', () => client.get('/api/public/v2/folders/entities?flatten=true&search_query=string%2F123')],
  ];
}

const VARIABLES = { name: 'Ada', items: ['a book', 'a map', 'a lamp'], tone: 'friendly' };
let folderId: number;

/** Milliseconds of each request, with so many under way at any moment. */
async function measure(request: () => Promise<unknown>, clients: number, count = REQUESTS): Promise<number[]> {
  const latencies: number[] = [];
  const one = async () => {
    while (latencies.length < count) {
      const start = performance.now();
      await request();
      latencies.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  return latencies;
}

/** The rows only have to be there: publishing half a million versions over HTTP would take an hour. */
async function fillRegistry(): Promise<void> {
  const publish = (body: object) => client.post<{ id: number }>('/rest/prompt-templates', body);
  await publish(snippet());
  ({
    folder: { id: folderId },
  } = await client.post<{ folder: { id: number } }>('/api/public/v2/folders', { name: 'Bench' }));
  const models = [
    published('bench/f-string/0', 'f-string'),
    published('bench/jinja2/1', 'jinja2'),
    published('bench/snippets/2', 'f-string', '@@@bench-snippet@@@'),
  ];
  const ids: number[] = [];
  for (const body of models) ids.push((await publish(body)).id);
  await db.query(
    `INSERT INTO prompts (workspace_id, name, type, is_snippet, tags, folder_id, latest_version, created_at)
     SELECT p.workspace_id, left(p.name, -1) || i, p.type, false, ARRAY['tag' || i % 50, CASE i % 2 WHEN 0 THEN 'even' ELSE 'odd' END],
            CASE WHEN i < 400 THEN $3::int END, $4, now() - i * interval '1 minute'
       FROM generate_series(4, $2::int) i JOIN prompts p ON p.id = ($1::int[])[1 + least(i % 4, 2)]`,
    [ids, PROMPTS + 3, folderId, VERSIONS],
  );
  await db.query(
    `INSERT INTO prompt_versions (workspace_id, prompt_id, number, template, metadata)
     SELECT v.workspace_id, p.id, n, v.template, v.metadata
       FROM prompts p JOIN prompt_versions v ON v.prompt_id = ($1::int[])[CASE split_part(p.name, '/', 2) WHEN 'f-string' THEN 1 WHEN 'jinja2' THEN 2 ELSE 3 END]
            , generate_series(1, $2::int) n
      WHERE p.name LIKE 'bench/%' AND NOT p.id = ANY ($1::int[])`,
    [ids, VERSIONS],
  );
  await db.query(
    `INSERT INTO prompt_snippets (workspace_id, prompt_id, version_number, reference, snippet_id)
     SELECT workspace_id, id, latest_version, 'bench-snippet', (SELECT id FROM prompts WHERE name = 'bench-snippet')
       FROM prompts WHERE name LIKE 'bench/snippets/%' ON CONFLICT DO NOTHING`,
  );
  await db.query(`INSERT INTO prompt_labels (workspace_id, prompt_id, name, version_number)
     SELECT workspace_id, id, 'prod', latest_version / 2 + 1 FROM prompts WHERE name LIKE 'bench/%' ON CONFLICT DO NOTHING`);
  await db.query(`INSERT INTO external_ids (workspace_id, source, external_id, entity_type, entity_id)
     SELECT workspace_id, 'bench', row_number() OVER (), 'prompt', id FROM prompts`);
  await db.query(`INSERT INTO prompt_texts (workspace_id, prompt_id, text)
     SELECT workspace_id, id, (SELECT text FROM prompt_texts LIMIT 1) FROM prompts ON CONFLICT DO NOTHING`);
  await db.query('VACUUM ANALYZE');
}

function published(name: string, format: (typeof FORMATS)[number], extra = ''): object {
  const filler = 'You know the shelves of this bookshop by heart and never make a title up. '.repeat(20);
  const list = format === 'jinja2' ? '{% for item in items %}- {{ item }}\n{% endfor %}' : '{items}';
  const variable = (key: string) => (format === 'jinja2' ? `{{ ${key} }}` : `{${key}}`);
  const text = `${extra}${filler}Be ${variable('tone')}. Greet ${variable('name')} and offer:\n${list}`;
  const message = (role: string, content: string) => ({
    role,
    content: [{ type: 'text', text: content }],
    template_format: format,
  });
  return {
    prompt_template: { prompt_name: name },
    prompt_version: {
      prompt_template: {
        type: 'chat',
        messages: [message('system', text), message('user', `I am ${variable('name')}. ${filler}`)],
      },
      metadata: { model: { provider: 'openai', name: 'gpt-4o-mini', parameters: { temperature: 0.2 } } },
    },
  };
}

function snippet(): object {
  const content = [{ type: 'text', text: 'Answer in the language of the customer, whatever it is. '.repeat(10) }];
  return {
    prompt_template: { prompt_name: 'bench-snippet', is_snippet: true },
    prompt_version: { prompt_template: { type: 'completion', content } },
  };
}
