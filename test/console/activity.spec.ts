import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { askColumn } from '../support/external-cells.js';
import { importLogs, newSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { createWebhook, IMPATIENT, Receiver, settled } from '../support/webhooks.js';
import { until } from '../support/until.js';
import WaitingModule from '../support/waiting.extension.js';
import { WaitingService } from '../support/waiting-service.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('jobs and events', () => {
  let console: ConsoleApp;
  let receiver: Receiver;
  let service: WaitingService;
  let viewer: string;
  /** A key of a workspace in which nothing has happened. */
  let newcomer: string;
  beforeAll(async () => {
    service = await WaitingService.start();
    console = await ConsoleApp.start({ env: IMPATIENT, extensions: [WaitingModule] });
    const { client } = console.app;
    receiver = await Receiver.start();
    const { webhook } = await createWebhook(client, 1, { url: receiver.url, name: 'Deployment bot' });
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    viewer = ((await client.post(keys, { name: 'Reader', role: 'viewer' }, 201)) as { secret: string }).secret;
    const operator = console.app.operator();
    const created = await operator.post('/api/admin/v1/workspaces', { name: 'New' }, 201);
    const { id } = (created as { workspace: { id: number } }).workspace;
    const issued = await operator.post(`/api/admin/v1/workspaces/${id}/api-keys`, { role: 'admin' }, 201);
    newcomer = (issued as { secret: string }).secret;
    await logCall(client, {});
    await publishPrompt(client, 'told <b>loudly</b>');
    await client.post('/api/public/v2/exports', { source: 'requests', format: 'csv' }, 202);
    await settled(console.app, { me: client, webhook }, 1);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    service.release();
    await receiver.stop();
    await console.stop();
    await service.stop();
  });

  const line = (page: Page, text: string) => page.locator('.activity li').filter({ hasText: text });

  it('shows exports, deliveries, changes and events on one line of time, and acts on them', async () => {
    await console.app.client.post('/api/public/v2/exports', { source: 'traces', format: 'csv' }, 202);
    const page = await console.openSigned('/console/activity');
    await line(page, 'Traces: 1 row').getByRole('link', { name: 'Download' }).waitFor();
    await line(page, 'Api key: create').getByText('by First key').first().waitFor();
    await line(page, 'prompt id: ').waitFor();
    expect(await page.locator('.activity b').count()).toBe(0);
    const times = await page
      .locator('.activity time')
      .evaluateAll((all) => all.map((each) => each.getAttribute('datetime')!));
    expect(times).toEqual(times.toSorted().toReversed());
    await line(page, 'Deployment bot').getByRole('button', { name: 'Send again' }).click();
    await expect.poll(() => receiver.requests.length).toBe(2);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      line(page, 'Traces: 1 row').getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await line(page, 'Traces: 1 row').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await line(page, 'Traces: 1 row').waitFor({ state: 'detached' });
  });

  it('shows computations and imports of sheets, and cancels them', async () => {
    const { client } = console.app;
    service.delayMs = null;
    const sheet = await newSheet(client, ['one', 'two']);
    await importLogs(client, sheet, { filter_group: { filters: [] } });
    await askColumn(client, sheet, service.url);
    await until(() => Promise.resolve(service.held > 0));
    const page = await console.openSigned('/console/activity?kind=operations');
    await line(page, 'Sheet 1 in Test: running, 0 of').getByRole('progressbar', { name: 'Cells done' }).waitFor();
    await line(page, 'by First key').waitFor();
    await expectAccessible(page);
    await line(page, 'running').getByRole('button', { name: 'Cancel' }).click();
    await line(page, 'Sheet 1 in Test: cancelled').waitFor();
    await page.getByLabel('Kind', { exact: true }).selectOption('Imports');
    await line(page, 'Sheet 1 in Test: completed, 1 row').getByRole('link', { name: 'Sheet 1' }).click();
    await page.getByRole('grid', { name: 'Cells' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/console/tables/${sheet.tableId}/${sheet.id}`);
  });

  it('is narrowed to a kind, which stays in the URL, and says when there is nothing of it', async () => {
    const page = await console.openSigned('/console/activity', { key: newcomer });
    await line(page, 'Console session: start').waitFor();
    await page.getByLabel('Kind', { exact: true }).selectOption('Exports');
    await page.waitForURL(/kind=exports/);
    await page.getByText('The list shows only exports.').waitFor();
    await expectAccessible(page);
    await page.reload();
    await page.getByText('The list shows only exports.').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await line(page, 'Console session: start').waitFor();
  });

  it('shows a key without permissions its exports, and which permission the rest needs', async () => {
    const page = await console.openSigned('/console/activity', { key: viewer });
    await page.getByText('To see webhook deliveries, changes and events, you need the permission ADMIN').waitFor();
    await line(page, 'Request logs: 1 row').waitFor();
    await expectAccessible(page);
  });

  it('shows errors of the server', async () => {
    const page = await console.openSigned('/console/settings');
    const json = { success: false, message: 'The trail is cold.', error: 'cold' };
    await page.route('**/audit-entries*', (route) => route.fulfill({ status: 400, json }));
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('alert').getByText('The trail is cold.').waitFor();
    await page.unroute('**/audit-entries*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await line(page, 'Api key: create').first().waitFor();
  });

  it.each([
    [false, 1440],
    [true, 1024],
  ])('is accessible, dark: %s, at %d px', async (dark, width) => {
    const page = await console.openSigned('/console/activity', { dark, width });
    await line(page, 'Deployment bot').first().waitFor();
    await line(page, 'Api key: create').first().waitFor();
    await expectAccessible(page);
  });
});
