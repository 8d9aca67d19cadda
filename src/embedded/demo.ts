import { setTimeout as sleep } from 'node:timers/promises';
import { DEMO_PROMPT } from './demo-prompt.js';
import { demoTraces } from './demo-traces.js';
import { EXAMPLE_TABLE } from '../platform/example-data.js';
import type { Progress } from './progress.js';

const TABLES = '/api/public/v2/tables';
const POLL_MS = 250;
const IMPORT_LIMIT_MS = 60_000;

const COMPUTED_COLUMNS = [
  { title: 'Mentions refund', type: 'CONTAINS', config: { source: 'output', value: 'refund' } },
  { title: 'Words', type: 'COUNT', config: { source: 'output', type: 'words' } },
];

/**
 * Gives a new workspace something to look at, the way a customer would: a prompt, traces of calls of it sent to the OTLP
 * endpoint, and a table made from them, all over HTTP. Whatever goes wrong is one line; the product runs on.
 */
export async function runDemo(port: number, apiKey: string, progress: Progress, signal: AbortSignal): Promise<void> {
  try {
    const client = new DemoClient(`http://127.0.0.1:${port}`, apiKey, signal);
    await progress.during('Adding example data', fillIn(client));
    progress.say(
      'Added the prompt "support-answer", 12 traces of it, and the table "Support answers" (DEMO=off leaves them out)',
    );
  } catch (error) {
    if (!signal.aborted) progress.say(`The example data could not be added: ${(error as Error).message}`);
  }
}

async function fillIn(client: DemoClient): Promise<void> {
  // The prompt first: its calls are linked to it as they come in.
  await client.post('/rest/prompt-templates', DEMO_PROMPT);
  await client.post('/v1/traces', demoTraces(Date.now()));
  const created = await client.post<CreatedTable>(TABLES, { title: EXAMPLE_TABLE });
  const sheet = `${TABLES}/${created.table.id}/sheets/${created.default_sheet.id}`;
  const { status_url } = await client.post<{ status_url: string }>(`${sheet}/imports/request-logs`, {
    filter_group: { filters: [] },
    include_fields: ['engine', 'latency_ms'],
  });
  await client.untilFinished(status_url);
  for (const column of COMPUTED_COLUMNS) await client.post(`${sheet}/columns`, column);
  // Whoever edits a text sees what is computed from it follow, as in any spreadsheet.
  await client.patch(sheet, { auto_recalculate: 'deterministic' });
}

interface CreatedTable {
  table: { id: string };
  default_sheet: { id: string };
}

interface ImportState {
  operation: { status: string };
}

class DemoClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly signal: AbortSignal,
  ) {}

  post<T>(path: string, body: unknown): Promise<T> {
    return this.call<T>('POST', path, JSON.stringify(body));
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.call<T>('PATCH', path, JSON.stringify(body));
  }

  async untilFinished(statusUrl: string): Promise<void> {
    const deadline = Date.now() + IMPORT_LIMIT_MS;
    while (Date.now() < deadline) {
      const { operation } = await this.call<ImportState>('GET', statusUrl);
      if (operation.status === 'completed') return;
      if (operation.status === 'failed') throw new Error('the import failed');
      await sleep(POLL_MS, undefined, { signal: this.signal });
    }
    throw new Error('the import did not finish within a minute');
  }

  private async call<T>(method: string, path: string, body?: string): Promise<T> {
    const headers: Record<string, string> = { 'x-api-key': this.apiKey };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(new URL(path, this.baseUrl), { method, headers, body, signal: this.signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text) as T;
  }
}
