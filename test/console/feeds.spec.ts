import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addColumn, newSheet } from '../support/factories.js';
import { changeFeed, type Feed, newFeed, readFeed, settledFeed } from '../support/feeds.js';
import { logCall, send, span, traceId } from '../support/otlp.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';
import { pathOf } from './support/sheet-page.js';

/** Times of a span that has just ended: plans and lists look at the last days. */
const justNow = () => ({
  startTimeUnixNano: `${Date.now() - 2000}000000`,
  endTimeUnixNano: `${Date.now() - 1000}000000`,
});

const HOSTILE = '<img src=x onerror="document.title=1">';

describe.skipIf(isBrowserMissing())('feeds', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const dialog = (page: Page) => page.getByRole('dialog');
  const card = (page: Page, name: string) => page.getByRole('listitem', { name, exact: true });

  /** The feed of the sheet that a page shows. */
  async function feedOf(page: Page): Promise<Feed> {
    const [table, sheet] = new URL(page.url()).pathname.split('/').slice(-2);
    const { data } = (await console.app.client.get(`/api/public/v2/tables/${table}/sheets/${sheet}/feeds`)) as {
      data: Feed[];
    };
    return data[0]!;
  }

  it('are created from the list of requests, filled, paused and asked why', async () => {
    const { client } = console.app;
    const stored = await logCall(client, { model: 'fed', input: 'Where is my parcel?' }, justNow());
    await logCall(client, { model: 'other', input: 'Something else.' }, justNow());
    const page = await console.openSigned('/console/logs?f=engine+is+fed&days=7');
    await page.getByRole('grid').getByText('Where is my parcel?').first().waitFor();
    await button(page, 'Judge from now on').click();
    await dialog(page).getByText('All requests where model is fed').waitFor();
    await dialog(page).getByLabel('Title').fill('Live calls');
    await expectAccessible(page);
    await button(page, 'Create the sheet and go on').click();

    await dialog(page).getByRole('cell', { name: 'Last 24 hours' }).waitFor();
    await button(page, 'Without: model is fed').waitFor();
    await button(page, 'Fill this sheet from now on · about 1 row a day').waitFor();
    await button(page, 'Add a filter').click();
    await page.getByLabel('Field', { exact: true }).selectOption('tags');
    await page.getByLabel('Value', { exact: true }).fill('gold');
    await button(page, 'Filter').last().click();
    await button(page, 'Fill this sheet from now on · about 0 rows a day').waitFor();
    await button(page, /Without: tag/).click();
    await button(page, 'Fill this sheet from now on · about 1 row a day').waitFor();
    await dialog(page).getByLabel('Begins').selectOption('Also the last 24 hours');
    await button(page, 'Fill this sheet with 1 stored row and from now on · about 1 row a day').waitFor();
    await dialog(page).getByLabel('Begins').selectOption('From now on');
    await dialog(page).getByLabel(/^Name/).fill('Parcels');
    await page.getByText('Columns', { exact: true }).click();
    await expectAccessible(page);
    await takePicture(page, 'feed-form');
    await button(page, /^Fill this sheet from now on/).click();
    await dialog(page).waitFor({ state: 'detached' });
    await card(page, 'Parcels').getByText('Active').waitFor();
    await button(page, 'Feeds 1').waitFor();

    const id = await logCall(client, { model: 'fed', input: 'Is it blue?' });
    const other = await logCall(client, { model: 'other', input: 'Is it red?' });
    const feed = await settledFeed(console.app, client, await feedOf(page));
    expect(feed).toMatchObject({ row_count: 1, last_hour: { seen: 2, chosen: 1, filtered: 1 } });
    await page.getByRole('grid', { name: 'Cells' }).getByText(String(id), { exact: true }).waitFor();
    await card(page, 'Parcels').getByText('1 by the filter').waitFor();

    await card(page, 'Parcels').getByText('Why was this not judged?').click();
    const why = async (asked: number) => {
      await page.getByLabel('Id of the request').fill(String(asked));
      await button(page, 'Explain').click();
    };
    await why(other);
    await page.getByText('The filter left it out.').waitFor();
    await why(stored);
    await page.getByText('It was stored before the feed began.').first().waitFor();
    await why(id);
    await page.getByText('It was judged.').waitFor();
    await page.getByText('By hour').click();
    await page.getByRole('table', { name: 'Hours of Parcels' }).getByText('1 by the filter').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'feeds');
    await button(page, 'Go to row 2').click();
    await page.waitForURL(/cell=2\.1/);

    await button(page, 'Pause').click();
    await card(page, 'Parcels').getByText('Paused by a user').waitFor();
    expect(await readFeed(client, feed)).toMatchObject({ state: 'paused' });
    await button(page, 'Resume').click();
    await card(page, 'Parcels').getByText('Active').waitFor();
    await card(page, 'Parcels').getByRole('button', { name: 'Delete' }).click();
    await expectAccessible(page);
    await button(page, 'Delete the feed').click();
    await page.getByText('This sheet has no feeds.').waitFor();
  });

  it('are not created by another try to read the tables', async () => {
    await newSheet(console.app.client);
    const page = await console.openSigned('/console/logs');
    await page.route('**/tables?*', (route) => route.abort());
    await button(page, 'Judge from now on').click();
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await dialog(page).getByRole('alert').getByText('Could not load').waitFor();
    await page.unroute('**/tables?*');
    console.complaints.splice(0);
    await button(page, 'Try again').click();
    await dialog(page).getByLabel('Table').getByRole('option', { name: 'Test' }).first().waitFor({ state: 'attached' });
    expect(await dialog(page).count()).toBe(1);
    expect(sent.filter((url) => url.includes('/tables'))).toEqual([]);
  });

  it('are changed, and are marked when the server has paused them', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client);
    const feed = await newFeed(client, sheet, {
      name: HOSTILE,
      source: 'requests',
      fields: ['status'],
      filter_group: {
        logic: 'OR',
        filters: [
          { field: 'engine', operator: 'is', value: 'nothing' },
          { field: 'tags', operator: 'contains', value: 'gold' },
        ],
      },
    });
    const check = await addColumn(client, sheet, {
      title: 'Polite',
      type: 'CONTAINS',
      config: { source: 'output', value: 'please' },
    });
    const page = await console.openSigned(`${pathOf(sheet)}?side=feeds&feed=${feed.id}`);
    await button(page, /Without: \(model is nothing or tag contains gold\)/).waitFor();
    await dialog(page).getByLabel('Sample in percent').fill('12.5');
    await dialog(page).getByLabel('Rows per day (UTC)').fill('7');
    // Settings that somebody else has changed meanwhile are not sent back.
    await changeFeed(client, feed, { rows_per_hour: 3 });
    await button(page, 'Publish a column as a score').click();
    await page.getByLabel('Column of score 1').selectOption('Polite');
    await page.getByLabel('Name of score 1').fill('polite');
    await expectAccessible(page);
    await button(page, 'Save the feed').click();
    await dialog(page).waitFor({ state: 'detached' });
    expect(await readFeed(client, feed)).toMatchObject({
      sample_rate: 0.125,
      rows_per_day: 7,
      rows_per_hour: 3,
      publishes: [{ column_id: check.id, name: 'polite' }],
      filter_group: { logic: 'OR' },
    });
    await card(page, HOSTILE).getByText('12.5 % of the requests').waitFor();

    await changeFeed(client, feed, { sample_rate: 1 });
    await client.delete(`${sheet.path}/columns/${feed.columns.status}`);
    await logCall(client, { model: 'nothing' });
    expect(await settledFeed(console.app, client, feed)).toMatchObject({ paused_reason: 'column_deleted' });
    await card(page, HOSTILE).getByText('Paused by the server').waitFor();
    await button(page, 'Feeds 1').getByText('1 paused').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'feed-paused');
  });

  it('judge traces of a list within a limit, and traces are filtered by their scores', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client);
    const config = { code: 'return 1', language: 'JAVASCRIPT' };
    await addColumn(client, sheet, { title: 'Code', type: 'CODE_EXECUTION', config });
    const id = traceId();
    await send(client, [span({ traceId: id, spanId: '00f067aa0ba902b7', name: 'umbrella', ...justNow() })]);
    await console.app.sql(
      `INSERT INTO trace_scores (workspace_id, trace_id, name, score) SELECT workspace_id, trace_id, 'tone', 80 FROM traces WHERE trace_id = $1`,
      [id],
    );
    const page = await console.openSigned(`/console/traces/${id}`);
    await page.getByRole('list', { name: 'Totals' }).getByText('tone 80').click();
    const grid = page.getByRole('grid', { name: 'Traces' });
    await grid.getByText('umbrella').first().waitFor();
    await grid.getByText('tone 80').waitFor();
    await button(page, 'Without: score tone is 80').waitFor();
    await expectAccessible(page);
    await button(page, 'Judge from now on').click();
    await dialog(page).getByText('All traces where score tone is 80').waitFor();
    await dialog(page).getByLabel('Table').selectOption('Test');
    await dialog(page).getByLabel('Sheet').selectOption({ index: 1 });
    await button(page, 'Go on').click();
    await button(page, /^Fill this sheet from now on · about 1 row a day · /).waitFor();
    await dialog(page).getByText('the feed needs a limit').waitFor();
    await expectAccessible(page);
    await dialog(page).getByLabel('Rows per day (UTC)').fill('100');
    await dialog(page).getByText('the feed needs a limit').waitFor({ state: 'detached' });
    await page.getByText('Rows that stay, and traces that grow').click();
    await dialog(page).getByLabel('Quiet seconds').fill('5');
    await expectAccessible(page);
    await button(page, /^Fill this sheet from now on/).click();
    await card(page, 'Traces').getByText('Active').waitFor();
    expect(await feedOf(page)).toMatchObject({
      source: 'traces',
      quiet_seconds: 5,
      origins: ['application', 'evaluation', 'trial'],
    });
  });
});
