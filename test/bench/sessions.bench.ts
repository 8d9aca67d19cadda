import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { isBrowserMissing, launchChromium } from '../console/support/chromium.js';
import { signIn } from '../console/support/console-app.js';
import { ApiClient } from '../support/api-client.js';
import { at, envelope, llmSpan, span, spanId, text, traceId } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { SCALE, startBenchInstallation } from './bench-installation.js';
import { MeasuredPage } from './browser-times.js';
import { columnsOf, LATENCY_COLUMNS, oneByOne, REQUESTS } from './one-by-one.js';
import { machine, median, printTable } from './report.js';

const SESSION = 'support-1001';
const TURNS = 1000;
/** Number of other sessions, with ten turns each. */
const OTHERS = Math.round(9000 * SCALE);
const TURNS_PER_REQUEST = 200;
/** Messages before a turn that its call has once more. */
const HISTORY = 10;
const ROUNDS = 7;
const SESSIONS = '/api/public/v2/sessions';

const words = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, index) => `w${(seed * 7919 + index * 104_729) % 5000}`).join(' ');

/** A turn of a support bot: an agent, a tool that it asks, and a call of a model with what was said before. */
function turnOf(session: string, number: number): unknown[] {
  const id = traceId();
  const root = spanId();
  const place = at(number * 30);
  const attributes = [
    text('session.id', session),
    text('user.id', `user-${session}`),
    text('input.value', `${words(60, number)} ${number}`),
    text('output.value', words(120, number + 1)),
  ];
  const tool = [text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.name', 'find_order')];
  const messages = Array.from({ length: HISTORY }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    parts: [{ type: 'text', content: words(80, number + index) }],
  }));
  const more = { 'gen_ai.input.messages': JSON.stringify(messages) };
  const inside = { traceId: id, parentSpanId: root, ...place };
  return [
    span({ traceId: id, spanId: root, name: 'support agent', attributes, ...place }),
    span({ name: 'execute_tool find_order', attributes: tool, ...inside }),
    llmSpan({ output: words(120, number + 1), more, inputTokens: 1800, outputTokens: 160 }, inside),
  ];
}

/** The rows that the turns are made of, without what the product does around them. */
const ROWS = `
  SELECT x.trace_id, x.start_ns, u.end_ns, x.name, x.status, x.error_message, x.first_input, x.last_output, x.models_used,
         x.tool_names, x.user_id, u.span_count, u.input_tokens, u.output_tokens, u.cost, u.unpriced_count
    FROM trace_search x JOIN traces u USING (workspace_id, trace_id)
   WHERE x.workspace_id = 1 AND "left"(x.session_id, 200) = $1 AND x.session_id = $1
   ORDER BY x.start_ns, x.trace_id LIMIT $2`;

describe(`a session of ${TURNS} turns`, () => {
  let server: Installation;
  let db: pg.Client;
  let client: ApiClient;
  beforeAll(async () => {
    server = await startBenchInstallation();
    await server.start('api');
    client = new ApiClient(server.url, server.apiKey);
    db = new pg.Client(server.databaseUrl);
    await db.connect();
    const turns = Array.from({ length: TURNS + OTHERS }, (_, index) =>
      turnOf(index < TURNS ? SESSION : `other-${Math.floor((index - TURNS) / 10)}`, index),
    );
    for (let from = 0; from < turns.length; from += TURNS_PER_REQUEST) {
      await client.post('/v1/traces', envelope(turns.slice(from, from + TURNS_PER_REQUEST).flat()));
    }
    const worker = await server.start('worker');
    await until(async () => (await db.query('SELECT FROM trace_search_queue')).rowCount === 0, 600_000);
    await worker.stop();
    await db.query('ANALYZE');
  }, 900_000);
  afterAll(async () => {
    await db.end();
    await server.close();
  });

  it('is read', async () => {
    const select = (rows: number) => () => db.query(ROWS, [SESSION, rows]);
    const get = (path: string) => () => client.get(`${SESSIONS}/${SESSION}${path}`);
    const measured: [string, () => Promise<unknown>, (() => Promise<unknown>) | null][] = [
      ['its totals', get(''), select(TURNS)],
      [`${TURNS} turns`, get(`/turns?limit=${TURNS}`), select(TURNS)],
      ['100 turns', get('/turns?limit=100'), select(100)],
    ];
    const table = [['what', ...LATENCY_COLUMNS, 'KB', 'beside SELECT']];
    for (const [what, request, limit] of measured) {
      await request();
      const { latencies, last } = await oneByOne(REQUESTS, request);
      const rows = limit && (await oneByOne(REQUESTS, limit)).latencies;
      const size = `${(JSON.stringify(last).length / 1000).toFixed(0)}`;
      table.push([what, ...columnsOf(latencies), size, rows ? (median(latencies) / median(rows)).toFixed(1) : '']);
    }
    printTable(`A session of ${TURNS} turns beside ${OTHERS}\n${await machine(server.databaseUrl)}`, table);
    const plan = await db.query<{ 'QUERY PLAN': string }>(`EXPLAIN ANALYZE ${ROWS}`, [SESSION, TURNS]);
    process.stdout.write(`${plan.rows.map((row) => row['QUERY PLAN']).join('\n')}\n`);
  });

  it.skipIf(isBrowserMissing())('is drawn', async () => {
    const browser: Browser = await launchChromium();
    const page = await MeasuredPage.open(browser, server.url);
    await page.page.goto('/console/');
    await signIn(page.page, server.apiKey);
    const rows = [['what', 'budget', 'asked for → turns drawn', 'turns', 'elements']];
    const { data } = (await client.get(`${SESSIONS}/${SESSION}/turns?limit=${TURNS}`)) as {
      data: { trace_id: string }[];
    };
    for (const [what, query] of [
      ['opened', ''],
      ['opened at a late turn', `?turn=${data[TURNS - 60]!.trace_id}`],
    ] as const) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await page.page.goto(`/console/conversations/${SESSION}${query}`);
        const drawn = await page.painted(
          `document.querySelector('.session-turn[aria-current]') && document.querySelector('.turn h2')`,
        );
        const asked = `performance.getEntriesByType('resource').find(({ name }) => name.includes('sessions/${SESSION}'))`;
        times.push(drawn - (await page.page.evaluate<number>(`${asked}.startTime`)));
      }
      const count = (selector: string) => page.page.evaluate<number>(`document.querySelectorAll('${selector}').length`);
      const took = `${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)}`;
      rows.push([what, '≤ 200 ms', took, String(await count('.session-turn')), String(await count('*'))]);
    }
    printTable('In Chromium, headless, drawn by the processor', rows);
    await browser.close();
  });
});
