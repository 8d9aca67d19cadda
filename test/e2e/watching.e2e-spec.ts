import { readFileSync } from 'node:fs';
import { Logger, type LoggerService } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/access/index.js';
import { freePort } from '../../src/embedded/ports.js';
import { CONFIG, type Config } from '../../src/platform/config/config.js';
import { DatabaseGauges } from '../../src/platform/telemetry/database-gauges.js';
import { type DescribedMetric, Metrics } from '../../src/platform/telemetry/metrics.js';
import { Tracing } from '../../src/platform/telemetry/tracing.js';
import { openWorkerPort, WorkerServer } from '../../src/platform/telemetry/worker-server.js';
import { VERSION } from '../../src/platform/version.js';
import type { WorkKind } from '../../src/platform/work/work-kind.js';
import { testDatabase } from '../support/database.js';
import { addColumn, addCount, newSheet, settled } from '../support/factories.js';
import { spanId, traceId } from '../support/otlp.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

type Line = Record<string, unknown>;

/** The series of a histogram. */
const SUFFIX = /_(?:bucket|sum|count)$/;

let app: TestApp;
let url: string;
let workerUrl: string;
/** Warnings that were logged since the test began. */
const warnings: Line[] = [];

beforeAll(async () => {
  const [port, workerPort] = [await freePort(), await freePort()];
  url = `http://127.0.0.1:${port}`;
  workerUrl = `http://127.0.0.1:${workerPort}`;
  const database = await testDatabase();
  const { apiKey } = (await bootstrap(database.url))!;
  // The server sends its traces to itself.
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${apiKey}`,
    SLOW_STATEMENT_MS: '40',
    SLOW_CELL_MS: '1',
    WORKER_PORT: String(workerPort),
  };
  app = await TestApp.start({ installation: { ...database, apiKey }, env });
  await app.app.listen(port, '127.0.0.1');
  app.app.get(WorkerServer).serve((await openWorkerPort(app.app.get<Config>(CONFIG)))!);
  const ignored = () => undefined;
  const collector = {
    log: ignored,
    error: ignored,
    warn: (line: unknown) => void warnings.push(typeof line === 'string' ? { message: line } : (line as Line)),
  };
  Logger.overrideLogger(collector as LoggerService);
});
afterAll(() => app.stop());
beforeEach(() => void warnings.splice(0));

const tracing = () => app.app.get(Tracing);

async function counted(name: string): Promise<{ labels: object; value: number }[]> {
  const metric = app.app.get(Metrics).registry.getSingleMetric(name)!;
  return (await metric.get()).values.map(({ labels, value }) => ({ labels, value }));
}

describe('what is slow', () => {
  it('statements are logged by their shape and workspace, without parameters', async () => {
    const sql = `SELECT pg_sleep(0.05), 'my secret' AS b, $2::text AS c FROM workspaces w WHERE $1::int = w.id AND w.id IN (SELECT workspace_id FROM api_keys WHERE workspace_id = $1)`;
    await app.sql(sql, [1, 'another secret']);
    const statement = `SELECT pg_sleep(0.05), '…' AS b, $::text AS c FROM workspaces w WHERE $::int = w.id AND w.id IN (SELECT workspace_id FROM api_keys WHERE workspace_id = $)`;
    const told = warnings.find((line) => line.statement === statement);
    expect(told).toEqual({
      message: 'slow statement',
      ms: expect.any(Number),
      pool: 'main',
      workspaceId: 1,
      statement,
    });
    expect(told!.ms).toBeGreaterThanOrEqual(50);
    expect(JSON.stringify(warnings)).not.toContain('secret');
    expect(await counted('tracesheet_slow_statements_total')).toContainEqual({
      labels: { pool: 'main' },
      value: expect.any(Number),
    });
  });

  it('cells are logged by their column', async () => {
    const sheet = await newSheet(app.client, ['a']);
    const column = await addColumn(app.client, sheet, {
      title: 'Code',
      type: 'CODE_EXECUTION',
      config: { code: 'let n = 0; for (let i = 0; i < 3e5; i++) n += i; return "my secret"', language: 'JAVASCRIPT' },
    });
    await settled(app.client, sheet);
    const told = warnings.filter(({ message }) => message === 'slow cells');
    const expected = { message: 'slow cells', type: 'CODE_EXECUTION', workspaceId: 1, columnId: column.id, cells: 1 };
    expect(told).toEqual([{ ...expected, ms: expect.any(Number) }]);
    expect(await counted('tracesheet_slow_cells_total')).toEqual([{ labels: { type: 'CODE_EXECUTION' }, value: 1 }]);
  });
});

interface TraceSpans {
  spans: { name: string; parent_id: string | null; attributes: Record<string, unknown> }[];
}

/** The trace that the server has sent to itself about a request with this trace id. */
async function ownTrace(id: string, name: string): Promise<TraceSpans['spans']> {
  let spans: TraceSpans['spans'] = [];
  await until(async () => {
    await tracing().flush();
    const { status, body } = await app.client.request('GET', `/api/public/v2/traces/${id}`);
    if (status === 200) spans = (body as TraceSpans).spans;
    return spans.some((span) => span.name === name);
  });
  return spans;
}

/** Spans that were sent, whatever became of them. */
const exported = async () =>
  (await counted('tracesheet_exported_spans_total')).reduce((sum, { value }) => sum + value, 0);

describe('the traces of the server about itself', () => {
  it('a request is a span below that of its client, with a span for each statement', async () => {
    const id = traceId();
    const headers = { 'x-api-key': app.apiKey, traceparent: `00-${id}-${spanId()}-01`, 'x-secret': 'header secret' };
    const { status } = await fetch(`${url}/api/public/v2/tables?title=secret-title`, { headers });
    expect(status).toBe(200);
    const spans = await ownTrace(id, 'GET /api/public/v2/tables');
    const request = spans.find(({ name }) => name === 'GET /api/public/v2/tables')!;
    expect(request.attributes).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/api/public/v2/tables',
      'http.response.status_code': 200,
      'tracesheet.workspace_id': 1,
    });
    const statement = spans.find(({ name }) => name === 'SELECT tables')!;
    expect(statement.attributes).toMatchObject({ 'db.system.name': 'postgresql' });
    expect(JSON.stringify(spans)).not.toMatch(/secret|pl_/);
  });

  it('work of a worker is a trace', async () => {
    const sheet = await newSheet(app.client, ['a']);
    await addCount(app.client, sheet, 'Length');
    await settled(app.client, sheet);
    await until(async () => {
      await tracing().flush();
      const { items } = (await app.client.post('/api/public/v2/traces/search', {})) as { items: { name: string }[] };
      return items.some(({ name }) => name === 'work cells');
    });
  });

  it('are not made for the ingestion of its own spans', async () => {
    await until(async () => {
      const before = await exported();
      await tracing().flush();
      await untilSearchable(app);
      await tracing().flush();
      return before > 0 && (await exported()) === before;
    });
  });

  it('a receiver that refuses them costs nothing but a warning', async () => {
    const config = { ...app.config, otlpEndpoint: `${url}/nobody`, otlpHeaders: '' };
    const alone = await Tracing.start(config, app.app.get(Metrics), 'worker');
    await alone.trace('work', {}, () => Promise.resolve());
    await alone.flush().catch(() => undefined);
    await alone.trace('work', {}, () => Promise.resolve());
    await alone.onApplicationShutdown();
    const told = warnings.filter(({ message }) => String(message).startsWith('Spans were not exported'));
    expect(told.length).toBeGreaterThan(0);
    const failed = (await counted('tracesheet_exported_spans_total')).find(
      ({ labels }) => 'outcome' in labels && labels.outcome === 'failed',
    );
    expect(failed!.value).toBeGreaterThanOrEqual(2);
  });
});

describe('a worker', () => {
  it.each([
    ['/health/live', {}, 200, { status: 'up', version: VERSION }],
    ['/health/ready', {}, 200, { status: 'up', database: 'up', storage: 'up', redis: 'up', workers: 1 }],
    ['/metrics', { 'x-forwarded-for': '10.0.0.1' }, 401, { error: 'metrics_closed' }],
    ['/api/public/v2/tables', {}, 404, { error: 'route_not_found' }],
  ])('answers %s with the headers %j', async (path, headers, status, body) => {
    const answer = await fetch(workerUrl + path, { headers: headers as Record<string, string> });
    expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining(body)]);
  });

  it('shows its metrics', async () => {
    const text = await (await fetch(`${workerUrl}/metrics`)).text();
    expect(text).toContain(`tracesheet_info{version="${VERSION}"} 1`);
    expect(text).toContain('tracesheet_queues_up 1');
    expect(text).toMatch(/^tracesheet_database_connections\{pool="reading",state="waiting"\} 0$/m);
    // Up to 0.2.0 only these had the prefix: what was shown then is shown under its former name as well.
    const titles = [...text.matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name!);
    expect(titles.filter((name) => !/^(?:tracesheet|nodejs|process)_/.test(name))).toEqual([
      'cells_computed_total',
      'database_connections',
      'events_consumed_total',
      'exported_spans_total',
      'http_request_duration_seconds',
      'live_connections_ended_total',
      'live_messages_total',
      'queues_up',
      'rows_expired_total',
      'slow_cells_total',
      'slow_statements_total',
      'span_batches_total',
      'spans_ingested_total',
      'storage_refusals_total',
      'storage_warnings_total',
      'work_claims_total',
    ]);
    const former = text.split('\n').filter((line) => /^(?!tracesheet_|nodejs_|process_|#|$)/.test(line));
    expect(former.length).toBeGreaterThan(6);
    for (const line of former) expect(text).toContain(`\ntracesheet_${line}\n`);
  });
});

/** The names of all kinds of work that this server claims. */
function kindsOfWork(): string[] {
  const providers = [...app.app.get(ModulesContainer).values()].flatMap((module) => [...module.providers.values()]);
  const kinds = providers.map(({ instance }) => instance as Partial<WorkKind> | null);
  return kinds.flatMap((kind) => (kind?.claim && kind.giveBack && kind.name ? [kind.name] : []));
}

it('every kind of work has a gauge of its oldest', async () => {
  await app.app.get(DatabaseGauges).read();
  const shown = (await counted('tracesheet_oldest_work_age_seconds')).map(
    ({ labels }) => (labels as { kind: string }).kind,
  );
  expect(shown.sort()).toEqual(kindsOfWork().sort());
});

describe('the dashboard and the alerts', () => {
  /** Labels that Prometheus adds. */
  const ADDED = ['job', 'instance', 'le'];
  const FUNCTIONS = /^(?:sum|rate|increase|max|min|by|topk|count|absent|changes|delta|and|histogram_quantile|up)$/;

  const dashboard = () => JSON.parse(readFileSync('deploy/grafana/tracesheet.json', 'utf8')) as Dashboard;
  const alerts = () => readFileSync('deploy/prometheus/alerts.yml', 'utf8');
  interface Dashboard {
    panels: Panel[];
    templating: { list: { name: string; query: string }[] };
  }
  interface Panel {
    type: string;
    title: string;
    description?: string;
    targets?: { expr: string; legendFormat: string }[];
  }

  function metricOf(name: string): DescribedMetric | undefined {
    const known = app.app.get(Metrics).describe();
    const histogram = SUFFIX.test(name) ? name.replace(SUFFIX, '') : undefined;
    return known.find((metric) => metric.name === name || (metric.name === histogram && metric.type === 'histogram'));
  }

  /** Names and labels in an expression that no metric has. */
  function strangersIn(expression: string, legend = ''): string[] {
    const code = expression.replace(/"[^"]*"/g, '""').replace(/\[[^\]]*\]/g, '');
    const bare = code.replace(/\{[^}]*\}/g, '').replace(/\bby \([^)]*\)/g, '');
    const names = [...bare.matchAll(/[a-z_][a-z_0-9]*/g)].map(([name]) => name).filter((name) => !FUNCTIONS.test(name));
    const labels = new Set([...ADDED, ...names.flatMap((name) => metricOf(name)?.labels ?? [])]);
    const used = [
      ...[...code.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) =>
        [...inside!.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label!),
      ),
      ...[...code.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inside]) =>
        inside!.split(',').map((label) => label.trim()),
      ),
      ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!),
    ];
    return [...names.filter((name) => !metricOf(name)), ...used.filter((label) => !labels.has(label))];
  }

  /** Metrics of an expression that may come from any process that Prometheus knows. */
  function withoutJob(expression: string, jobs: string[]): string[] {
    const selectors = [...expression.replace(/\bby \([^)]*\)/g, '').matchAll(/\b([a-z_]\w*)(\{[^}]*\})?/g)];
    return selectors
      .filter(([, name]) => name === 'up' || metricOf(name!))
      .filter(([, , labels = '']) => !jobs.some((job) => labels.includes(job)))
      .map(([selector]) => selector);
  }

  it.each([
    ['sum(rate(nothing_total[5m]))', ['nothing_total']],
    ['sum by (color) (tracesheet_queues_up{kind="x"})', ['kind', 'color']],
    ['rate(tracesheet_work_claims_total_count[5m])', ['tracesheet_work_claims_total_count']],
  ])('the check of %s finds %j', (expression, found) => expect(strangersIn(expression)).toEqual(found));

  const targetsOf = ({ panels }: Dashboard) => panels.flatMap(({ targets = [] }) => targets);
  const rulesOf = (text: string) => [...text.matchAll(/^ +expr: (.+)$/gm)].map(([, expression]) => expression!);

  it('ask for metrics and labels that there are', () => {
    const targets = targetsOf(dashboard());
    expect(targets.length).toBeGreaterThan(15);
    const rules = rulesOf(alerts());
    expect(rules).toHaveLength(alerts().match(/- alert: /g)!.length);
    const strangers = [
      ...targets.flatMap(({ expr, legendFormat }) => strangersIn(expr, legendFormat)),
      ...rules.flatMap((rule) => strangersIn(rule)),
    ];
    expect(strangers).toEqual([]);
  });

  it('select the jobs of the scrape configuration', () => {
    expect(withoutJob('max(up) / sum by (job) (up{job="a"}) + tracesheet_info{x="job"}', ['job="a"'])).toEqual([
      'up',
      'tracesheet_info{x="job"}',
    ]);
    const jobs = ['job="tracesheet-api"', 'job="tracesheet-worker"', 'job=~"tracesheet-(api|worker)"'];
    expect(rulesOf(alerts()).flatMap((rule) => withoutJob(rule, jobs))).toEqual([]);
    expect(targetsOf(dashboard()).flatMap(({ expr }) => withoutJob(expr, ['job=~"$job"']))).toEqual([]);
    expect(dashboard().templating.list.find(({ name }) => name === 'job')?.query).toBe(
      'label_values(tracesheet_info, job)',
    );
    const scraped = readFileSync('docs/how-to/watch.md', 'utf8').matchAll(/- job_name: (\S+)/g);
    expect([...scraped].map(([, job]) => job)).toEqual(['tracesheet-api', 'tracesheet-worker']);
  });

  it('say what is shown and what to do, and leave no counter of the server out', () => {
    for (const { type, description } of dashboard().panels) if (type !== 'row') expect(description).toMatch(/\.$/);
    for (const rule of alerts().split('- alert: ').slice(1)) expect(rule).toMatch(/summary: .+\.\n +action: .+\.\n/);
    const shown = JSON.stringify(dashboard());
    const own = app.app
      .get(Metrics)
      .describe()
      .filter(({ isDefault }) => !isDefault);
    expect(own.filter(({ name }) => !shown.includes(name)).map(({ name }) => name)).toEqual([]);
    expect(own.filter(({ worry }) => !/[.]$/.test(worry))).toEqual([]);
  });
});
