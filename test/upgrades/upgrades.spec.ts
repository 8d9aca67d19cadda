import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { restoreBackup } from '../../src/platform/backup/restore-backup.js';
import { migrate } from '../../src/platform/database/migrate.js';
import type { Client } from '../support/client.js';
import { emptyDatabase } from '../support/database.js';
import { logCall } from '../support/otlp.js';
import { publishPrompt, renderPrompt, textsOf } from '../support/prompts.js';
import { readSchema, type SchemaRow } from '../support/schema.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import {
  backupOf,
  keptReleases,
  migrationsOf,
  type RecordedAnswer,
  type Release,
  schemaFileOf,
  schemaText,
} from './releases.js';
import { conflictsWith, UNUSED } from './schema-conflicts.js';

const releases = keptReleases();
const newest = releases.at(-1)!;

async function schemaOf(url: string): Promise<SchemaRow[][]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await readSchema(async (sql) => (await client.query<SchemaRow>(sql)).rows);
  } finally {
    await client.end();
  }
}

/** Fields that are computed for every answer. Their method may have improved since the release. */
const ESTIMATED = ['confidence_interval', 'p_value', 'method'];

const withoutEstimates = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member: unknown) => (ESTIMATED.includes(key) ? undefined : member)));

/** Answers may say more than they did, and never less; and keys may do more than they could. */
function expectAsRecorded({ status, body }: { status: number; body: unknown }, recorded: RecordedAnswer): void {
  const isComparison = /\/comparison\b/.test(recorded.url);
  const told = isComparison ? withoutEstimates(recorded.answer) : recorded.answer;
  const answer = (told ?? expect.anything()) as { permissions?: string[] };
  const { permissions } = answer;
  expect({ status, answer: body }).toMatchObject({
    status: recorded.status,
    answer: permissions ? { ...answer, permissions: expect.arrayContaining(permissions) as string[] } : answer,
  });
}

async function readsEverything(client: Client, answers: RecordedAnswer[]): Promise<void> {
  const lost: string[] = [];
  for (const recorded of answers) {
    const { method, url, body } = recorded;
    try {
      expectAsRecorded(await client.request(method, url, body), recorded);
    } catch (error) {
      lost.push(`${method} ${url}: ${(error as Error).message}`);
    }
  }
  expect(lost).toEqual([]);
}

/** Daily work: a call, a search, an edit, a prompt, a workflow, an evaluation, a key. */
async function worksOn(client: Client, { sheet }: Release): Promise<void> {
  const word = `w${randomUUID().replaceAll('-', '')}`;
  const id = await logCall(client, { input: `a question with ${word}` });
  await until(async () => {
    const { items } = (await client.post('/api/public/v2/requests/search', { q: word })) as { items: { id: number }[] };
    return items.some((item) => item.id === id);
  });
  await edits(client, sheet, word);
  const prompt = await publishPrompt(client, `prompt-${word}`);
  expect(textsOf(await renderPrompt(client, prompt.id)).length).toBeGreaterThan(0);
  await runs(client);
  await client.post('/api/admin/v1/workspaces/1/api-keys', { name: word }, 201);
}

interface Rows {
  columns: { id: string; title: string }[];
  data: { cells: Record<string, { id: string; value: unknown; status: string }> }[];
}

/** A cell follows the edit of another. */
async function edits(client: Client, sheet: string, word: string): Promise<void> {
  const read = async () => (await client.get(`${sheet}/rows`)) as Rows;
  const { columns, data } = await read();
  const [output, words] = ['output', 'Words'].map((title) => columns.find((column) => column.title === title)!.id);
  await client.patch(`${sheet}/cells`, {
    cells: [{ cell_id: data[0]!.cells[output!]!.id, value: `${word} and more` }],
  });
  await until(async () => {
    const { status, value } = (await read()).data[0]!.cells[words!]!;
    return status === 'completed' && value === 3;
  });
}

