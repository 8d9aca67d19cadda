import type { Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newSheet } from '../support/factories.js';
import { llmSpan, send, span, spanId, traceId } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, pressBoth } from './support/console-app.js';

const HOUR_NS = 3_600_000_000_000n;
interface Styled {
  style: { width: string };
  scrollHeight: number;
}

/** The elements whose text or value begins with Arabic and is written from the left. */
const READ_FROM_THE_LEFT = `(() => {
  const isArabic = (text) => /^\\s*[\\u0600-\\u06ff]/.test(text);
  const own = (element) => element.value ?? [...element.childNodes].find((node) => node.nodeType === 3)?.data ?? '';
  return [...document.body.querySelectorAll('*:not(option)')]
    .filter((element) => isArabic(own(element)) && getComputedStyle(element).direction !== 'rtl')
    .map((element) => element.outerHTML.slice(0, 200));
})()`;

const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b> [link](javascript:alert(1))';

/** A span that began so many hours ago. */
function spanAgo(hours: number, fields: Record<string, unknown> = {}, durationMs = 1000): object {
  const start = BigInt(Date.now()) * 1_000_000n - BigInt(Math.round(hours * 60)) * (HOUR_NS / 60n);
  const end = start + BigInt(durationMs) * 1_000_000n;
  return span({ startTimeUnixNano: String(start), endTimeUnixNano: String(end), ...fields });
}

