import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, send, span, traceId } from '../support/otlp.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, pressBoth, takePicture } from './support/console-app.js';
import { at, FAILURE, idOf, largeTrace, START } from './support/large-trace.js';

const HOSTILE = '<img src=x onerror="document.title=1"> and **bold** and https://evil.example/x';
const LARGE = 10_024;

function smallTrace(trace: string): object[] {
  const child = (id: number, fields: object) => ({
    traceId: trace,
    spanId: idOf(id),
    parentSpanId: idOf(1),
    ...fields,
  });
  return [
    span({ traceId: trace, spanId: idOf(1), name: 'answer', ...at(0, 1000) }),
    llmSpan({ input: HOSTILE, output: 'It is on its way.' }, child(2, { name: 'ask the model', ...at(100, 700) })),
    span(child(3, { name: 'search docs', ...at(700, 900), attributes: ATTRIBUTES, events: [EVENT] })),
    span(child(4, { parentSpanId: idOf(3), name: 'fetch page', ...at(710, 800), status: FAILURE })),
  ];
}

const ATTRIBUTES = [
  { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
  { key: 'gen_ai.tool.name', value: { stringValue: 'search' } },
  { key: 'number', value: { intValue: '9007199254740993' } },
  { key: 'markup', value: { stringValue: HOSTILE } },
];
const EVENT = {
  timeUnixNano: String(START),
  name: 'exception',
  attributes: [{ key: 'exception.message', value: { stringValue: 'Connection refused' } }],
};

describe.skipIf(isBrowserMissing())('one trace', () => {
  let console: ConsoleApp;
  const small = traceId();
  const large = traceId();
  beforeAll(async () => {
    console = await ConsoleApp.start({ works: false });
    await send(console.app.client, smallTrace(small));
    const spans = largeTrace(large, LARGE);
    for (let from = 0; from < LARGE; from += 2000) await send(console.app.client, spans.slice(from, from + 2000));
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const rows = (page: Page) => page.getByRole('treegrid').getByRole('row');
  const names = async (page: Page) => (await page.locator('.span-name > .ellipsis').allInnerTexts()).join(', ');
  const selected = (page: Page) => page.locator('.span-row[aria-selected=true] .span-name > .ellipsis').innerText();
  const panel = (page: Page) => page.getByRole('complementary', { name: 'Span' });

  async function open(trace: string, query = '', options = {}): Promise<Page> {
    const page = await console.openSigned(`/console/traces/${trace}${query}`, options);
    await rows(page).first().waitFor();
    return page;
  }

  it('shows its duration and its tree of spans', async () => {
    const page = await open(small);
    expect(await names(page)).toBe('answer, ask the model, search docs, fetch page');
    expect(await page.getByRole('list', { name: 'Totals' }).innerText()).toMatch(/failed[^]*1\.00 s[^]*4 spans/);
    const levels = await rows(page).evaluateAll((all) => all.map((row) => row.getAttribute('aria-level')));
    expect(levels).toEqual(['1', '2', '2', '3']);
    await page.getByRole('button', { name: /Model 1/ }).waitFor();
    expect(await page.title()).toBe('answer · Tracesheet');
  });

  it('shows the messages and attributes of a span as text and nothing else', async () => {
    const page = await open(small, `?span=${idOf(2)}`);
    await panel(page).getByRole('article').first().waitFor();
    const said = await panel(page).getByRole('article').allInnerTexts();
    expect(said.join('\n')).toContain(HOSTILE);
    expect(said.join('\n')).toContain('It is on its way.');
    const messages = panel(page).getByRole('region', { name: 'Messages' });
    expect(await messages.locator('img, a, b, strong').count()).toBe(0);
    await page.keyboard.press('ArrowDown');
    await panel(page).getByText('9007199254740993').waitFor();
    expect(await panel(page).innerText()).toContain('Connection refused');
    expect(await panel(page).innerText()).toMatch(/Self time\n110 ms/);
    await panel(page).getByRole('button', { name: 'Copy as JSON' }).first().click();
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
    expect(JSON.parse(copied)).toMatchObject({ markup: HOSTILE, number: '9007199254740993' });
  });

  it('is walked through with the keyboard: folds, parents, failures, and back to the list', async () => {
    const page = await open(small);
    for (const key of ['ArrowDown', 'j', 'ArrowLeft']) await page.keyboard.press(key);
    expect(await names(page)).toBe('answer, ask the model, search docs');
    await page.keyboard.press('e');
    expect(await names(page)).toContain('fetch page');
    expect(await selected(page)).toBe('fetch page');
    await panel(page).getByText('The model was overloaded.').waitFor();
    await page.keyboard.press('ArrowLeft');
    expect(await selected(page)).toBe('search docs');
    await page.keyboard.press('-');
    expect(await names(page)).toBe('answer');
    await page.keyboard.press('+');
    expect(await rows(page).count()).toBe(4);
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await panel(page).waitFor();
    await pressBoth(page, 'g', 't');
    await page.waitForURL(/\/traces$/);
  });

  it('leads to what took the most time of its own, by keys, by names and by the graph', async () => {
    const page = await open(small);
    await page.keyboard.press('n');
    expect(await selected(page)).toBe('ask the model');
    await page.keyboard.press('n');
    expect(await selected(page)).toBe('answer');
    await page.getByLabel('View', { exact: true }).selectOption('By name');
    const named = page.getByRole('table', { name: 'Spans by name' }).getByRole('row');
    expect(await named.nth(1).innerText()).toMatch(/ask the model\s+1\s+–\s+600 ms\s+600 ms\s+60 %/);
    await expectAccessible(page);
    await named.getByRole('button', { name: 'fetch page' }).click();
    expect(await selected(page)).toBe('fetch page');
    await page.getByLabel('View', { exact: true }).selectOption('Graph');
    await page.waitForURL(/view=graph/);
    await page.getByRole('button', { name: /^search docs/ }).waitFor();
    expect(await page.locator('.graph-arrow').count()).toBe(3);
    if (process.env.PICTURES) await takePicture(page, 'trace-graph');
    await expectAccessible(page);
    await page.getByRole('button', { name: /^search docs/ }).click();
    expect(await selected(page)).toBe('search docs');
  });

  it('goes from the map to the longest span there', async () => {
    const page = await open(small);
    const map = (await page.locator('.map').boundingBox())!;
    await page.mouse.click(map.x + map.width * 0.3, map.y + map.height * 0.3);
    await page.waitForURL(new RegExp(`span=${idOf(2)}`));
    expect(await selected(page)).toBe('ask the model');
  });

  it('keeps the span in the URL, so that a link leads to it', async () => {
    const page = await open(small);
    await page.getByText('fetch page').click();
    await page.waitForURL(new RegExp(`span=${idOf(4)}`));
    await page.reload();
    await rows(page).first().waitFor();
    expect(await selected(page)).toBe('fetch page');
    const other = await page.context().newPage();
    await other.goto(`/console/traces/${small}?span=nowhere`);
    await rows(other).first().waitFor();
    expect(await selected(other)).toBe('answer');
  });

  it('shows some kinds alone, and finds spans by their name', async () => {
    const page = await open(small);
    await page.getByRole('button', { name: /Model 1/ }).click();
    await page.waitForURL(/kinds=model/);
    expect(await names(page)).toBe('ask the model');
    await page.getByRole('button', { name: /Model 1/ }).click();
    expect(await rows(page).count()).toBe(4);
    await page.keyboard.press('/');
    await page.keyboard.type('page');
    await page.getByText('1 found').waitFor();
    expect(await page.locator('mark').allInnerTexts()).toEqual(['fetch page']);
    await page.keyboard.press('Enter');
    expect(await selected(page)).toBe('fetch page');
  });

  it('zooms to a span and out again', async () => {
    const page = await open(small, `?span=${idOf(4)}`);
    const bars = () => page.locator('.span-bar').count();
    expect(await bars()).toBe(4);
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Whole trace' }).waitFor();
    expect(await bars()).toBe(3);
    await page.keyboard.press('0');
    expect(await bars()).toBe(4);
  });

  it('with ten thousand spans shows two levels, finds its failure, and renders only visible rows', async () => {
    const page = await open(large);
    expect(await page.getByRole('checkbox', { name: 'Fit axis to visible spans' }).isChecked()).toBe(true);
    expect(Number(await page.getByRole('treegrid').getAttribute('aria-rowcount'))).toBe(101);
    await page.keyboard.press('e');
    expect(await selected(page)).toBe(`step ${LARGE - 1}`);
    await page.keyboard.press('+');
    expect(Number(await page.getByRole('treegrid').getAttribute('aria-rowcount'))).toBe(LARGE);
    await page.keyboard.press('End');
    expect(await rows(page).count()).toBeLessThan(60);
    expect(await page.locator('*').count()).toBeLessThan(1200);
    await page.keyboard.press('/');
    await page.keyboard.type('step 77');
    await page.getByText('111 found').waitFor();
  });

  it('asks once for its spans, and once for each span that is looked at', async () => {
    const page = await console.openSigned('/console/traces');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`/console/traces/${small}`);
    await panel(page).getByText('Attributes').waitFor();
    await page.keyboard.press('ArrowDown');
    await panel(page).getByRole('article').first().waitFor();
    await page.keyboard.press('ArrowUp');
    await panel(page).getByText('Attributes').waitFor();
    // The list that was left may still ask for its own things, and the page itself is a request, too.
    const ofTraces = asked.filter((path) => path.startsWith('/api/') && path.includes(small));
    const base = `/api/public/v2/traces/${small}`;
    expect(ofTraces).toEqual([base, `${base}/spans/${idOf(1)}`, `${base}/spans/${idOf(2)}`]);
  });

  it('closes a trace after asking, and says so', async () => {
    const trace = traceId();
    await send(console.app.client, smallTrace(trace));
    const page = await open(trace);
    await page.getByRole('button', { name: 'Seal the trace' }).click();
    const dialog = page.getByRole('dialog', { name: 'Seal this trace' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Seal the trace' }).click();
    await dialog.getByRole('button', { name: 'Seal trace' }).click();
    await page.getByRole('list', { name: 'Totals' }).getByText('closed').waitFor();
    expect(await page.getByRole('button', { name: 'Seal the trace' }).count()).toBe(0);
    const { trace: stored } = (await console.app.client.get(`/api/public/v2/traces/${trace}`)) as {
      trace: { is_closed: boolean };
    };
    expect(stored.is_closed).toBe(true);
  });

  it('keeps its folds when it grows, and reads the shown span again with it', async () => {
    const trace = traceId();
    await send(console.app.client, smallTrace(trace));
    const page = await open(trace, `?span=${idOf(3)}`);
    await panel(page).getByText('Attributes').waitFor();
    await page.getByRole('button', { name: 'Fold search docs' }).click();
    const early = { traceId: trace, spanId: idOf(5), parentSpanId: idOf(1), name: 'look up', ...at(50, 90) };
    const below = { traceId: trace, spanId: idOf(6), parentSpanId: idOf(5), name: 'ask the index', ...at(60, 80) };
    await send(console.app.client, [span(early), span(below)]);
    const asked = page.waitForRequest(`**/spans/${idOf(3)}`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await asked;
    await rows(page).getByText('ask the index').waitFor();
    expect(await names(page)).toBe('answer, look up, ask the index, ask the model, search docs');
  });

  it('shows the error of a failed refresh beside its spans', async () => {
    const page = await open(small);
    const json = { success: false, message: 'The reading pool is tired.', error: 'tired' };
    await page.route(`**/traces/${small}?*`, (route) => route.fulfill({ status: 400, json }));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').getByText('The reading pool is tired.').waitFor();
    expect(await rows(page).count()).toBe(4);
    await expectAccessible(page);
    await page.unroute(`**/traces/${small}?*`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('stays where it is scrolled to while spans are opened and folded', async () => {
    const page = await open(large);
    await page.getByRole('treegrid').focus();
    await page.keyboard.press('End');
    const last = await selected(page);
    const scroller = page.locator('.spans');
    await scroller.evaluate((element) => element.scrollTo(0, 0));
    await page
      .getByRole('button', { name: /^Open / })
      .first()
      .click();
    await page
      .getByRole('button', { name: /^Fold / })
      .nth(1)
      .waitFor();
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(0);
    await page.keyboard.press('Home');
    await page.keyboard.press('End');
    expect(await selected(page)).toBe(last);
  });

  it('adds its calls to a sheet', async () => {
    const page = await open(small);
    await page.getByRole('button', { name: 'Add its calls to a sheet' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add to a sheet' });
    await dialog.getByText('The call of this trace').waitFor();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('answer');
    const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/sheets'));
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const { source } = (await asked).postDataJSON() as { source: { request_log_ids: number[] } };
    expect(source.request_log_ids).toHaveLength(1);
    // No worker runs in these tests: the import waits.
    await page.getByText('Adding requests to a sheet: 0 %').waitFor();
    await page.getByText('Waiting for a worker: none is running.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancelling' }).waitFor();
    await page.waitForURL(/adding=/);
    await expectAccessible(page);
  });

  it('says that a trace is not there', async () => {
    const page = await console.openSigned(`/console/traces/${'f'.repeat(32)}`);
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
    await page.getByText('was not found in this workspace').waitFor();
    await expectAccessible(page);
  });

  it.each([
    [false, 1440],
    [true, 1440],
    [true, 1024],
    [false, 700],
  ])('is accessible, dark: %s, at %d px', async (dark, width) => {
    const page = await open(small, `?span=${idOf(3)}`, { dark, width });
    await panel(page).getByText('Attributes').waitFor();
    await expectAccessible(page);
  });
});
