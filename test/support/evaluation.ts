import { type TestRequest, type TestSpan, toJson, toProtobuf } from '../../src/traces/otlp/proto-writer.fixture.js';
import type { Client } from './client.js';
import type { Cell, Column, RowsPage } from './factories.js';
import { TABLES } from './factories.js';
import { spanId, traceId } from './otlp.js';
import { configureScorecard, ended, readResult, readScorecard, recalculate, type StepResult } from './scorecards.js';
import type { AddedTrace } from './traces.js';
import { until } from './until.js';

/** Differences between the published clients in the requests of an evaluation. */
export interface ClientKind {
  /** Boolean as this client writes it in query strings. */
  flag(value: boolean): string;
  /** The title of the column of expected traces. */
  expectedTrace: string;
  spans: { type: string; write(request: TestRequest): Buffer };
  /** Scorer in code, as the client sends it: whether `Output` equals the expected value. */
  scorer: { language: 'JAVASCRIPT' | 'PYTHON'; code: string };
  /** Parameters of lists that are not said otherwise. */
  page: string;
  /** Names columns in configs. */
  reference(column: Column): string;
  /** New sheets begin with a file of a header alone; the others are blank. */
  sheetsFromFile: boolean;
  /** Note on the sheet about the run, at its beginning and at its end. */
  notes: (status: 'running' | 'completed', cases: number) => object | null;
}

export const JAVASCRIPT: ClientKind = {
  flag: String,
  expectedTrace: 'expectedTrace',
  spans: { type: 'application/json', write: (request) => toJson(request) },
  scorer: {
    language: 'JAVASCRIPT',
    code: 'const output = data.get("Output");\nconst expected = data.get("expected");\nresult = output === expected;\n',
  },
  page: '',
  reference: ({ title }) => title,
  sheetsFromFile: true,
  notes: () => null,
};

export const PYTHON: ClientKind = {
  flag: (value) => (value ? 'True' : 'False'),
  expectedTrace: 'expected_trace',
  spans: { type: 'application/x-protobuf', write: toProtobuf },
  scorer: {
    language: 'PYTHON',
    code: [
      'output = data.get("Output")',
      'expected = data.get("expected")',
      "_result = {'score': output == expected}",
      "if isinstance(_result, dict) and 'score' in _result:",
      "    _result = _result['score']",
      'return _result',
      '',
    ].join('\n'),
  },
  page: '&page=1&per_page=100',
  reference: ({ id }) => id,
  sheetsFromFile: true,
  notes: () => null,
};

/** Since 1.5.16. */
export const NEWER_PYTHON: ClientKind = {
  ...PYTHON,
  sheetsFromFile: false,
  notes: (status, cases) => ({ eval_run_status: status, expected_row_count: cases }),
};

/** Case of an evaluation, with the output of its runner. */
export interface Case {
  input: string;
  expected: string;
  output: string;
  tools: string[];
  expectedTools: string[];
  /** Columns of the dataset that the client passes on. */
  fields?: Record<string, string>;
}

interface Table {
  id: string;
  title: string;
  workspace_id: number;
}

/** An evaluation as the published clients carry it out, call by call. */
export class Evaluation {
  table!: Table;
  sheet!: { id: string; title: string };
  columns: Record<string, Column> = {};
  readonly rows: AddedTrace[] = [];

  constructor(
    readonly client: Client,
    readonly kind: ClientKind,
    readonly name: string,
  ) {}

  get path(): string {
    return `${TABLES}/${this.table.id}/sheets/${this.sheet.id}`;
  }

