import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askColumn } from '../support/external-cells.js';
import { newSheet } from '../support/factories.js';
import { RefusalCounts } from '../../src/traces/index.js';
import { llmSpan, send, span, spanId, traceId } from '../support/otlp.js';
import { until } from '../support/until.js';
import WaitingModule from '../support/waiting.extension.js';
import { WaitingService } from '../support/waiting-service.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

/** A call so many hours ago. */
function callAgo(hours: number, call: object = {}, fields: object = {}): object {
  const start = BigInt(Date.now() - hours * 3_600_000) * 1_000_000n;
  const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 2_000_000_000n) };
  return llmSpan(call, { traceId: traceId(), spanId: spanId(), ...times, ...fields });
}
/** A job that began so many hours ago and took so many seconds. */
function jobAgo(hours: number, seconds: number): object {
  const start = BigInt(Date.now() - hours * 3_600_000) * 1_000_000n;
  const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + BigInt(seconds) * 1_000_000_000n) };
  return span({ traceId: traceId(), spanId: spanId(), name: 'nightly job', ...times });
}

const FAILED = { status: { code: 2, message: 'Rate limit of <b>house</b> reached' } };

describe.skipIf(isBrowserMissing())('today', () => {
  let console: ConsoleApp;
  let service: WaitingService;
  beforeAll(async () => {
    service = await WaitingService.start();
    console = await ConsoleApp.start({ extensions: [WaitingModule] });
    await send(console.app.client, [
      ...[2, 3, 4].map((hours) => callAgo(hours)),
      callAgo(5, {}, FAILED),
      callAgo(6, { model: 'house-model', provider: 'house' }),
      ...[30, 31].map((hours) => callAgo(hours)),
      // Enough jobs to compare their durations.
      ...Array.from({ length: 20 }, () => [jobAgo(3, 6), jobAgo(30, 4)]).flat(),
    ]);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    service.release();
    await console.stop();
    await service.stop();
  });

  const tile = (page: Page, title: string) => page.locator('.tile').filter({ hasText: title });

  it('shows the numbers of the day vs. the previous day, each with a link to its items', async () => {
    const page = await console.openSigned('/console/');
    await tile(page, 'Requests').getByText('5', { exact: true }).waitFor();
    await tile(page, 'Requests').getByText('+150 % vs. previous day').waitFor();
    await tile(page, 'Failed').getByText('1 (20.0 %)').waitFor();
    await tile(page, 'Failed').getByText('none the day before').waitFor();
    await tile(page, 'Cost').getByText('+', { exact: false }).first().waitFor();
    await tile(page, 'Latency of requests')
      .getByText(/^[12]\.\d+ s$/)
      .waitFor();
    const wanted = new URL((await tile(page, 'Failed').getAttribute('href'))!, console.url).searchParams;
    expect(wanted.get('status')).toBe('ERROR');
    expect(Date.parse(wanted.get('to')!) - Date.parse(wanted.get('from')!)).toBe(86_400_000);
    expect(await page.title()).toBe('Today · Tracesheet');
  });

  it('shows the newest failures as text, models without a price, and what is running', async () => {
    const page = await console.openSigned('/console/');
    await page.getByText('Rate limit of <b>house</b> reached').last().waitFor();
    const unpriced = page.getByRole('listitem').filter({ hasText: 'house-model' });
    expect(await unpriced.getByRole('link', { name: '1 request', exact: true }).getAttribute('href')).toContain(
      'cost+is_null',
    );
    await page.getByText('Nothing is running.').waitFor();
    await unpriced.getByRole('link', { name: 'Set a price' }).click();
    await page.getByRole('dialog', { name: 'Price of a model' }).waitFor();
    expect(await page.getByLabel(/^Model/).inputValue()).toBe('house-model');
  });

  it('shows running computations of sheets', async () => {
    const { client } = console.app;
    service.delayMs = null;
    const sheet = await newSheet(client, ['one', 'two']);
    await askColumn(client, sheet, service.url);
    await until(() => Promise.resolve(service.held > 0));
    const page = await console.openSigned('/console/');
    const running = page.getByRole('listitem').filter({ hasText: /Sheet 1 in .*:\s+running, 0 of/ });
    await running.getByRole('progressbar', { name: 'Cells done' }).waitFor();
    service.reset();
    await page.getByText('Nothing is running.').waitFor();
  });

  it('shows spans that were rejected at ingestion, and where to find more', async () => {
    const { app } = console;
    await send(app.client, [span({ spanId: 'short' }), span({ spanId: 'short' })]);
    await app.app.get(RefusalCounts).write();
    const page = await console.openSigned('/console/');
    await page.getByRole('listitem').filter({ hasText: '2 spans: Invalid spanId length, last at' }).waitFor();
    await page.getByText('x-ingest-receipt').waitFor();
    await expectAccessible(page);
  });

  it('names the traces that take longer than those of the same name did, and leads to them', async () => {
    const page = await console.openSigned('/console/');
    const grown = page.getByRole('listitem').filter({ hasText: 'nightly job, slower: +50 % vs. previous day' });
    await grown.getByRole('link', { name: '6.00 s' }).click();
    await page.getByRole('row').filter({ hasText: 'nightly job' }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('trace_duration_ms');
  });

  it('shows after a refresh, and by itself after some minutes, what has come since: requests, rejected spans, and what is running', async () => {
    const { app } = console;
    const client = await app.stranger();
    const page = await console.openSigned('/console/', { key: client.apiKey! });
    await page.getByText('Nothing was rejected.').waitFor();
    await send(client, [callAgo(0), span({ spanId: 'short' })]);
    await app.app.get(RefusalCounts).write();
    await page.getByRole('button', { name: 'Check again' }).click();
    await tile(page, 'Requests').getByText('1', { exact: true }).waitFor();
    await page.getByRole('listitem').filter({ hasText: '1 span: Invalid spanId length, last at' }).waitFor();
    await page.getByText('Nothing is running.').waitFor();
    service.delayMs = null;
    await askColumn(client, await newSheet(client, ['one']), service.url);
    await until(() => Promise.resolve(service.held > 0));
    await send(client, [callAgo(0)]);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await tile(page, 'Requests').getByText('2', { exact: true }).waitFor();
    await page.getByRole('progressbar', { name: 'Cells done' }).waitFor();
    service.reset();
    await page.clock.install();
    await page.reload();
    await tile(page, 'Requests').getByText('2', { exact: true }).waitFor();
    await send(client, [callAgo(0)]);
    await page.clock.fastForward(6 * 60_000);
    await tile(page, 'Requests').getByText('3', { exact: true }).waitFor();
    const wanted = await tile(page, 'Traces with failures').getAttribute('href');
    expect(wanted).toMatch(/^\/console\/traces\?from=[^&]+&to=[^&]+&status=ERROR$/);
  });

  it('compares the most frequent names of traces, also when others are slower', async () => {
    const client = await console.app.stranger();
    const run = (name: string, hours: number, seconds: number) => ({ ...jobAgo(hours, seconds), name });
    const rare = Array.from({ length: 60 }, (_, at) => [run(`rare ${at}`, 3, 60), run(`rare ${at}`, 30, 60)]).flat();
    const often = Array.from({ length: 20 }, () => [run('daily job', 3, 6), run('daily job', 30, 4)]).flat();
    await send(client, [...rare, ...often, callAgo(1)]);
    const page = await console.openSigned('/console/', { key: client.apiKey! });
    const grown = page.getByRole('listitem').filter({ hasText: 'daily job, slower: +50 %' });
    await grown.getByRole('link').click();
    await page.getByRole('button', { name: 'Without: name is daily job' }).waitFor();
    await page.locator('.list-foot', { hasText: '20 traces' }).waitFor();
  });

  it('says how requests come here where none has', async () => {
    const { apiKey } = await console.app.stranger();
    const page = await console.openSigned('/console/', { key: apiKey! });
    await page.getByRole('heading', { name: /has no requests from the last two days$/ }).waitFor();
    await page.getByText(`${console.url}/v1/traces`).waitFor();
    await page.getByText('Nothing is running.').waitFor();
    expect(await page.locator('.tile').count()).toBe(0);
    await expectAccessible(page);
  });

  it('shows errors of the server, part by part', async () => {
    const page = await console.openSigned('/console/prompts');
    const json = { success: false, message: 'The reading pool is tired.', error: 'tired' };
    await page.route('**/custom-analytics', (route) => route.fulfill({ status: 400, json }));
    await page.getByRole('link', { name: 'Today', exact: true }).click();
    await page.getByText('The reading pool is tired.').first().waitFor();
    await tile(page, 'Requests').getByText('5', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.unroute('**/custom-analytics');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('Failures by error').waitFor();
  });

  it.each([
    [false, 1440],
    [true, 1024],
  ])('is accessible, dark: %s, at %d px', async (dark, width) => {
    const page = await console.openSigned('/console/', { dark, width });
    await page.getByText('house-model').waitFor();
    await page.getByText('Rate limit of').last().waitFor();
    await expectAccessible(page);
  });
});
