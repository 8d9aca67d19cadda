import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { isBrowserMissing, launchChromium } from '../console/support/chromium.js';
import { signIn } from '../console/support/console-app.js';
import { largeTrace } from '../console/support/large-trace.js';
import { ApiClient, type SheetRef } from '../support/api-client.js';
import { envelope, traceId } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { startBenchInstallation } from './bench-installation.js';
import { describeFrames, MeasuredPage } from './browser-times.js';
import { fillSheet } from './filled-sheet.js';
import { machine, median, printTable } from './report.js';

const ROUNDS = 5;
const SPANS = 10_024;
const ROWS = 100_000;
const SPANS_PER_REQUEST = 1000;
const ROW_PX = 32;

/** Table of budgets and measured values. */
const rows = [['what', 'budget', 'measured']];
const row = (what: string, budget: string, measured: string) => rows.push([what, budget, measured]);
const ms = (times: number[]) => `${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)}`;

describe.skipIf(isBrowserMissing())('the console in a browser', () => {
  let server: Installation;
  let db: pg.Client;
  let client: ApiClient;
  let browser: Browser;
  let page: MeasuredPage;
  beforeAll(async () => {
    server = await startBenchInstallation();
    await server.start('api');
    client = new ApiClient(server.url, server.apiKey);
    db = new pg.Client(server.databaseUrl);
    await db.connect();
    browser = await launchChromium();
    page = await MeasuredPage.open(browser, server.url);
    await page.page.goto('/console/');
    await signIn(page.page, server.apiKey);
  });
  afterAll(async () => {
    printTable(`The console in Chromium, headless, drawn by the processor\n${await machine(server.databaseUrl)}`, rows);
    await browser.close();
    await db.end();
    await server.close();
  });

  it('is opened for the first time', async () => {
    const loads = [];
    for (let round = 0; round < ROUNDS; round++) loads.push(await firstLoad());
    row('first load, compressed', '≤ 200 KB', `${(median(loads.map(({ bytes }) => bytes)) / 1000).toFixed(0)} KB`);
    row('first paint, empty cache', '≤ 400 ms', ms(loads.map(({ paint }) => paint)));
    row('main thread until then', '', `${ms(loads.map(({ cpu }) => cpu))} CPU`);
  });

  /** First load in a browser with an empty cache, until a user can sign in. */
  async function firstLoad(): Promise<{ bytes: number; paint: number; cpu: number }> {
    const fresh = await MeasuredPage.open(browser, server.url);
    const cpu = await fresh.cpu(async () => {
      await fresh.page.goto('/console/');
      await fresh.page.getByLabel('API key').waitFor();
    });
    const of = (script: string) => fresh.page.evaluate<number>(script);
    const paint = await of(`new Promise((done) =>
      new PerformanceObserver((list) => done(list.getEntriesByName('first-contentful-paint')[0].startTime))
        .observe({ type: 'paint', buffered: true }))`);
    const bytes = await of(`[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => /\\/console\\/(?!session)/.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`);
    await fresh.close();
    return { bytes, paint, cpu };
  }

  it('shows a trace of ten thousand spans', async () => {
    const trace = traceId();
    const spans = largeTrace(trace, SPANS);
    for (let from = 0; from < SPANS; from += SPANS_PER_REQUEST) {
      await client.post('/v1/traces', envelope(spans.slice(from, from + SPANS_PER_REQUEST)));
    }
    const [atOnce] = await openTrace(trace, 1);
    await untilIndexed();
    row(`trace of ${SPANS} spans, asked for → drawn`, '≤ 800 ms', ms(await openTrace(trace, ROUNDS)));
    row('… that no worker has come to yet', '', `${atOnce!.toFixed(0)} ms`);
    // Large groups are folded at first. Spans of one kind are listed wherever they are: that is all of them here.
    await page.page.locator('.legend').first().click();
    row('… all listed, scrolled 78 px a frame', '60 fps', describeFrames(await page.scroll('.spans', [0, 78])));
    row('… scrolled 600 px a frame', '', describeFrames(await page.scroll('.spans', [0, 600])));
    const find = page.page.getByLabel('Find spans');
    const found = page.page.getByRole('status').filter({ hasText: 'found' });
    const times = [];
    for (const words of ['step 99', 'step 12', 'step 5', 'step 77', 'ste']) {
      await find.fill('');
      times.push(
        await page.cpu(async () => {
          await find.fill(words);
          await found.waitFor();
        }),
      );
    }
    row(`… searched for words`, '≤ 100 ms', `${ms(times)} CPU`);
  });

  /**
   * Waits for the worker, which indexes every trace within seconds. It would take a processor from the browser
   * meanwhile.
   */
  async function untilIndexed(): Promise<void> {
    const worker = await server.start('worker');
    await until(async () => (await db.query('SELECT FROM trace_search_queue')).rowCount === 0, 120_000);
    await worker.stop();
  }

  /** Milliseconds from when its data are asked for until it is drawn. */
  async function openTrace(trace: string, rounds: number): Promise<number[]> {
    const times = [];
    for (let round = 0; round < rounds; round++) {
      await page.page.goto(`/console/traces/${trace}`);
      const drawn = await page.painted(`document.querySelector('.span-row')`);
      const asked = `performance.getEntriesByType('resource').find(({ name }) => name.includes('traces/${trace}'))`;
      times.push(drawn - (await page.page.evaluate<number>(`${asked}.startTime`)));
    }
    return times;
  }

  const pathOf = ({ tableId, id }: SheetRef) => `/console/tables/${tableId}/${id}`;
  const drawn = (at: number, column = 0) => `document.querySelector('#cell-${at}-${column}')?.innerText.trim()`;

  async function openSheet(sheet: SheetRef): Promise<number[]> {
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      await page.page.goto(pathOf(sheet));
      times.push(await page.painted(drawn(0)));
    }
    await page.page.locator('#cell-0-0').click();
    return times;
  }

  it('shows a sheet of two million cells', async () => {
    const sheet = await fillSheet({ client, db }, { rows: ROWS, texts: 20, counts: 0 });
    row(`sheet of ${ROWS} × 20, opened`, '', ms(await openSheet(sheet)));
    for (const [lines, budget] of [
      [1, '60 fps'],
      [3, '60 fps'],
      [20, '30 fps'],
      [200, '30 fps'],
    ] as const) {
      row(`… ${lines} rows a frame`, budget, describeFrames(await page.scroll('.sheet-grid', [0, lines * ROW_PX])));
    }
    row('… 3 rows a frame, upwards', '60 fps', describeFrames(await page.scroll('.sheet-grid', [0, -3 * ROW_PX])));
    row('… sideways, 24 px a frame', '60 fps', describeFrames(await page.scroll('.sheet-grid', [24, 0], 60)));
    await page.page.keyboard.press('Control+Home');
    const jumps = [];
    for (const to of [20_000, 90_000, 5_000, 57_000, 70_000]) {
      await page.page.getByLabel('Go to row').fill(String(to));
      jumps.push(await page.untilPainted(drawn(to - 1), () => page.page.keyboard.press('Enter')));
    }
    row('… a far row → its cells', '≤ 150 ms', ms(jumps));
    await page.page.locator(`#cell-${70_000 - 1}-0`).click();
    const keys = 50;
    const cpu = await page.cpu(async () => {
      for (let at = 0; at < keys; at++) await page.page.keyboard.press('ArrowDown');
    });
    row('… an arrow key', '≤ 16 ms', `${(cpu / keys).toFixed(1)} ms CPU`);
  });

  it('shows a sheet of 999 columns', async () => {
    const sheet = await fillSheet({ client, db }, { rows: 200, texts: 999, counts: 0 });
    row('sheet of 200 × 999, opened', '', ms(await openSheet(sheet)));
    row('… sideways, 96 px a frame', '60 fps', describeFrames(await page.scroll('.sheet-grid', [96, 0])));
    const end = () => page.page.keyboard.press('Control+End');
    await page.page.keyboard.press('Control+Home');
    row('… the last cell', '≤ 150 ms', ms([await page.untilPainted(drawn(199, 998), end)]));
  });

  it('has a page of its API', async () => {
    const opened = [];
    const expanded = [];
    for (let round = 0; round < ROUNDS; round++) {
      const fresh = await MeasuredPage.open(browser, server.url);
      const sections = fresh.page.locator('.opblock-tag');
      opened.push(
        await fresh.cpu(async () => {
          await fresh.page.goto('/docs');
          await sections.first().waitFor();
        }),
      );
      expanded.push(
        await fresh.cpu(async () => {
          await sections.first().click();
          await fresh.page.locator('.opblock-summary-control').first().click();
          await fresh.page.locator('.opblock-body').first().waitFor();
        }),
      );
      await fresh.close();
    }
    row('Swagger UI, opened', '≤ 1,500 ms', `${ms(opened)} CPU`);
    row('… one section and one operation unfolded', '', `${ms(expanded)} CPU`);
  });
});