  /** Steps 1 and 2: a table of the name, and in it a sheet of its own. */
  async findSheet(tableId?: string): Promise<void> {
    this.table = tableId ? await this.readTable(tableId) : await this.findTable();
    const { data } = (await this.client.get(`${TABLES}/${this.table.id}/sheets`)) as { data: Evaluation['sheet'][] };
    const [first] = data;
    if (!tableId && data.length === 1 && first!.title === 'Sheet 1') {
      const renamed = await this.client.patch(`${TABLES}/${this.table.id}/sheets/${first!.id}`, { title: this.name });
      this.sheet = (renamed as { sheet: Evaluation['sheet'] }).sheet;
      return;
    }
    const source = { type: 'file', file_name: `${this.name}.csv`, file_content_base64: 'aW5wdXQK' };
    const [body, status] = this.kind.sheetsFromFile ? [{ title: this.name, source }, 202] : [{ title: this.name }, 201];
    this.sheet = ((await this.client.post(`${TABLES}/${this.table.id}/sheets`, body, status)) as Evaluation).sheet;
  }

  private async readTable(id: string): Promise<Table> {
    return ((await this.client.get(`${TABLES}/${id}`)) as { table: Table }).table;
  }

  private async findTable(): Promise<Table> {
    const query = `?name=${encodeURIComponent(this.name)}&limit=100${this.kind.page}`;
    const { data } = (await this.client.get(`${TABLES}${query}`)) as { data: (Table & { deleted_at?: unknown })[] };
    const known = data.find(({ title, deleted_at: deleted }) => title === this.name && !deleted);
    return known ?? ((await this.client.post(TABLES, { title: this.name }, 201)) as { table: Table }).table;
  }

  /** Steps 4 and 5: the columns that are missing. Supporting ones are given as functions of those that are there. */
  async addColumns(titles: string[], supporting: ((columns: Record<string, Column>) => object)[] = []): Promise<void> {
    await this.readColumns();
    for (const title of titles) {
      if (this.columns[title]) continue;
      const unused = this.columns['Column A'];
      if (unused) await this.client.patch(`${this.path}/columns/${unused.id}`, { title });
      else await this.client.post(`${this.path}/columns`, { title, type: 'TEXT' }, 201);
      await this.readColumns();
    }
    for (const body of supporting) {
      const { column } = (await this.client.post(`${this.path}/columns`, body(this.columns), 201)) as {
        column: Column;
      };
      this.columns[column.title] = column;
    }
  }

  private async readColumns(): Promise<void> {
    const query = `?include_system_columns=${this.kind.flag(true)}`;
    const { data } = (await this.client.get(`${this.path}/columns${query}`)) as { data: Column[] };
    this.columns = Object.fromEntries(data.map((column) => [column.title, column]));
  }

  /** Step 6: deletes blank rows and returns their number. */
  async deleteBlankRows(): Promise<number> {
    const { data } = await this.readRows('&order=asc&limit=20', false);
    const blank = data.filter(({ cells }) => Object.values(cells).every(isBlank)).map(({ row_index }) => row_index);
    if (blank.length > 0) await this.client.delete(`${this.path}/rows`, 200, { row_indices: blank });
    return blank.length;
  }

  /** Writes the progress of the run to the sheet, for clients that do so. */
  async note(status: 'running' | 'completed', cases: number): Promise<void> {
    const body = this.kind.notes(status, cases);
    if (body) await this.client.patch(this.path, body);
  }

  /** Steps 8 and 9: runs a case, reports its spans, and makes a row of them. */
  async run(each: Case): Promise<void> {
    const trace = await this.report(each);
    await this.awaitPrices(trace);
    const body = { trace_id: trace, sheet_id: this.sheet.id, smart_table_id: this.table.id };
    const sent = { ...body, metadata: { eval_name: this.name } };
    const added = (await this.client.post('/api/public/v2/dataset-versions/add-trace', sent, 201)) as AddedTrace;
    this.rows.push(added);
    const values: [title: string, value: string][] = [
      ['input', each.input],
      ['expected', each.expected],
      [this.kind.expectedTrace, JSON.stringify([each.expectedTools])],
      ['Output', each.output],
      ...Object.entries(each.fields ?? {}),
    ];
    for (const [title, value] of values) {
      const cell = added.row.cells[this.columns[title]!.id]!;
      await this.client.patch(`${this.path}/cells/${cell.id}`, { value, display_value: value });
    }
  }