describe.skipIf(isBrowserMissing())('the list of traces', () => {
  let console: ConsoleApp;
  const failing = traceId();
  const root = spanId();
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    const many = Array.from({ length: 120 }, (_, at) => spanAgo(50 + at, { name: `old run ${at}` }));
    const recent = [
      spanAgo(
        0.1,
        { traceId: failing, spanId: root, name: 'answer customer', status: { code: 2, message: 'Overloaded' } },
        9000,
      ),
      spanAgo(0.1, { traceId: failing, parentSpanId: root, name: 'step' }),
      spanAgo(1, { name: HOSTILE }),
      llmSpan({ input: 'Where is my blue parcel?' }, { name: 'parcel question' }),
    ];
    await send(client, [...many, ...recent]);
    const search = { q: 'parcel' };
    await until(async () => {
      const { items } = (await client.post('/api/public/v2/traces/search', search)) as { items: unknown[] };
      return items.length === 1;
    });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const rows = (page: Page) => page.locator('.traces .rows [role=row]');
  const nameOf = (page: Page, row: number) => rows(page).nth(row).locator('.name').innerText();
  const selected = (page: Page) => page.locator('.rows [aria-selected=true] .name').innerText();

  it('shows the newest first, with failures in words, and text of strangers as text', async () => {
    const page = await console.openSigned('/console/traces');
    await rows(page).first().waitFor();
    expect(await nameOf(page, 0)).toBe('answer customer\nfailed');
    expect(await nameOf(page, 1)).toBe(HOSTILE);
    expect(await page.locator('.traces img, .traces b').count()).toBe(0);
    expect(await page.title()).toBe('Traces · Tracesheet');
  });

  it('is walked through and opened with the keyboard, and Back leads to where one was', async () => {
    const page = await console.openSigned('/console/traces');
    await rows(page).first().waitFor();
    for (const key of ['j', 'ArrowDown', 'ArrowDown', 'k', 'ArrowUp']) await page.keyboard.press(key);
    expect(await selected(page)).toBe(HOSTILE);
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/console/traces/${failing}`));
    await page.getByRole('heading', { name: 'answer customer' }).first().waitFor();
    await page.goBack();
    await rows(page).first().waitFor();
    await page.keyboard.press('PageDown');
    const far = await selected(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/traces\/\w{32}/);
    await page.goBack();
    await rows(page).first().waitFor();
    expect(await selected(page)).toBe(far);
  });

  it('loads further pages as it is scrolled, and holds only the lines that are in view', async () => {
    const page = await console.openSigned('/console/traces');
    await rows(page).first().waitFor();
    const loaded = async () => {
      await page.keyboard.press('End');
      return page.locator('.traces').getAttribute('aria-rowcount');
    };
    await expect.poll(loaded).toBe('124');
    await page.keyboard.press('End');
    await rows(page).locator('text=old run 119').waitFor();
    expect(await rows(page).count()).toBeLessThan(50);
    expect(await page.locator('*').count()).toBeLessThan(900);
  });

  it('finds words as they are typed, keeps them in the URL and loses no letter', async () => {
    const page = await console.openSigned('/console/traces');
    await rows(page).first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('parcel', { delay: 60 });
    await page.waitForURL(/\?q=parcel$/);
    await page.getByText('1 trace', { exact: true }).waitFor();
    expect(await page.getByLabel('Search traces').inputValue()).toBe('parcel');
    await page.reload();
    await page.getByText('1 trace', { exact: true }).waitFor();
    expect(await nameOf(page, 0)).toBe('parcel question');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('traces');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces$/);
    await expect.poll(() => page.getByLabel('Search traces').inputValue()).toBe('');
  });

  it('is narrowed by choices, each a step for Back', async () => {
    const page = await console.openSigned('/console/traces');
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('1 trace', { exact: true }).waitFor();
    await page.getByLabel('Size').selectOption('Multi-span only');
    await page.waitForURL(/status=ERROR&spans=many/);
    await page.getByLabel('Time', { exact: true }).selectOption('Last 24 hours');
    await page.waitForURL(/days=1/);
    await page.getByText('1 trace', { exact: true }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.waitForURL(/\?status=ERROR$/);
    await page.goBack();
    await page.getByText('123 traces', { exact: true }).waitFor();
    expect(await page.getByLabel('Status').inputValue()).toBe('');
  });

  it('is put in order by its columns', async () => {
    const page = await console.openSigned('/console/traces');
    await page.getByRole('button', { name: 'Duration' }).click();
    await page.waitForURL(/sort=trace_duration_ms$/);
    await page.locator('[aria-sort=descending]:has-text("Duration")').waitFor();
    expect(await nameOf(page, 0)).toBe('answer customer\nfailed');
    await page.getByRole('button', { name: 'Duration' }).click();
    await page.waitForURL(/order=asc/);
    await page.locator('[aria-sort=ascending]:has-text("Duration")').waitFor();
  });

  it('names the filters that match nothing, and removes them', async () => {
    const page = await console.openSigned('/console/traces?q=nobodysaidthis&status=OK');
    await page.getByText('only traces with the words “nobodysaidthis”, the status “Succeeded”').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show all traces' }).click();
    await rows(page).first().waitFor();
    expect(await page.getByLabel('Search traces').inputValue()).toBe('');
  });

  it('shows errors of the server in place of the list, and retries', async () => {
    const page = await console.openSigned('/console/nowhere');
    const body = { success: false, message: 'The search took too long.', error: 'search_timeout' };
    await page.route('**/traces/search', (route) =>
      route.fulfill({ status: 400, json: body, headers: { 'x-request-id': 'req-7' } }),
    );
    await pressBoth(page, 'g', 't');
    const alert = page.getByRole('alert');
    await alert.getByText('The search took too long.').waitFor();
    expect(await alert.innerText()).toMatch(/search_timeout · request id req-7/);
    await expectAccessible(page);
    await page.unroute('**/traces/search');
    await page.getByRole('button', { name: 'Try again' }).click();
    await rows(page).first().waitFor();
  });

  it('names the permission where a key may not see it', async () => {
    const page = await console.openSigned('/console/nowhere');
    const body = { success: false, message: 'This API key lacks the permission ADMIN.', error: 'permission_missing' };
    await page.route('**/traces/search', (route) => route.fulfill({ status: 403, json: body }));
    await pressBoth(page, 'g', 't');
    await page.getByRole('heading', { name: 'You do not have access to this' }).waitFor();
    await page.getByText('lacks the permission ADMIN').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it.each([
    [false, 1440],
    [true, 1440],
    [false, 1024],
    [true, 700],
  ])('is accessible, dark: %s, at %d px', async (dark, width) => {
    const page = await console.openSigned('/console/traces', { dark, width });
    await rows(page).first().waitFor();
    await expectAccessible(page);
  });

  it('says how much has come, and shows it when somebody asks', async () => {
    const page = await console.openSigned('/console/traces');
    await rows(page).first().waitFor();
    const before = await nameOf(page, 0);
    const { client } = console.app;
    // The connection for changes may still be opening.
    await until(async () => {
      await send(client, [spanAgo(0, { name: 'just now' })]);
      return (await page.getByRole('button', { name: /^\d+ new$/ }).count()) === 1;
    });
    expect(await nameOf(page, 0)).toBe(before);
    await page.goto('/console/traces?q=parcel');
    await page.getByText('1 trace', { exact: true }).waitFor();
    await page.goto('/console/traces');
    await rows(page).getByText('just now').first().waitFor();
    await page.getByRole('button', { name: 'Refresh' }).waitFor();
  });

  it('compares durations although one is far longer, and keeps every cell in its row', async () => {
    const id = traceId();
    const { startTimeUnixNano, endTimeUnixNano } = spanAgo(2) as Record<string, unknown>;
    const ids = () => ({ traceId: id, spanId: spanId(), startTimeUnixNano, endTimeUnixNano });
    await send(console.app.client, [
      ...Array.from({ length: 6 }, () => spanAgo(1, { name: 'ruler' })),
      spanAgo(12, { name: 'ruler' }, 3_600_000),
      span({ ...ids(), name: 'ruler' }),
      llmSpan({ inputTokens: 123_457 }, ids()),
      llmSpan({ model: 'house-model' }, ids()),
    ]);
    const page = await console.openSigned('/console/traces?q=ruler', { width: 1024 });
    await page.getByText('8 traces', { exact: true }).waitFor();
    const bars = rows(page).locator('.bar');
    const shares = await bars.evaluateAll((all) => all.map((bar) => (bar as unknown as Styled).style.width));
    expect(shares.filter((share) => share === '100%')).toHaveLength(8);
    expect(await page.locator('.bar.cut').count()).toBe(1);
    await rows(page)
      .getByText(/^≥ \$0\.\d+$/)
      .waitFor();
    const heights = await rows(page)
      .getByRole('gridcell')
      .evaluateAll((cells) => cells.map((cell) => (cell as unknown as Styled).scrollHeight));
    expect(Math.max(...heights)).toBeLessThanOrEqual(32);
  });

  it('is narrowed by conditions that the server lists', async () => {
    const page = await console.openSigned('/console/traces');
    await rows(page).first().waitFor();
    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog', { name: 'Filter traces where …' });
    await dialog.getByLabel('Field').selectOption('duration in ms');
    await dialog.getByLabel('Operator').selectOption('>');
    await dialog.getByLabel('Value').fill('5000');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/f=trace_duration_ms\+gt\+5000$/);
    await rows(page).getByText('answer customer').waitFor();
    await page.getByRole('button', { name: 'Without: duration in ms > 5000' }).click();
    await page.waitForURL(/\/traces$/);
  });

  it('finds the words of a failure by the exception of a span', async () => {
    const page = await console.openSigned('/console/traces?f=span_exception+contains+nobodysawthis');
    await page.getByText('only traces with words of an exception contains nobodysawthis.').waitFor();
  });

  it('is narrowed to a time by dragging over its chart', async () => {
    const page = await console.openSigned('/console/traces?q=old&days=7');
    const chart = page.getByRole('slider');
    await page.locator('.list-foot', { hasText: /^1\d\d traces$/ }).waitFor();
    const { x, y, width, height } = (await chart.boundingBox())!;
    await page.mouse.move(x + width * 0.4, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.6, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=.*&to=/);
    const foot = page.locator('.list-foot');
    await expect.poll(async () => Number.parseInt(await foot.innerText(), 10)).toBeLessThan(60);
    expect(Number.parseInt(await foot.innerText(), 10)).toBeGreaterThan(0);
    await page.getByRole('button', { name: /^Without: .* – / }).click();
    await page.waitForURL(/q=old$/);
  });

  it('shows a range that is typed, and refuses one that ends before it begins', async () => {
    const page = await console.openSigned('/console/traces');
    await page.getByLabel('Time', { exact: true }).selectOption('From … to …');
    const dialog = page.getByRole('dialog', { name: 'Time range' });
    await dialog.getByLabel('From').fill('2026-02-01T10:00:00');
    await dialog.getByLabel('To').fill('2026-02-01T09:00:00');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Show the range' }).click();
    await dialog.getByText('must be after its beginning').waitFor();
    await dialog.getByLabel('To').fill('2026-02-02T09:00:00');
    await dialog.getByRole('button', { name: 'Show the range' }).click();
    await page.waitForURL(/from=2026-02-01T10%3A00%3A00.000Z&to=2026-02-02T09%3A00%3A00.000Z$/);
    await page.getByText('No trace matches').waitFor();
    await page.getByLabel('Time', { exact: true }).selectOption('Last hour');
    await page.waitForURL(/\?days=hour$/);
    await rows(page).first().waitFor();
  });

  it('adds the calls of two chosen traces to a sheet', async () => {
    const call = (name: string) => llmSpan({ input: `Asked in ${name}` }, { name });
    await send(console.app.client, [call('quartz one'), call('quartz two'), call('quartz three')]);
    const page = await console.openSigned('/console/traces?q=quartz');
    await page.getByText('3 traces', { exact: true }).first().waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('2 chosen of 3 traces').waitFor();
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Add to a sheet' });
    await dialog.getByText('The calls of the 2 traces that are chosen').waitFor();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('2 rows were added to the sheet.').waitFor();
    await page.keyboard.press('a');
    await dialog.getByText(/^The calls of all that match: 3 traces\./).click();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('3 rows were added to the sheet.').waitFor();
  });

  it('adds the traces of the time that the list shows', async () => {
    const page = await console.openSigned('/console/traces?days=1');
    const startOf = (request: Request) => {
      const { filter_group: group } = request.postDataJSON() as { filter_group: { filters: { value: string }[] } };
      return group.filters.at(-1)!.value;
    };
    const search = '**/traces/search';
    const [listed] = await Promise.all([page.waitForRequest(search), page.reload()]);
    await rows(page).first().waitFor();
    await page.clock.setFixedTime(Date.now() + 8 * 3_600_000);
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Add to a sheet' });
    const asked = page.waitForRequest(search);
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    expect(startOf(await asked)).toBe(startOf(listed));
  });

  it('shows Arabic from the right, like every other screen and field', async () => {
    const { client } = console.app;
    const ARABIC = 'أين طردي الأزرق؟ parcel';
    const id = traceId();
    await send(client, [llmSpan({ input: ARABIC, output: ARABIC }, { traceId: id, name: ARABIC })]);
    const sheet = await newSheet(client, [ARABIC, 'left']);
    await client.patch(`/api/public/v2/tables/${sheet.tableId}`, { title: ARABIC });
    const prompt = await publishPrompt(client, ARABIC, { message: ARABIC, version: { commit_message: ARABIC } });
    const table = `/console/tables/${sheet.tableId}`;
    const screens = [`/traces?q=${ARABIC}`, `/traces/${id}`, `/logs?q=${ARABIC}`, '/prompts', `/prompts/${prompt.id}`];
    for (const path of [
      ...screens.map((each) => `/console${each}`),
      '/console/tables',
      `${table}/${sheet.id}?panel=1`,
    ]) {
      const page = await console.openSigned(path);
      await page.locator('main').getByText('طردي').first().waitFor();
      if (path.includes('/logs')) await page.locator('.logs .rows [role=row]').first().click();
      if (path.includes('/prompts/')) await page.getByRole('button', { name: 'Edit as a new version' }).click();
      if (path.includes('panel')) await page.getByLabel('Whole value').waitFor();
      expect([path, await page.evaluate(READ_FROM_THE_LEFT)]).toEqual([path, []]);
    }
  });
});
