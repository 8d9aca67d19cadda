import { ApiClient } from '../../../src/embedded/api-client.js';
import { addExampleData } from '../../../src/embedded/demo/demo.js';
import type { Client } from '../../support/client.js';
import { contains, newDataset, newReport, runReport } from '../../support/evaluations.js';
import { addColumn, addCount, cellsOf, newSheet, settled, TABLES, type TestSheet } from '../../support/factories.js';
import { FakeVendors } from '../../support/fake-vendors.js';
import { addCredential } from '../../support/model-credentials.js';
import { llmSpan, send, span, spanId, traceId } from '../../support/otlp.js';
import { patchPrompt, readPrompt } from '../../support/prompts.js';
import { calculateScorecard } from '../../support/scorecards.js';
import { calculateScore, configureScore, textSheet } from '../../support/scores.js';
import { newTable, sheetFromFile } from '../../support/sheets.js';
import { createSkills, filesOf, saveSkills } from '../../support/skills.js';
import { sweepUntil } from '../../support/sweeps.js';
import { createTool, definitionOf, executionOf, TOOLS } from '../../support/tools.js';
import { until } from '../../support/until.js';
import { createWebhook, deliveriesOf, IMPATIENT, NEWS, Receiver } from '../../support/webhooks.js';
import { code, edge, nodesOf, saveWorkflow, startRun, when } from '../../support/workflow-runs.js';
import { ConsoleApp } from './console-app.js';
import { largeTrace } from './large-trace.js';
import { pathOf } from './sheet-page.js';

const PROMPT = 'support-answer';
const KEYS = '/api/admin/v1/workspaces/1/api-keys';
const LONG = 'A title that somebody has written without thinking of how wide a column is, or a window';
const FAILED = { status: { code: 2, message: '429 Rate limit reached for requests per minute (limit 500, used 500)' } };

export const ENV = {
  ...IMPATIENT,
  EXTERNAL_BACKOFF_MS: '10',
  LLM_DEFAULT_MODEL: 'openai/gpt-4.1-mini',
  TABLES_RECALC_CONFIRM_THRESHOLD: '3',
};

/** Times of a span that began so many hours ago and took so many seconds. */
function ago(hours: number, seconds = 2): object {
  const start = BigInt(Math.round(Date.now() - hours * 3_600_000)) * 1_000_000n;
  return { startTimeUnixNano: String(start), endTimeUnixNano: String(start + BigInt(seconds) * 1_000_000_000n) };
}

const call = (hours: number, said: object = {}, fields: object = {}) =>
  llmSpan(said, { traceId: traceId(), spanId: spanId(), ...ago(hours), ...fields });

/** A server with something of everything that a screen can show, and who may look at it. */
export class ScreenData {
  private constructor(
    readonly console: ConsoleApp,
    private readonly vendors: FakeVendors,
    private readonly receiver: Receiver,
    /** The paths of screens that have an id in them, by what they show. */
    readonly paths: Record<string, string>,
    /** Keys by their holders: `viewer` may only look, and `newcomer` has an empty workspace. */
    readonly keys: Record<string, string>,
  ) {}

  static async start(): Promise<ScreenData> {
    const vendors = await FakeVendors.start();
    const receiver = await Receiver.start();
    const console = await ConsoleApp.start({ env: ENV });
    const { client, apiKey } = console.app;
    await addExampleData(new ApiClient([console.url], apiKey));
    const keys = await addKeys(console, client);
    const { webhook } = await createWebhook(client, 1, { url: receiver.url, name: 'Deployment bot' });
    const paths = {
      ...(await addTraces(client)),
      ...(await addPrompt(client)),
      ...(await addEvaluation(client)),
      ...(await addWorkflow(client)),
      ...(await addToolAndSkills(client)),
      ...(await addSheets(client, vendors)),
      ...(await addFolders(client)),
    };
    await sweepUntil(console.app, NEWS, async () =>
      (await deliveriesOf(client, webhook)).some(({ status }) => status === 'delivered'),
    );
    return new ScreenData(console, vendors, receiver, paths, keys);
  }

  async stop(): Promise<void> {
    await this.vendors.stop();
    await this.receiver.stop();
    await this.console.stop();
  }
}

async function addKeys(console: ConsoleApp, client: Client): Promise<Record<string, string>> {
  const viewer = (await client.post(KEYS, { name: 'Reader', role: 'viewer' }, 201)) as { secret: string };
  await client.post(KEYS, { name: LONG, role: 'member', allowed_networks: ['192.0.2.0/24', '2001:db8::/32'] }, 201);
  return { viewer: viewer.secret, newcomer: (await console.app.stranger()).apiKey! };
}

