import { ApiClient } from '../api-client.js';
import { addDemoDatasets } from './datasets.js';
import { DEMO_PROMPT } from './prompt.js';
import { agentTrace } from './agent.js';
import { earlierTraces } from './history.js';
import { exportOf } from './spans.js';
import { ASSISTANT, demoTraces } from './traces.js';
import { addDemoTools } from './tools.js';
import { addDemoWorkflows } from './workflows.js';
import { EXAMPLE_SHEET_TO_DELETE, EXAMPLE_TABLE, EXAMPLE_TABLE_TO_DELETE } from '../../platform/example-data.js';
import type { Progress } from '../progress.js';

const TABLES = '/api/public/v2/tables';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The built-in model: it repeats its input, so that model columns show values before there is a key. */
const ECHO = { provider: 'tracesheet', model: 'echo' };

const DEMO_SCORECARD = {
  name: 'Answer quality',
  aggregation: { method: 'weighted_mean', required_step_failure_behavior: 'fail' },
  steps: [
    {
      title: 'Has the expected word',
      primitive_type: 'CONTAINS',
      primitive_config: { source: 'output', value_source: 'Expected word' },
      weight: 2,
      required: true,
    },
    {
      title: 'Is short',
      primitive_type: 'COUNT',
      primitive_config: { source: 'output', type: 'words', max_count: 60 },
    },
  ],
};

/** A word that the answer to each question should hold; the last one is wrong on purpose, so that one row fails. */
const EXPECTED = 'Expected word';

const COMPUTED_COLUMNS = [
  { title: 'Mentions refund', type: 'CONTAINS', config: { source: 'output', value: 'refund' } },
  { title: 'Words', type: 'COUNT', config: { source: 'output', type: 'words' } },
  { title: 'As expected', type: 'CONTAINS', config: { source: 'output', value_source: EXPECTED } },
  {
    title: 'Letter (echo)',
    type: 'PROMPT_TEMPLATE',
    config: {
      inline_template: {
        inline: true,
        prompt_template: {
          type: 'chat',
          messages: [
            { role: 'user', content: [{ type: 'text', text: 'You asked: {question}\n\n{answer}\n\nYour shop' }] },
          ],
        },
        metadata: { model: { provider: ECHO.provider, name: ECHO.model, parameters: {} } },
      },
      prompt_template_variable_mappings: { question: 'question', answer: 'output' },
    },
  },
  {
    title: 'Judge (echo)',
    type: 'LLM_ASSERTION',
    config: { source: 'Letter (echo)', prompt: 'Does the letter answer the question?', engine: ECHO },
  },
];

/**
 * Fills a new workspace with example data over HTTP, like a customer: a prompt, traces of its calls sent to the OTLP endpoint, and
 * a table made from them. An error is one line; the product runs on.
 */
export async function runDemo(port: number, apiKey: string, progress: Progress, signal: AbortSignal): Promise<void> {
  try {
    const client = new ApiClient([`http://127.0.0.1:${port}`], apiKey, { signal });
    await progress.during('Adding example data', addExampleData(client));
    progress.say(
      'Added the prompt "support-answer", two days of traces of it, and the table "Support answers" (DEMO=off leaves them out)',
    );
  } catch (error) {
    if (!signal.aborted) progress.say(`The example data could not be added: ${(error as Error).message}`);
  }
}

/** The example data alone; rejects with the error. */
export async function addExampleData(client: ApiClient): Promise<void> {
  // The prompt first: its calls are linked to it as they come in.
  const prompt = await client.post<PublishedPrompt>('/rest/prompt-templates', DEMO_PROMPT);
  const now = Date.now();
  const lastHour = new Date(now - HOUR_MS);
  const earlier = [...earlierTraces(now), ...agentTrace(lastHour.getTime() - 5 * MINUTE_MS)];
  await client.post('/v1/traces', exportOf(ASSISTANT, earlier));
  await client.post('/v1/traces', demoTraces(now));
  const created = await client.post<CreatedTable>(TABLES, { title: EXAMPLE_TABLE });
  const sheet = `${TABLES}/${created.table.id}/sheets/${created.default_sheet.id}`;
  const { status_url } = await client.post<{ status_url: string }>(`${sheet}/imports/request-logs`, {
    filter_group: { filters: [{ field: 'request_start_time', operator: 'after', value: lastHour.toISOString() }] },
    include_fields: ['engine', 'latency_ms'],
  });
  await client.untilFinished(status_url);
  await addExpectedWords(client, sheet);
  for (const column of COMPUTED_COLUMNS) await client.post(`${sheet}/columns`, column);
  // An edit recomputes its dependents, as in any spreadsheet.
  await client.patch(sheet, { auto_recalculate: 'deterministic' });
  await addScorecard(client, sheet);
  await addRegression(client, sheet);
  await addExamples(client, prompt, created.table.id);
}

/** A search for the version at which the score fell, which it did not. */
async function addRegression(client: ApiClient, sheet: string): Promise<void> {
  const { data } = await client.get<{ data: { id: string }[] }>(`${sheet}/versions`);
  const [bad, good] = data;
  const path = `${sheet}/regressions`;
  const ends = { good_version: good!.id, bad_version: bad!.id };
  const { regression: begun } = await client.post<StartedRegression>(path, ends);
  await client.until(async () => {
    const { regression } = await client.get<StartedRegression>(`${path}/${begun.id}`);
    return !['queued', 'running'].includes(regression.status);
  });
}

