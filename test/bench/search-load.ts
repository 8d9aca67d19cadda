import type pg from 'pg';
import type { ApiClient } from '../support/api-client.js';
import { spanId, traceId } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { type NewWorkspace, createWorkspace } from '../support/workspaces.js';
import { SCALE } from './bench-installation.js';
import { type Copied, count, multiplyRows } from './multiply.js';
import { prose, type Vocabulary, vocabularyOf } from './search-prose.js';

/** Request logs by workspace: one large, one of a middle size, and small ones. They add up to a million. */
const SHARES = [800_000, 140_000, ...Array<number>(5).fill(10_000), ...Array<number>(10).fill(1000)];
const SEEDS = { most: 3000, share: 20 };
const PER_REQUEST = 100;
/** Characters of a question and of an answer: with what is around them 1.5 KB. */
export const TEXT_LENGTH = 1450;
const DAYS = 90;
/** A million logs take some ten minutes. */
const INDEXING_MS = 3_600_000;
const PROMPTS = 20;

export interface LoadedWorkspace extends NewWorkspace {
  logs: number;
  /** Ids of its prompts. */
  prompts: number[];
  vocabulary: Vocabulary;
}

export interface SearchLoad {
  large: LoadedWorkspace;
  small: LoadedWorkspace;
  logs: number;
}

/**
 * Fills an installation with a million request logs of 1.5 KB in and 1.5 KB out. Some thousand different ones come over
 * HTTP; they are then copied in the database with times, costs, latencies, sessions and one
 * word of their own, in the order of their times, as if they had come over 90 days. `scale` is the part of them that is
 * loaded.
 */
export async function loadRequestLogs(server: Installation, db: pg.Client, scale = SCALE): Promise<SearchLoad> {
  const workspaces: LoadedWorkspace[] = [];
  for (const share of SHARES) workspaces.push(await seedWorkspace(server, Math.round(share * scale)));
  await until(async () => (await count(db, 'request_log_search_queue')) === 0, 300_000);
  const tables = { request_logs: { key: 'id', own: COPIED } };
  await multiplyRows(db, tables, { plan: () => planCopies(db, workspaces), ownWord: 'id' });
  await db.query(
    'INSERT INTO request_log_search_queue SELECT workspace_id, id FROM request_logs ON CONFLICT DO NOTHING',
  );
  await until(async () => (await count(db, 'request_log_search_queue')) === 0, INDEXING_MS);
  const [large, , small] = workspaces;
  return { large: large!, small: small!, logs: await count(db, 'request_logs') };
}

async function seedWorkspace(server: Installation, logs: number): Promise<LoadedWorkspace> {
  const workspace = await createWorkspace(server, `Bench of ${logs}`);
  const { client } = workspace;
  const prompts = await publishPrompts(client);
  const seeds = Math.min(SEEDS.most, Math.max(PER_REQUEST, Math.round(logs / SEEDS.share)));
  const texts: string[] = [];
  for (let sent = 0; sent < seeds; sent += PER_REQUEST) texts.push(...(await sendSeeds(client, prompts)));
  return { ...workspace, logs, prompts, vocabulary: vocabularyOf(texts) };
}

async function publishPrompts(client: ApiClient): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < PROMPTS; index++) {
    const content = [{ type: 'text', text: 'Answer {question}' }];
    const published = await client.post<{ id: number }>('/rest/prompt-templates', {
      prompt_template: { prompt_name: `bench/${index}`, tags: [] },
      prompt_version: {
        prompt_template: { type: 'chat', messages: [{ role: 'user', content }] },
        metadata: null,
      },
    });
    ids.push(published.id);
  }
  return ids;
}

const MODELS = [
  ['openai', 'gpt-4o-mini', 50],
  ['openai', 'gpt-4o', 25],
  ['anthropic', 'claude-3-5-sonnet-20241022', 15],
  ['google', 'gemini-1.5-pro', 9],
  ['mistral', 'mistral-large-latest', 1],
] as const;

let counter = 0;