  private async report({ input, output, tools }: Case): Promise<string> {
    const trace = traceId();
    const root = spanId();
    const begin = 1_780_000_000_000_000_000n;
    const span = (name: string, place: number, attributes: [string, string][]): TestSpan => ({
      traceId: trace,
      spanId: place === 0 ? root : spanId(),
      parentId: place === 0 ? '' : root,
      traceState: '',
      name,
      kind: 1,
      startNs: begin + BigInt(place) * 1_000_000n,
      endNs: begin + 50_000_000n,
      statusCode: 1,
      statusMessage: '',
      attributes: attributes.map(([key, value]) => [key, { string: value }]),
      events: [],
      links: [],
    });
    const called = tools.map((tool, index) => span(`Tool: ${tool}`, index + 2, [['tool.name', tool]]));
    const request = {
      resource: [],
      schemaUrl: '',
      scope: { name: 'eval', version: '1', attributes: [] },
      spans: [
        ...called,
        span('chat', 1, callAttributes(input, output)),
        span(`Eval: ${this.name}`, 0, this.attributesOf(input, output)),
      ],
    };
    const { type, write } = this.kind.spans;
    const answer = await this.client.with({ 'content-type': type }).request('POST', '/v1/traces', write(request));
    if (answer.status !== 200) throw new Error(`The spans were refused: ${answer.status}`);
    return trace;
  }

  private attributesOf(input: string, output: string): [string, string][] {
    return [
      ['node_type', 'EVAL'],
      ['eval.name', this.name],
      ['eval.input', input],
      ['eval.output', output],
      ['table_id', this.table.id],
      ['sheet_id', this.sheet.id],
    ];
  }

  /** Step 9a: the price of each call is a number. */
  private async awaitPrices(trace: string): Promise<void> {
    const read = (await this.client.get(`/api/public/v2/traces/${trace}`)) as {
      spans: { request_log_id: number | null }[];
    };
    const ids = new Set(read.spans.flatMap(({ request_log_id: id }) => id ?? []));
    if (ids.size === 0) throw new Error('The call of the model has no log.');
    for (const id of ids) {
      await until(async () => {
        const { price } = (await this.client.get(`/api/public/v2/requests/${id}`)) as { price: unknown };
        return typeof price === 'number';
      });
    }
  }

  /** Step 10: recalculates the supporting columns and polls until every id of the answer has ended. */
  async recalculate(titles: string[]): Promise<Record<string, unknown>[]> {
    const body = {
      operation: 'recalculate',
      column_ids: titles.map((title) => this.columns[title]!.id),
      row_ids: this.rows.map(({ row_index }) => row_index),
    };
    const started = (await this.client.post(`${this.path}/operations`, body, 202)) as {
      operation_id: string;
      execution_id: string;
      execution_ids: string[];
    };
    const ids = new Set([...started.execution_ids, started.operation_id, started.execution_id]);
    return Promise.all([...ids].map((id) => this.ended(id)));
  }

  private async ended(id: string): Promise<Record<string, unknown>> {
    let operation: Record<string, unknown> = {};
    await until(async () => {
      const answer = await this.client.get(`${this.path}/operations/${id}`);
      ({ operation } = answer as { operation: Record<string, unknown> });
      return ['completed', 'failed', 'cancelled'].includes(String(operation.status));
    });
    return operation;
  }

  /** Step 7: replaces the scorecard of the sheet. */
  async configure(steps: object[]): Promise<void> {
    const body = {
      name: this.name,
      evaluated_column_ids: [],
      aggregation: {
        method: 'weighted_mean',
        required_step_failure_behavior: 'fail',
        pass_threshold: 0.8,
        warn_threshold: 0.6,
      },
      steps: steps.map((step, order_index) => ({ ...step, order_index, weight: 1, required: false })),
    };
    await configureScorecard(this.client, this, body);
  }

