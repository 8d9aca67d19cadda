import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, readSpans, send } from '../support/otlp.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, pressBoth } from './support/console-app.js';

/** A span of a second that began so many hours ago. */
function ago(hours: number): Record<string, string> {
  const start = BigInt(Date.now() - Math.round(hours * 3_600_000)) * 1_000_000n;
  return { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 1_000_000_000n) };
}

describe.skipIf(isBrowserMissing())('trends', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const failed = { status: { code: 2, message: 'Overloaded' } };
    await send(console.app.client, [
      ...Array.from({ length: 6 }, (_, at) => llmSpan({ model: 'gpt-4o' }, ago(2 + at))),
      ...Array.from({ length: 3 }, () => llmSpan({ model: 'flaky-model' }, { ...ago(30), ...failed })),
      llmSpan({ model: 'gpt-4o' }, ago(20 * 24)),
    ]);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const group = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

  it('show calls over time and by model, each a way to its list', async () => {
    const page = await console.openSigned('/console/trends');
    await page.getByText('Calls: 9 requests').waitFor();
    expect(await group(page, 'gpt-4o').locator('.number').first().innerText()).toBe('6');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'flaky-model' }).click();
    await page.waitForURL(/\/logs\?f=engine\+is\+flaky-model&days=7$/);
    await page.locator('.list-foot', { hasText: '3 requests' }).waitFor();
  });

  it('show one group over time, and lead from a bar to its requests', async () => {
    const page = await console.openSigned('/console/trends?metric=failures');
    await page.getByRole('button', { name: 'Show over time: flaky-model' }).click();
    await page.getByText('Failures: 3 failed').waitFor();
    const chart = page.getByRole('slider');
    await chart.focus();
    await page.keyboard.press('Home');
    const bars = Number(await chart.getAttribute('aria-valuemax'));
    const told = async () => (await chart.getAttribute('aria-valuetext'))!;
    for (let bar = 0; bar < bars && !(await told()).endsWith(': 3 failed'); bar++)
      await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/logs\?f=engine\+is\+flaky-model&status=ERROR&from=/);
    await page.locator('.list-foot', { hasText: '3 requests' }).waitFor();
  });

  it('say when there are more groups than are shown', async () => {
    const client = await console.app.stranger();
    await send(
      client,
      Array.from({ length: 51 }, (_, at) => llmSpan({ model: `model-${at}` }, ago(2))),
    );
    const page = await console.openSigned('/console/trends', { key: client.apiKey! });
    await page.getByText('Only the 50 with the most requests.').waitFor();
  });

  it('look back as far as somebody chooses, and are reached with the keyboard', async () => {
    const page = await console.openSigned('/console/');
    await pressBoth(page, 'g', 'd');
    await page.getByLabel('Time', { exact: true }).selectOption('Last 30 days');
    await page.getByText('Calls: 10 requests').waitFor();
    await page.getByLabel('By', { exact: true }).selectOption('Tag');
    await page.getByText('No request of this time has a tag.').waitFor();
    await page.waitForURL(/\?(days=30&by=tag|by=tag&days=30)$/);
  });

  it('show a score over time and by group, each a way to the requests that have it', async () => {
    const { client } = console.app;
    for (const score of [40, 80]) {
      const span = llmSpan({ model: 'scored-model' }, ago(1));
      await send(client, [span]);
      const [read] = await readSpans(client, span.traceId);
      await client.post('/rest/track-score', { request_id: read!.request_log_id, name: 'Helpful', score });
    }
    const page = await console.openSigned('/console/trends');
    await page.getByLabel('Measure').selectOption('Score: Helpful');
    await page.getByRole('slider', { name: 'Helpful: mean 60 of 2 scores' }).waitFor();
    await page.getByRole('table', { name: 'By model' }).getByRole('cell', { name: '60' }).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('table').getByRole('link').first().click();
    await page.waitForURL(/\/logs\?f=/);
    await page.locator('.list-foot', { hasText: '2 requests' }).waitFor();
  });

  it('show calls that were just sent after a refresh', async () => {
    const { client } = console.app;
    await send(client, [llmSpan({ model: 'fresh-model' }, ago(0))]);
    const page = await console.openSigned('/console/trends?only=fresh-model&label=fresh-model');
    await page.getByText(/^Calls: 1 request ·/).waitFor();
    await send(client, [llmSpan({ model: 'fresh-model' }, ago(0))]);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Calls: 2 requests').waitFor();
  });

  it('end at the time of the last refresh', async () => {
    const page = await console.openSigned('/console/trends');
    await page.getByText(/^Calls: \d+ requests/).waitFor();
    const later = Date.now() + 8 * 3_600_000;
    await page.clock.setFixedTime(later);
    const asked = page.waitForRequest('**/requests/histogram');
    await page.getByRole('button', { name: 'Refresh' }).click();
    const { end_time: end } = (await asked).postDataJSON() as { end_time: string };
    expect(Date.parse(end) - later).toBeLessThanOrEqual(60_000);
    expect(Date.parse(end)).toBeGreaterThan(later);
  });
});
