import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, send, span, spanId, traceId } from '../support/otlp.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, pressBoth } from './support/console-app.js';

const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b> \u202Eevil [link](javascript:alert(1))';
const FAILURE = { code: 2, message: 'The model was overloaded.' };

const isOfAnotherShape = (node: unknown) =>
  (node as { validity: { patternMismatch: boolean } }).validity.patternMismatch;

/** Start and end of an event that began this many hours ago and took a second. */
function ago(hours: number): Record<string, string> {
  const start = BigInt(Date.now() - Math.round(hours * 3_600_000)) * 1_000_000n;
  return { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 1_000_000_000n) };
}

describe.skipIf(isBrowserMissing())('the list of requests', () => {
  let console: ConsoleApp;
  const failing = traceId();
  const call = spanId();
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    const root = spanId();
    await send(client, [
      ...Array.from({ length: 60 }, (_, at) => llmSpan({ input: `Old question ${at}` }, ago(100 + at))),
      ...Array.from({ length: 10 }, (_, at) =>
        llmSpan({ model: 'flaky-model', input: `Fragile question ${at}` }, { ...ago(60), status: FAILURE }),
      ),
      span({ traceId: failing, spanId: root, name: 'answer customer', ...ago(26) }),
      llmSpan(
        { model: 'gpt-4o', input: 'May I have a refund?' },
        { traceId: failing, spanId: call, parentSpanId: root, ...ago(26), status: FAILURE },
      ),
      llmSpan({ model: 'house-model', input: HOSTILE, output: HOSTILE }, ago(1)),
      llmSpan(
        { input: `${'Long before. '.repeat(40)}Where is my blue Parcel?`, output: 'Parcels are slow.' },
        ago(0.5),
      ),
    ]);
    await until(async () => (await found({ q: 'parcel' })).length === 1);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const found = async (body: object) =>
    ((await console.app.client.post('/api/public/v2/requests/search', body)) as { items: { id: number }[] }).items;
  const rows = (page: Page) => page.locator('.logs .rows [role=row]');
  const cell = (page: Page, row: number, name: string) => rows(page).nth(row).locator(`.${name}`).innerText();
  const panel = (page: Page) => page.getByRole('complementary', { name: 'Request' });
  const total = (page: Page, text: string) => page.locator('.list-foot', { hasText: text }).waitFor();

  const admin = '/api/admin/v1/workspaces';
  const ownWorkspace = async () =>
    ((await console.app.client.get('/api/public/v2/me')) as { workspace: { id: number } }).workspace.id;
  const newWorkspace = async () =>
    ((await console.app.operator().post(admin, { name: 'New' }, 201)) as { workspace: { id: number } }).workspace.id;
  const keyOf = async (workspace: number, role: string) => {
    const issued = await console.app.operator().post(`${admin}/${workspace}/api-keys`, { role }, 201);
    return (issued as { secret: string }).secret;
  };

  async function open(query = '', options = {}): Promise<Page> {
    const page = await console.openSigned(`/console/logs${query}`, options);
    await rows(page).first().waitFor();
    return page;
  }

  it('shows what went in and came out, the newest first, and text of strangers as text', async () => {
    const page = await open();
    expect(await cell(page, 0, 'output')).toBe('Parcels are slow.');
    expect(await cell(page, 1, 'input')).toBe(HOSTILE);
    expect(await cell(page, 1, 'cost')).toBe('no price');
    expect(await cell(page, 2, 'output')).toBe('failed: The model was overloaded.');
    expect(await page.locator('.logs img, .logs b').count()).toBe(0);
    expect(await page.title()).toBe('Requests · Tracesheet');
    await total(page, '73 requests');
    await page.getByText('73 requests, 11 failed').waitFor();
  });

  it('finds words while they are typed, marks every match, and keeps the words in the URL', async () => {
    const page = await open();
    await page.keyboard.press('/');
    await page.keyboard.type('parcel', { delay: 60 });
    await page.waitForURL(/\?q=parcel$/);
    await total(page, '1 request');
    expect(await page.locator('.logs mark').allInnerTexts()).toEqual(['Parcel', 'Parcels']);
    await page.reload();
    await total(page, '1 request');
    expect(await page.getByLabel('Search requests').inputValue()).toBe('parcel');
  });

  it('is narrowed by conditions that the server lists, each a step for Back', async () => {
    const page = await open();
    await page.keyboard.press('f');
    await page.getByLabel('Value').fill('flaky-model');
    await page.keyboard.press('Enter');
    await total(page, '10 requests');
    await page.keyboard.press('f');
    await page.getByLabel('Field').selectOption('latency in ms');
    await page.getByLabel('Operator').selectOption('>');
    await page.getByLabel('Value').fill('slow');
    await page.keyboard.press('Enter');
    expect(await page.getByLabel('Value').evaluate(isOfAnotherShape)).toBe(true);
    await page.getByLabel('Value').fill('5000');
    await page.keyboard.press('Enter');
    await page.getByText('only requests with model is flaky-model, latency in ms > 5000.').waitFor();
    await page.goBack();
    await total(page, '10 requests');
    await page.getByRole('button', { name: 'Without: model is flaky-model' }).click();
    await total(page, '73 requests');
    await page.keyboard.press('f');
    await page.getByLabel('Field').selectOption('start');
    await page.getByLabel('Operator').selectOption('after');
    await page.getByLabel('Value').fill('2020-01-02');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Without: start after 2020-01-02T00:00:00.000Z' }).waitFor();
    await total(page, '73 requests');
  });

  it('is narrowed to a time by its chart, with the keyboard', async () => {
    const page = await open('?f=engine+is+flaky-model');
    const chart = page.getByRole('slider');
    await chart.focus();
    await page.keyboard.press('Home');
    const bars = Number(await chart.getAttribute('aria-valuemax'));
    const told = async () => (await chart.getAttribute('aria-valuetext'))!;
    for (let bar = 0; bar < bars && !(await told()).includes(': 10 '); bar++) await page.keyboard.press('ArrowRight');
    expect(await told()).toMatch(/ – .*: 10 requests, 10 failed$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=.*&to=/);
    await total(page, '10 requests');
    await page.getByRole('button', { name: /^Without: .* – / }).click();
    await page.waitForURL(/f=engine\+is\+flaky-model$/);
  });

  it('shows a call at the side, which follows the keys and is scrolled by them', async () => {
    const page = await open();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await panel(page).getByText('no price').waitFor();
    expect(await panel(page).locator('article pre').allInnerTexts()).toEqual([HOSTILE, HOSTILE]);
    await page.keyboard.press('ArrowUp');
    await panel(page).getByText('Parcels are slow.').waitFor();
    await page.waitForURL(/id=\d+$/);
    const shown = page.url();
    await page.setViewportSize({ width: 1440, height: 300 });
    const body = panel(page).getByRole('group', { name: 'Details of the request' });
    await body.focus();
    await page.keyboard.press('End');
    await expect.poll(() => body.evaluate((at) => at.scrollTop)).toBeGreaterThan(0);
    expect(page.url()).toBe(shown);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.reload();
    await panel(page).getByText('Parcels are slow.').waitFor();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
  });

  it('scores a call, and keeps the input when it is rejected', async () => {
    const page = await open('?q=parcel');
    await page.keyboard.press('Enter');
    await panel(page).getByLabel('Score, 0 to 100').fill('90');
    await panel(page).getByLabel('Name of the score').fill('kind');
    const refusal = { success: false, message: 'Not today.', error: 'odd' };
    await page.route('**/rest/track-score', (route) => route.fulfill({ status: 400, json: refusal }));
    await panel(page).getByRole('button', { name: 'Score' }).click();
    await panel(page).getByRole('alert').getByText('Not today.').waitFor();
    await page.unroute('**/rest/track-score');
    await panel(page).getByRole('button', { name: 'Score' }).click();
    await panel(page).getByRole('listitem').getByText('kind 90').waitFor();
    expect(await panel(page).getByLabel('Score, 0 to 100').inputValue()).toBe('');
  });

  it('adds and removes tags', async () => {
    const page = await open('?q=parcel');
    await page.keyboard.press('Enter');
    await panel(page).getByLabel('Tag', { exact: true }).fill('to look at');
    await panel(page).getByRole('button', { name: 'Tag', exact: true }).click();
    await page.locator('.logs .tags', { hasText: 'to look at' }).waitFor({ state: 'attached' });
    await panel(page).getByRole('button', { name: 'Remove the tag to look at' }).click();
    await panel(page).getByRole('button', { name: 'Remove the tag to look at' }).waitFor({ state: 'detached' });
  });

  it('changes the line of a scored call alone, and does not read the list again', async () => {
    const page = await open('?q=refund');
    await page.keyboard.press('Enter');
    await panel(page).getByText('May I have a refund?').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.split('/').at(-1)!));
    await panel(page).getByLabel('Score, 0 to 100').fill('70');
    await panel(page).getByLabel('Name of the score').fill('calm');
    await panel(page).getByRole('button', { name: 'Score' }).click();
    await page.locator('.logs .scores-of', { hasText: 'calm 70' }).waitFor({ state: 'attached' });
    await panel(page).getByLabel('Tag', { exact: true }).fill('seen');
    await panel(page).getByRole('button', { name: 'Tag', exact: true }).click();
    await page.locator('.logs .tags', { hasText: 'seen' }).waitFor({ state: 'attached' });
    expect(asked.filter((name) => ['search', 'histogram'].includes(name))).toEqual([]);
  });

  it('leads to others with the same error, also when its words end in a blank where the group ends', async () => {
    const client = await console.app.stranger();
    const broken = (end: string) => ({ status: { code: 2, message: `${'failing '.repeat(26)}${end}` } });
    const spans = ['here', 'there'].map((end) => llmSpan({}, { ...ago(1), ...broken(end) }));
    await send(client, [...spans, ...['now', 'later'].map((end) => llmSpan({}, { ...ago(2), ...broken(end) }))]);
    const page = await open('', { key: client.apiKey });
    await page.keyboard.press('Enter');
    await panel(page).getByRole('link', { name: 'Others with this error' }).click();
    await page.getByRole('button', { name: /^Without: error is failing failing/ }).waitFor();
    await total(page, '4 requests');
  });

  it('opens the call that the keys have moved to, also after newer ones have come', async () => {
    const client = await console.app.stranger();
    await send(client, [llmSpan({ input: 'The older one' }, ago(2)), llmSpan({ input: 'The newer one' }, ago(1))]);
    const page = await open('', { key: client.apiKey });
    await page.keyboard.press('j');
    await page.locator('[aria-selected=true]', { hasText: 'The older one' }).waitFor();
    await send(client, [llmSpan({ input: 'The newest one' }, ago(0.1))]);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await rows(page).filter({ hasText: 'The newest one' }).waitFor();
    await page.getByRole('grid', { name: 'Requests' }).focus();
    await page.keyboard.press('Enter');
    await panel(page).getByText('The older one').waitFor();
  });

  it('counts new requests without the live channel, also when its connection is dead', async () => {
    const client = await console.app.stranger();
    await send(client, [llmSpan({ input: 'The first one' }, ago(1))]);
    const page = await open('', { key: client.apiKey });
    let connections = 0;
    let isDead = false;
    await page.routeWebSocket('**/connection/websocket', (socket) => {
      connections += 1;
      const server = socket.connectToServer();
      server.onMessage((message) => {
        if (!isDead) socket.send(message);
      });
    });
    await page.clock.install();
    await page.reload();
    await rows(page).first().waitFor();
    await expect.poll(() => connections).toBe(1);
    isDead = true;
    await send(client, [llmSpan({ input: 'The second one' }, ago(0.1))]);
    await page.clock.runFor(180_000);
    await page.getByRole('button', { name: '1 new' }).waitFor();
    await expect.poll(() => connections).toBeGreaterThan(1);
  });

  it('means the time of the last refresh by the last hours', async () => {
    const page = await open('?days=1');
    await total(page, '2 requests');
    await page.clock.setFixedTime(Date.now() + 25 * 3_600_000);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('only requests with the time “Last 24 hours”').waitFor();
  });

  it('leads from the list to the failing call of yesterday and its trace in four steps', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Requests' }).click();
    await page.getByLabel('Status').selectOption('Failed');
    await total(page, '11 requests');
    await page.keyboard.press('Tab');
    await rows(page).first().click();
    await panel(page).getByText('May I have a refund?').waitFor();
    await panel(page).getByRole('link', { name: 'Open its trace' }).click();
    await page.waitForURL(new RegExp(`/console/traces/${failing}\\?span=${call}`));
    await page.locator('.span-row[aria-selected=true]', { hasText: 'failed' }).waitFor();
  });

  it('turns ten failing calls into a sheet, and says how far it is', async () => {
    const page = await open('?status=ERROR&f=engine+is+flaky-model');
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Add to a sheet' });
    await dialog.getByText('All that match: 10 requests.').waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('Title').fill('Failures of the week');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('10 rows were added to the sheet.').waitFor();
    const [, path] = /\/tables\/(.*)/.exec(
      (await page.getByRole('link', { name: 'Open the sheet' }).getAttribute('href'))!,
    )!;
    const [table, sheet] = path!.split('/');
    const url = `/api/public/v2/tables/${table}/sheets/${sheet}/rows?limit=100`;
    const { data } = (await console.app.client.get(url)) as { data: unknown[] };
    expect(data).toHaveLength(10);
    expect(JSON.stringify(data)).toContain('Fragile question 7');
    await page.reload();
    await page.getByText('10 rows were added to the sheet.').waitFor();
    await page.getByRole('button', { name: 'Close this message' }).click();
    await page.waitForURL(/flaky-model$/);
  });

  it('adds the calls that somebody has chosen to a sheet that is there', async () => {
    const { client } = console.app;
    const created = await client.post('/api/public/v2/tables', { title: 'Collected' }, 201);
    const { default_sheet: sheet } = created as { default_sheet: { id: string; table_id: string; title: string } };
    const page = await open('?q=question');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('a');
    await page.getByText('The 2 requests that are chosen').waitFor();
    await page.getByLabel('Table', { exact: true }).selectOption('Collected');
    await page.getByLabel('Sheet', { exact: true }).selectOption(sheet.title);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('2 rows were added to the sheet.').waitFor();
    const href = await page.getByRole('link', { name: 'Open the sheet' }).getAttribute('href');
    expect(href).toBe(`/console/tables/${sheet.table_id}/${sheet.id}`);
  });

  it('says why nothing could be added, and lets somebody correct it', async () => {
    const page = await open();
    await page.keyboard.press('a');
    const refusal = { success: false, message: 'Another import is running.', error: 'import_running' };
    await page.route('**/sheets', (route) => route.fulfill({ status: 400, json: refusal }));
    await page.getByLabel('Title').fill('Again');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('Another import is running.').waitFor();
    await page.unroute('**/sheets');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('73 rows were added to the sheet.').waitFor();
    const { data } = (await console.app.client.get('/api/public/v2/tables?name=Again')) as { data: unknown[] };
    expect(data).toHaveLength(1);
  });

  it('names the permission that a key lacks', async () => {
    const page = await console.openSigned('/console/nowhere', { key: await keyOf(await ownWorkspace(), 'viewer') });
    await pressBoth(page, 'g', 'r');
    await rows(page).first().waitFor();
    const button = page.getByRole('button', { name: 'Add to a sheet' });
    expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([
      true,
      'This needs the permission TABLE_EDIT.',
    ]);
    const body = { success: false, message: 'This API key lacks the permission ADMIN.', error: 'permission_missing' };
    await page.route('**/requests/search', (route) => route.fulfill({ status: 403, json: body }));
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('lacks the permission ADMIN').waitFor();
  });

  it('shows errors of the server in place of the list, and retries', async () => {
    const page = await console.openSigned('/console/logs?f=engine+less_than+3');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toContain('less_than');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Without: model less than 3' }).click();
    await rows(page).first().waitFor();
  });

  it('says when something is missing: from an index that is behind, and from counts that took too long', async () => {
    const page = await console.openSigned('/console/nowhere');
    await page.route('**/requests/search', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), partial: true } });
    });
    await page.route('**/requests/histogram', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), partial: true } });
    });
    await pressBoth(page, 'g', 'r');
    await total(page, '73+ requests. Some may be missing: the newest are still being indexed');
    await page.getByText('Counting took too long').waitFor();
  });

  it('loads further pages as it is scrolled, and holds only the lines that are in view', async () => {
    const page = await open();
    await page.keyboard.press('End');
    await page.locator('.logs[aria-rowcount="74"]').waitFor();
    await page.keyboard.press('End');
    await rows(page).locator('text=Old question 59').waitFor();
    expect(await rows(page).count()).toBeLessThan(50);
    expect(await page.locator('*').count()).toBeLessThan(900);
  });

  it('asks once for a page, once for its counts, and once for a call', async () => {
    const page = await console.openSigned('/console/nowhere');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto('/console/logs?status=ERROR');
    await rows(page).first().waitFor();
    await page.keyboard.press('Enter');
    await panel(page).getByText('May I have a refund?').waitFor();
    const base = '/api/public/v2/request';
    const [{ id }] = (await found({ q: 'refund' })) as [{ id: number }];
    expect(asked.filter((each) => each.includes('/api/')).sort()).toEqual([
      `GET ${base}/${id}`,
      // Once in a while, for the choice of an environment.
      `GET ${base}s/suggestions`,
      `POST ${base}s/histogram`,
      `POST ${base}s/search`,
    ]);
  });

  it('says what would be here in a new workspace', async () => {
    const page = await console.openSigned('/console/logs', { key: await keyOf(await newWorkspace(), 'admin') });
    await page.getByText('has no requests yet').waitFor();
    await expectAccessible(page);
  });

  it.each([
    [false, 1440],
    [true, 1440],
    [true, 1024],
    [false, 700],
  ])('is accessible, dark: %s, at %d px', async (dark, width) => {
    const page = await open('?q=question&status=ERROR', { dark, width });
    await page.getByRole('slider').waitFor();
    await page.keyboard.press('Enter');
    await panel(page).getByText('Fragile question').first().waitFor();
    await expectAccessible(page);
  });
});