/** Adds a scorecard for the answers, and its results. */
async function addScorecard(client: ApiClient, sheet: string): Promise<void> {
  await client.patch(`${sheet}/scorecard`, DEMO_SCORECARD);
  await client.post(`${sheet}/scorecard/recalculate`, {});
  await client.until(async () => {
    const { latest_calculation: latest } = await client.get<{ latest_calculation: { status: string } | null }>(
      `${sheet}/scorecard`,
    );
    return !['queued', 'running'].includes(latest?.status ?? 'queued');
  });
}

/** Adds further resources for the examples of the OpenAPI document: see `example-ids.ts`. */
async function addExamples(client: ApiClient, prompt: PublishedPrompt, tableId: string): Promise<void> {
  const { folder } = await client.post<{ folder: { id: number } }>(FOLDERS, { name: 'Support' });
  await client.post(FOLDERS, { name: 'Refunds', parent_id: folder.id });
  await client.post(`${FOLDERS}/${folder.id}/external-ids`, { source: 'crm', external_id: 'folder-7' });
  await client.post(`/prompt-templates/${prompt.id}/external-ids`, { source: 'crm', external_id: 'prompt-7' });
  await client.post('/create-group', {});
  await addDemoDatasets(client);
  const sheets = `${TABLES}/${tableId}/sheets`;
  const { sheet } = await client.post<{ sheet: { id: string } }>(sheets, { title: EXAMPLE_SHEET_TO_DELETE });
  await client.post(`${sheets}/${sheet.id}/columns`, { title: 'Notes', type: 'TEXT' });
  await client.post(`${sheets}/${sheet.id}/rows`, { count: 1 });
  await client.patch(`${sheets}/${sheet.id}/score`, { column_names: ['Notes'] });
  await client.patch(`${sheets}/${sheet.id}/scorecard`, { name: 'Of no use', aggregation: {} });
  await client.post(TABLES, { title: EXAMPLE_TABLE_TO_DELETE });
  for (let count = 0; count < 2; count++) {
    const { export: begun } = await client.post<{ export: { status_url: string } }>(EXPORTS, DEMO_EXPORT);
    await client.untilFinished(begun.status_url);
  }
  for (const name of ['Failures', 'Failures of the last hour']) {
    const body = { name, measure: 'failed_share', rule: 'limit', limit: 0.2, by: 'model' };
    await client.post('/api/public/v2/monitors', body);
  }
  for (const name of ['Failures', 'Failures of last week']) {
    await client.post('/api/public/v2/saved-views', { screen: 'requests', name, query: { status: 'ERROR' } });
  }
  const workspace = `/api/admin/v1/workspaces/${prompt.workspace_id}`;
  await client.post(`${workspace}/api-keys`, { name: 'Example key' });
  await client.post(`${workspace}/model-credentials`, { provider: ECHO.provider, name: 'example' });
  await client.post(`${workspace}/mcp-servers`, {
    name: 'Example tools',
    url: 'https://tools.example.com/mcp',
    transport: 'streamable_http',
  });
  await client.post(`${workspace}/erasures`, { user_id: 'user-4711', dry_run: true });
  await addDemoTools(client, workspace);
  await addDemoWorkflows(client, ECHO);
  const label = await addWebhook(client, workspace, prompt);
  await client.post('/api/public/v2/ab-releases', {
    prompt_label_id: label.id,
    split: [{ prompt_version_number: 1, percentage: 100 }],
  });
}

/** Adds a webhook with one failed delivery to an unreachable address, switched off. Returns the label of the delivered event. */
async function addWebhook(client: ApiClient, workspace: string, { id }: PublishedPrompt): Promise<{ id: number }> {
  const { webhook } = await client.post<{ webhook: { id: number } }>(`${workspace}/webhooks`, DEMO_WEBHOOK);
  const path = `${workspace}/webhooks/${webhook.id}`;
  const label = await client.post<{ id: number }>(`/prompts/${id}/label`, {
    name: 'staging',
    prompt_version_number: 1,
  });
  await client.until(async () => {
    const { data } = await client.get<{ data: unknown[] }>(`${path}/deliveries`);
    return data.length > 0;
  });
  await client.patch(path, { enabled: false });
  return label;
}

const FOLDERS = '/api/public/v2/folders';
const EXPORTS = '/api/public/v2/exports';
const DEMO_EXPORT = { source: 'requests', format: 'csv', filter_group: { filters: [] } };
const DEMO_WEBHOOK = { name: 'Example, switched off', url: 'https://hooks.invalid/prompts' };

interface StartedRegression {
  regression: { id: string; status: string };
}

interface PublishedPrompt {
  id: number;
  workspace_id: number;
}

async function addExpectedWords(client: ApiClient, sheet: string): Promise<void> {
  await client.post(`${sheet}/columns`, { title: EXPECTED, type: 'TEXT' });
  const { data, columns } = await client.get<SheetRows>(`${sheet}/rows`);
  const [expected, output] = [EXPECTED, 'output'].map((title) => columns.find((column) => column.title === title)!.id);
  const cells = data.map(({ cells: row }, index) => {
    const word = longestWord(String(row[output!]!.value));
    return { cell_id: row[expected!]!.id, value: index === data.length - 1 ? `not ${word}` : word };
  });
  await client.patch(`${sheet}/cells`, { cells });
}

function longestWord(text: string): string {
  return text.split(/[^\p{L}]+/u).reduce((longest, word) => (word.length > longest.length ? word : longest), '');
}

interface SheetRows {
  columns: { id: string; title: string }[];
  data: { cells: Record<string, { id: string; value: unknown }> }[];
}

interface CreatedTable {
  table: { id: string };
  default_sheet: { id: string };
}
