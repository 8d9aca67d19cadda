import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, sendFrom, spanId, traceId } from '../support/otlp.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

/** A call of a minute ago, from a resource. */
async function call(console: ConsoleApp, name: string, resource: Record<string, string>): Promise<void> {
  const start = BigInt(Date.now() - 60_000) * 1_000_000n;
  const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 1_000_000_000n) };
  const fields = { name, traceId: traceId(), spanId: spanId(), ...times };
  await sendFrom(console.app.client, resource, [llmSpan({ model: name }, fields)]);
}

describe.skipIf(isBrowserMissing())('the origin and the environment of what is shown', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    await call(console, 'shop', { 'deployment.environment.name': 'production' });
    await call(console, 'lab', { 'deployment.environment.name': 'staging' });
    await call(console, 'judge', { 'tracesheet.origin': 'sheet' });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const requests = (page: Page) => page.locator('.tile').filter({ hasText: /^Requests/ });
  const shows = (page: Page, models: string[]) =>
    Promise.all(
      ['shop', 'lab', 'judge'].map((model) =>
        page
          .getByRole('grid')
          .getByText(model, { exact: true })
          .first()
          .waitFor({ state: models.includes(model) ? 'visible' : 'detached' }),
      ),
    );

  it('is that of applications, and a switch shows the rest; links and the rail keep it', async () => {
    const page = await console.openSigned('/console/');
    await requests(page).getByText('2', { exact: true }).waitFor();
    await page.getByLabel('Origin', { exact: true }).selectOption('Applications and this server');
    await requests(page).getByText('3', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?origin=all');
    await expectAccessible(page);
    await requests(page).click();
    await shows(page, ['shop', 'lab', 'judge']);
    await page.getByLabel('Origin', { exact: true }).selectOption('This server');
    await shows(page, ['judge']);
    await page.getByRole('link', { name: 'Traces' }).click();
    await shows(page, ['judge']);
    expect(new URL(page.url()).search).toBe('?origin=server');
    await page.getByLabel('Origin', { exact: true }).selectOption('Applications');
    await shows(page, ['shop', 'lab']);
  });

  it('is one environment where one is chosen', async () => {
    const page = await console.openSigned('/console/logs');
    await shows(page, ['shop', 'lab']);
    await page.getByLabel('Environment').selectOption('production');
    await shows(page, ['shop']);
    await page.getByRole('link', { name: 'Today' }).click();
    await requests(page).getByText('1', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?env=production');
  });
});
