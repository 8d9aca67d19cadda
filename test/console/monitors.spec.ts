import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { createMonitor, logCalls, type Monitor, MONITORS } from '../support/monitors.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('monitors', () => {
  let console: ConsoleApp;
  let client: Client;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    ({ client } = console.app);
    await logCalls(client, 8, { status: 'ERROR' }, 1.5);
    await logCalls(client, 8, {}, 4);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  it('are made in one sentence, with what they would have done', async () => {
    const page = await console.openSigned('/console/monitors?id=new');
    await page.getByLabel('Name').fill('Failures of the API');
    await page.getByLabel('Least items').fill('5');
    await page.getByText('would have opened 1 alert').waitFor();
    const least: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/preview'))
        least.push((request.postDataJSON() as { least_items: number }).least_items);
    });
    await page.getByLabel('Least items').pressSequentially('000');
    await page.getByText('would not have opened').waitFor();
    expect(least).toEqual([5000]);
    await page.getByLabel('Least items').fill('5');
    await page.getByText('would have opened 1 alert').waitFor();
    await page.getByLabel('Rule').selectOption('higher than usual');
    await page.getByText('Usual: the same hours of the weeks before.').waitFor();
    await page.getByText('would not have opened').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Rule').selectOption('above');
    await page.getByLabel('Window').selectOption('3 hours');
    await page.getByRole('button', { name: 'Save the monitor' }).click();
    await page.getByRole('heading', { name: 'Failures of the API' }).waitFor();
    await page.getByRole('heading', { name: 'Alerts' }).waitFor();
    await expectAccessible(page);
    if (process.env.PICTURE) await page.screenshot({ path: process.env.PICTURE });
  });

  it('are changed in the form that makes them, and say what happens to open alerts', async () => {
    const filter = { filters: [{ field: 'engine', operator: 'is_not', value: 'gpt-3' }] };
    const { id } = await createMonitor(client, { name: 'Changed', window_minutes: 180, filter_group: filter });
    const read = async () => ((await client.get(`${MONITORS}/${id}`)) as { monitor: Monitor }).monitor;
    await until(async () => (await read()).status === 'open');
    const page = await console.openSigned(`/console/monitors?id=${id}`);
    const name = page.getByLabel('Name');
    await page.getByRole('button', { name: 'Edit the monitor' }).click();
    await page.getByText('The open alert stays open.').waitFor();
    await page.getByText('"gpt-3"').waitFor();
    await name.fill('Renamed');
    await page.getByRole('button', { name: 'Close the panel' }).click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    expect(await name.inputValue()).toBe('Renamed');
    await page.goBack();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await page.getByRole('button', { name: 'Save the monitor' }).click();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    expect(await read()).toMatchObject({ name: 'Renamed', status: 'open', filter_group: filter });

    await page.getByRole('button', { name: 'Edit the monitor' }).click();
    await page.getByText('would have opened 1 alert').waitFor();
    await page.getByLabel('Measure').selectOption('mean of a score');
    await page.getByLabel('Score').fill('quality');
    await page.getByText('Saving closes the open alert').waitFor();
    await page.getByLabel('Measure').selectOption('share of failures');
    await page.getByLabel('Limit').fill('');
    await page.getByLabel('Limit').fill('100');
    await page.getByText('would not have opened').waitFor();
    await page.getByText('More', { exact: true }).click();
    await page.getByLabel('When there are no items').selectOption('It is fine');
    await expectAccessible(page);
    if (process.env.PICTURE_OF_FORM) await page.screenshot({ path: process.env.PICTURE_OF_FORM });
    await page.getByRole('button', { name: 'Save the monitor' }).click();
    await page.getByRole('table', { name: 'Alerts' }).getByText('monitor changed').waitFor();
    expect(await read()).toMatchObject({ limit: 1, no_data: 'ok', closes_after_minutes: 0, filter_group: filter });
  });

  it('show an alert that opens while they are looked at', async () => {
    const { id } = await createMonitor(client, { name: 'Watched', limit: 1 });
    const page = await console.openSigned(`/console/monitors?id=${id}`);
    await page.getByText('There have been none.').waitFor();
    await client.patch(`${MONITORS}/${id}`, { limit: 0.2, window_minutes: 180 });
    await page.getByRole('table', { name: 'Alerts' }).getByText('100 %').waitFor();
  });

  it('show open ones first, here and on Today, and are paused and deleted', async () => {
    const { id } = await createMonitor(client, { name: 'Open one', window_minutes: 180 });
    await until(async () => {
      const { monitor } = (await client.get(`/api/public/v2/monitors/${id}`)) as { monitor: { status: string } };
      return monitor.status === 'open';
    });
    const page = await console.openSigned('/console/');
    await page.getByRole('link', { name: 'Open one' }).click();
    await page.getByRole('table', { name: 'Alerts' }).getByText('100 %').waitFor();
    await page.getByRole('table', { name: 'Alerts' }).getByRole('link', { name: '8 items' }).waitFor();
    await page.getByRole('button', { name: 'Pause the monitor' }).click();
    await page.getByRole('button', { name: 'Resume the monitor' }).waitFor();
    await page.getByRole('button', { name: 'Delete the monitor' }).click();
    const question = page.getByRole('dialog', { name: 'Delete this monitor?' });
    await question.getByRole('button', { name: 'Delete the monitor' }).click();
    await page.getByRole('button', { name: 'Open one' }).waitFor({ state: 'detached' });
  });

  it('are all listed, also those of later pages', async () => {
    await createMonitor(client, { name: 'Of the first page' });
    await createMonitor(client, { name: 'Of the last page' });
    const page = await console.openSigned('/console/settings');
    // Pages of a single monitor stand for those of a hundred.
    await page.route('**/monitors?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
    );
    await page.getByRole('link', { name: 'Monitors' }).click();
    for (const name of ['Of the first page', 'Of the last page']) await page.getByRole('button', { name }).waitFor();
    const { data } = (await client.get(MONITORS)) as { data: Monitor[] };
    await page.getByText(`${data.length} monitors`).waitFor();
  });
});