async function addTraces(client: Client): Promise<Record<string, string>> {
  const [failing, large] = [traceId(), traceId()];
  const root = spanId();
  const job = (hours: number, seconds: number) => span({ name: 'nightly job', ...ago(hours, seconds) });
  await send(client, [
    ...Array.from({ length: 90 }, (_, at) => call(2 + at * 1.3, { input: `Old question ${at}` })),
    ...[3, 4, 9].map((hours) => call(hours, { model: 'house-model', provider: 'house' })),
    ...[5, 6, 26].map((hours) => call(hours, { input: LONG }, FAILED)),
    job(3, 3_900),
    job(30, 400),
    span({ traceId: failing, spanId: root, name: 'plan a journey', ...ago(1, 12) }),
    llmSpan({ model: 'gpt-4o', input: LONG }, { traceId: failing, parentSpanId: root, ...ago(1, 3), ...FAILED }),
    llmSpan({ output: LONG.repeat(30) }, { traceId: failing, parentSpanId: root, ...ago(0.999, 8) }),
  ]);
  await send(client, largeTrace(large, 2000));
  await send(client, [span({ spanId: 'short' }), span({ spanId: 'short' }), span({ name: 7 })]);
  await until(
    async () => ((await client.get('/api/public/v2/ingest/refusals')) as { data: unknown[] }).data.length > 0,
  );
  const { items } = (await client.post('/api/public/v2/traces/search', { q: 'kettle' })) as {
    items: { trace_id: string; name: string }[];
  };
  const answered = items.find(({ name }) => name === 'answer customer')!.trace_id;
  const at = (id: string) => `/console/traces/${id}`;
  return { trace: at(answered), failingTrace: at(failing), largeTrace: at(large) };
}

async function addPrompt(client: Client): Promise<Record<string, string>> {
  const { id } = await readPrompt(client, PROMPT);
  const text = [{ type: 'text', text: 'Answer briefly, and in the language of the question.\n\n{question}' }];
  const messages = [{ role: 'user', content: text }];
  await patchPrompt(client, id, { messages, commit_message: 'Brief, and in their language' });
  await client.post(`/prompts/${id}/label`, { name: 'canary', prompt_version_number: 2 });
  return { prompt: `/console/prompts/${id}` };
}

async function addEvaluation(client: Client): Promise<Record<string, string>> {
  const rows = Array.from({ length: 12 }, (_, at) => ({ answer: at % 2 ? 'You get a refund.' : 'No.' }));
  const { id, columns } = await newReport(client, await newDataset(client, rows), [contains('Good', 'refund')], {
    name: 'Refunds',
    tags: ['nightly'],
  });
  await runReport(client, id, { name: 'First' });
  await client.patch(`/report-columns/${columns.find(({ name }) => name === 'Good')!.id}`, {
    report_id: id,
    column_type: 'CONTAINS',
    configuration: { source: 'answer', value: 'money' },
  });
  await runReport(client, id, { name: 'With the shorter prompt' });
  const sheet = await textSheet(
    client,
    ['question', 'Output'],
    [
      ['May I return it?', 'You get a refund.'],
      ['Where is it?', 'No.'],
    ],
  );
  const step = (regex_pattern: string) => ({
    title: 'Refund',
    primitive_type: 'REGEX',
    primitive_config: { source: 'Output', regex_pattern },
  });
  const run = await calculateScorecard(client, sheet, [step('refund')]);
  const changedRun = await calculateScorecard(client, sheet, [step('money')]);
  return {
    scored: pathOf(sheet),
    evaluation: `/console/evaluations/${id}`,
    judged: `table=${sheet.tableId}&sheet=${sheet.id}`,
    run: run.id,
    changedRun: changedRun.id,
  };
}

async function addWorkflow(client: Client): Promise<Record<string, string>> {
  const nodes = [
    code('Words', 'return data.question.split(" ")', ['question']),
    code('Long question', 'return "Ask for one thing at a time."', ['Words']),
    code('Short question', 'return "Answer it."', ['Words']),
  ].map((node, at) => ({ ...node, is_output_node: at > 0 }));
  const edges = [
    edge('Words', 'Long question', when({ of: 'Words' }, 'is_null')),
    edge('Words', 'Short question', when({ of: 'Words' }, 'is_not_null')),
  ];
  const inputs = { question: 'string', options: 'object' };
  const { id } = await saveWorkflow(client, { name: 'triage', inputs, nodes, edges, release_labels: ['production'] });
  const run = await startRun(
    client,
    id,
    { question: LONG, options: { language: 'en' } },
    { metadata: { by: 'night' } },
  );
  await nodesOf(client, run);
  return { workflow: `/console/workflows/${id}`, workflowRun: `/console/workflows/${id}?run=${run}` };
}

async function addToolAndSkills(client: Client): Promise<Record<string, string>> {
  const execution = executionOf('javascript', 'console.log("asked");\nreturn { days: [1, 2] };');
  const tool = await createTool(client, 'forecast', { description: LONG });
  await client.post(`${TOOLS}/${tool}/versions`, { tool_definition: definitionOf('forecast'), execution }, 201);
  const { skill_collection: skill } = await createSkills(client, 'support', {
    'refunds/SKILL.md': LONG,
    'old.md': 'Old',
  });
  await saveSkills(client, skill.id, { file_updates: filesOf({ 'refunds/SKILL.md': 'Short' }), deletes: ['old.md'] });
  return { tool: `/console/tools/${tool}`, skill: `/console/skills/${skill.id}` };
}