async function sendSeeds(client: ApiClient, prompts: number[]): Promise<string[]> {
  const texts: string[] = [];
  const spans = Array.from({ length: PER_REQUEST }, () => {
    const [input, output] = [prose(TEXT_LENGTH), prose(TEXT_LENGTH)];
    texts.push(`${input} ${output}`);
    return seedSpan(input, output, prompts);
  });
  await client.post('/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
  return texts;
}

/** A call of a model as OTLP/JSON, in a trace of its own. A third of them name one of the prompts. */
export function seedSpan(input: string, output: string, prompts: number[]): object {
  const number = counter++;
  const [provider, model] = modelOf(number % 100);
  const startMs = Date.now() - 1000;
  const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const texts: Record<string, string> = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'gen_ai.input.messages': said('user', input),
    'gen_ai.output.messages': said('assistant', number % 10 === 0 ? JSON.stringify({ answer: output }) : output),
    'promptlayer.tags': JSON.stringify(tagsOf(number)),
    'promptlayer.metadata.user_id': `user-${number % 1000}`,
    'promptlayer.metadata.session_id': `session-${number}`,
    'promptlayer.metadata.team': `team-${number % 7}`,
    ...(number % 3 === 0 && { 'promptlayer.prompt.name': `bench/${number % prompts.length}` }),
    ...(number % 3 === 0 && { 'promptlayer.prompt.input_variables': JSON.stringify({ question: 'What?' }) }),
  };
  return {
    traceId: traceId(),
    spanId: spanId(),
    name: `chat ${model}`,
    kind: 3,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${startMs + 900}000000`,
    ...(number % 33 === 0 && { status: { code: 2, message: 'Something failed.' } }),
    attributes: [
      ...Object.entries(texts).map(([key, stringValue]) => ({ key, value: { stringValue } })),
      // A twentieth of the calls do not say what they used.
      ...(number % 20 === 1 ? [] : tokensOf(number)),
    ],
  };
}

function modelOf(percent: number): readonly [string, string, number] {
  let rest = percent;
  return MODELS.find(([, , share]) => (rest -= share) < 0)!;
}

/** One of 20 common tags, and for one in 50 a rare one. */
function tagsOf(number: number): string[] {
  return [`tag-${number % 20}`, ...(number % 50 === 0 ? [`rare-${number % 500}`] : [])];
}

function tokensOf(number: number): object[] {
  return [
    { key: 'gen_ai.usage.input_tokens', value: { intValue: 200 + (number % 3000) } },
    { key: 'gen_ai.usage.output_tokens', value: { intValue: 50 + (number % 700) } },
  ];
}

const COPIED: Copied['own'] = {
  id: 'c.id',
  request_start_time: 'c.started',
  request_end_time: "c.started + c.latency * interval '1 millisecond'",
  latency_ms: 'c.latency',
  price: 'o.price * c.factor',
  input_tokens: '(o.input_tokens * c.factor)::int',
  output_tokens: '(o.output_tokens * c.factor)::int',
  created_at: 'c.started',
  trace_id: 'NULL',
  span_id: 'NULL',
  input: `jsonb_set(o.input, '{messages,0,content,0,text}',
    to_jsonb((o.input #>> '{messages,0,content,0,text}') || ' only' || c.id))`,
  metadata: `o.metadata || jsonb_build_object('session_id', 'session-' || c.id)`,
  facets: `array_replace(o.facets, o.workspace_id || ':m:session_id=' || (o.metadata ->> 'session_id'),
    o.workspace_id || ':m:session_id=session-' || c.id)`,
};

/** Times of the copies of each log; ids rise with the times. Every workspace gets its number of logs. */
async function planCopies(db: pg.Client, workspaces: LoadedWorkspace[]): Promise<void> {
  await db.query('SELECT setseed(0.5)');
  await db.query(
    `CREATE TABLE bench_copies AS
     SELECT row_number() OVER (ORDER BY started) + $3 AS id, workspace_id, original, started,
            0.5 + random() AS factor, round((200 * exp(random() * 5))::numeric, 1)::float8 AS latency
       FROM (SELECT w.id AS workspace_id, s.ids[1 + i % cardinality(s.ids)] AS original,
                    now() - random() * interval '${DAYS} days' AS started
               FROM unnest($1::int[], $2::int[]) AS w(id, logs)
               JOIN (SELECT workspace_id, array_agg(id) AS ids FROM request_logs GROUP BY workspace_id) s
                 ON s.workspace_id = w.id,
                    generate_series(1, w.logs - cardinality(s.ids)) i) AS planned
      ORDER BY id`,
    [workspaces.map(({ id }) => id), workspaces.map(({ logs }) => logs), 1_000_000_000],
  );
}