async function runs(client: Client): Promise<void> {
  const input_variables = { question: 'Where is the parcel that I ordered on Monday?' };
  const run = (await client.post('/workflows/question-letter/run', { input_variables }, 201)) as {
    workflow_version_execution_id: number;
  };
  const { report_id: report } = (await client.post('/reports/1/run', { name: randomUUID() }, 201)) as {
    report_id: number;
  };
  await until(async () => {
    const results = await client.request(
      'GET',
      `/workflow-version-execution-results?workflow_version_execution_id=${run.workflow_version_execution_id}`,
    );
    const { status } = (await client.get(`/reports/${report}`)) as { status: string };
    return results.status === 200 && status === 'COMPLETED';
  });
}

/** Changes that a later release may make to the tables while processes of this one work. */
const EXPAND = `
  DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migrations' LOOP
      EXECUTE format('ALTER TABLE %I ADD COLUMN later_text text, ADD COLUMN later_number integer NOT NULL DEFAULT 0', name);
    END LOOP;
    CREATE TABLE later_things (workspace_id integer, id integer, PRIMARY KEY (workspace_id, id));
    INSERT INTO migrations (timestamp, name) VALUES (9990000000000, 'Later9990000000000');
  END $$`;

describe.each(releases)('an installation of version $version', (release) => {
  const { version, apiKey, viewerKey, secretsKey, answers } = release;
  let app: TestApp;
  /** Schemas made by the migrations of that release, and after the migrations of today. */
  let made: SchemaRow[][];
  let today: SchemaRow[][];

  beforeAll(async () => {
    const database = await emptyDatabase();
    await migrate(database.url, { wanted: migrationsOf(version) });
    made = await schemaOf(database.url);
    await restoreBackup(database.url, backupOf(version));
    today = await schemaOf(database.url);
    app = await TestApp.start({ installation: { ...database, apiKey }, env: { SECRETS_KEY: secretsKey } });
  });
  afterAll(() => app?.stop());

  it('had the schema that its migrations still make', async () => {
    await expect(schemaText(made)).toMatchFileSnapshot(schemaFileOf(version));
  });

  it('has everything that it had, and its keys', async () => {
    await readsEverything(app.client, answers);
    const viewer = app.clientWith(viewerKey);
    expect(await viewer.get('/api/public/v2/me')).toMatchObject({ api_key: { name: 'Reads only' } });
    await viewer.post('/api/public/v2/tables', { title: 'None' }, 403);
  });

  it('works on', () => worksOn(app.client, release));

  it('has a schema that its processes can live with, as they run beside those of today during an update', () => {
    if (release === newest) expect(conflictsWith(made[0]!, today[0]!, UNUSED[version])).toEqual([]);
  });

  it('works on when a later release has expanded the schema under the processes that run', async () => {
    await app.sql(EXPAND);
    await worksOn(app.client, release);
    await app.client.get(`${release.sheet}/versions`);
  });
});

it.each([
  ['a column that is gone', { column: 'other' }, ['things.name is gone.']],
  ['another type', { type: 'integer' }, ['things.name was text and is integer.']],
  ['a column that must be there', { required: true }, ['things.name could be null.']],
])('an update does not bear %s', (_, change, conflicts) => {
  const column = { table: 'things', column: 'name', type: 'text', required: false, identity: '', fallback: null };
  expect(conflictsWith([column], [{ ...column, ...change }])).toEqual(conflicts);
  expect(conflictsWith([column], [column, { ...column, column: 'new' }])).toEqual([]);
  expect(conflictsWith([column], [column, { ...column, column: 'new', required: true, fallback: '0' }])).toEqual([]);
  expect(conflictsWith([column], [column, { ...column, column: 'new', required: true }])).toEqual([
    'things.new is new and has to be given.',
  ]);
  expect(conflictsWith([column], [{ ...column, ...change }], ['things.name'])).toEqual([]);
});