async function addSheets(client: Client, vendors: FakeVendors): Promise<Record<string, string>> {
  await addCredential(client, { provider: 'openai', base_url: `${vendors.url}/v1` });
  const { data } = (await client.get(`${TABLES}?name=Support`)) as { data: { id: string }[] };
  return {
    example: `/console/tables/${data[0]!.id}`,
    states: pathOf(await statesSheet(client, vendors)),
    fallen: pathOf(await fallenSheet(client)),
    wide: await wideSheet(client),
    blank: `/console/tables/${(await newTable(client)).id}`,
  };
}

/** A folder in a folder with a dataset, whose first version is there, and a variable of the workspace. */
async function addFolders(client: Client): Promise<Record<string, string>> {
  const add = async (name: string, parent: number | null) => {
    const body = { name, parent_id: parent };
    return ((await client.post('/api/public/v2/folders', body, 201)) as { folder: { id: number } }).folder.id;
  };
  const folder = await add('Questions of customers', null);
  const inner = await add(LONG, folder);
  const { dataset_group: group } = (await client.post(
    '/api/public/v2/dataset-groups',
    { name: 'Golden answers of customers', folder_id: inner },
    201,
  )) as { dataset_group: { id: number } };
  await client.post('/api/public/v2/dataset-versions/save-draft', { dataset_group_id: group.id }, 202);
  await client.post('/api/public/v2/env-vars', { key: 'WEATHER_API_KEY', value: 'not-a-real-key-1234' }, 201);
  return { folder: String(folder), dataset: `/console/datasets/${group.id}` };
}

/** Cells in every state: failed, stale, queued and running, and what a judge says. */
async function statesSheet(client: Client, vendors: FakeVendors): Promise<TestSheet> {
  const texts = Array.from({ length: 30 }, (_, row) => (row % 7 === 3 ? 'bad' : `Question ${row + 1}, ${LONG}`));
  const sheet = await newSheet(client, texts);
  await client.patch(`${TABLES}/${sheet.tableId}`, { title: 'Cells in every state' });
  const code = 'if (data["Column A"] === "bad") throw new Error("It is bad."); return { answer: 42, list: [1, 2] }';
  await addColumn(client, sheet, { title: 'Check', type: 'CODE_EXECUTION', config: { language: 'JAVASCRIPT', code } });
  await addCount(client, sheet, 'Length');
  vendors.reply = ({ body, text }) =>
    body.response_format
      ? { text: JSON.stringify({ reasoning: 'It greets.', citation: '', value: !text.includes('1') }) }
      : { text: '4.25' };
  const judge = { source: 'Column A', prompt: 'Is it polite?' };
  const { id: polite } = await addColumn(client, sheet, { title: 'Polite', type: 'LLM_ASSERTION', config: judge });
  await settled(client, sheet);
  vendors.reply = () => 'hang';
  const cells = (await cellsOf(client, sheet, sheet.columnId)).slice(4, 16);
  const edits = cells.map(({ id, row_index: row }) => ({ cell_id: id, value: `Edited in row ${row + 1}` }));
  await client.patch(`${sheet.path}/cells`, { cells: edits });
  const rows = cells.slice(0, 9).map(({ row_index: row }) => row);
  await client.post(`${sheet.path}/cells/recalculations`, { column_ids: [polite], row_indices: rows }, 202);
  return sheet;
}

async function fallenSheet(client: Client): Promise<TestSheet> {
  const rows = Array.from({ length: 8 }, (_, row) => row);
  const sheet = await newSheet(client, Array(rows.length).fill('5'));
  await client.patch(`${TABLES}/${sheet.tableId}`, { title: LONG });
  await configureScore(client, sheet, { score_type: 'numeric', column_names: ['Column A'] });
  await calculateScore(client, sheet);
  for (const value of ['6', '1', '2']) {
    const cells = rows.map((row_index) => ({ row_index, column: 'Column A', value }));
    await client.patch(`${sheet.path}/cells`, { cells });
    if (value !== '1') await calculateScore(client, sheet);
  }
  await client.post(`${sheet.path}/versions`, { name: 'Before the holidays' }, 201);
  return sheet;
}

/** More rows and columns than fit into a window. */
async function wideSheet(client: Client): Promise<string> {
  const line = (text: (at: number) => string) => Array.from({ length: 40 }, (_, at) => text(at)).join(',');
  const lines = Array.from({ length: 1200 }, (_, row) => line((at) => (at % 3 ? `r${row} c${at}` : String(row * at))));
  const { id, sheets } = await newTable(client);
  const { sheet } = await sheetFromFile(client, sheets, [line((at) => `Column ${at + 1}`), ...lines].join('\n'));
  return pathOf({ tableId: id, id: sheet.id });
}