  /** Steps 11 and 12: calculates the scorecard, and reads the result of each row like clients do. */
  async score(): Promise<{ score: number | null; cases: Record<string, unknown>[] }> {
    const id = await recalculate(this.client, this);
    const latest = await ended(this.client, this);
    if (latest.id !== id || latest.status !== 'completed')
      throw new Error(`The calculation ended as ${latest.status}.`);
    const { scorecard, progress } = await readScorecard(this.client, this);
    if (progress!.scored_rows !== progress!.total_rows) throw new Error('Not every row was scored.');
    const results = await Promise.all(
      this.rows.map(({ row_index: row }) => readResult(this.client, this, row, latest.id)),
    );
    const cases = results.map(({ step_results: found }) =>
      Object.fromEntries(scorecard!.steps.map(({ id: step, title }) => [title, caseScore(found[step]!)])),
    );
    return { score: latest.aggregate_score, cases };
  }

  /** Comparison of its scorecard with that of another run, which has its own sheet. */
  async compareWith(other: Evaluation): Promise<{ criteria: object }> {
    const [own, earlier] = [await ended(this.client, this), await ended(this.client, other)];
    const path = `${this.path}/scorecard/calculations/${own.id}/comparison?with=${earlier.id}`;
    return (await this.client.get(path)) as { criteria: object };
  }

  /** Step 13: all rows, following the cursor that clients follow. */
  async readAll(limit = 100): Promise<RowsPage & { metrics: Record<string, { sum: number; count: number }> }> {
    const pages: (RowsPage & Paged)[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const aggregates = `&include_execution_metadata_aggregates=${this.kind.flag(true)}`;
      const page: RowsPage & Paged = await this.readRows(`${aggregates}&limit=${limit}${after}`, cursor === '');
      pages.push(page);
      cursor = page.pagination.next_cursor;
    }
    const [first] = pages;
    const data = pages.flatMap((page) => page.data);
    return { ...first!, data, metrics: first!.execution_metadata_aggregates!.sheet.by_metric };
  }

  private async readRows(query: string, withColumns: boolean): Promise<RowsPage & Paged> {
    const flags = `include_system_columns=${this.kind.flag(true)}&include_columns=${this.kind.flag(withColumns)}`;
    return (await this.client.get(`${this.path}/rows?${flags}${query}`)) as RowsPage & Paged;
  }
}

/** Score that clients read from the result of a step. */
function caseScore({ verdict, raw_value: value, score, error_message: message }: StepResult): unknown {
  if (verdict === 'error') throw new Error(`A step failed: ${message}`);
  return value ?? score ?? verdict === 'pass';
}

interface Paged {
  pagination: { next_cursor: string | null };
  execution_metadata_aggregates?: { sheet: { by_metric: Record<string, { sum: number; count: number }> } };
}

function callAttributes(input: string, output: string): [string, string][] {
  const said = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  return [
    ['gen_ai.operation.name', 'chat'],
    ['gen_ai.provider.name', 'openai'],
    ['gen_ai.request.model', 'gpt-4o-mini'],
    ['gen_ai.input.messages', said('user', input)],
    ['gen_ai.output.messages', said('assistant', output)],
    ['gen_ai.usage.input_tokens', '100'],
    ['gen_ai.usage.output_tokens', '20'],
  ];
}

/** Whether clients treat a cell as blank. */
function isBlank({ display_value: shown, value: given }: Cell): boolean {
  const value = unwrapped(given);
  if (shown) return false;
  if (value === null || value === undefined) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function unwrapped(value: unknown): unknown {
  const isWrapper = typeof value === 'object' && value !== null && Object.keys(value).join() === 'value';
  return isWrapper ? (value as { value: unknown }).value : value;
}
