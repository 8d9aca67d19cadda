import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { at, llmSpan, send, span, spanId, traceId } from '../support/otlp.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, pressBoth } from './support/console-app.js';

const SESSION = 'chat/1001 % 木?#';
const USER = 'ada/1 %';
const HOSTILE = '<img src=x onerror="document.title=1">';

/** A turn of minutes ago: a root with a call, and a tool that fails when there is a failure. */
function turn(minutes: number, input: string, output: string, failure: string | null = null): object[] {
  const id = traceId();
  const start = BigInt(Date.now() - minutes * 60_000) * 1_000_000n;
  const times = { startTimeUnixNano: String(start), endTimeUnixNano: String(start + 2_200_000_000n) };
  const root = llmSpan({ input, output, more: { 'session.id': SESSION, 'user.id': USER } }, { ...times, traceId: id });
  const tool = span({
    ...times,
    traceId: id,
    spanId: spanId(),
    parentSpanId: root.spanId,
    name: 'lookup',
    attributes: [{ key: 'gen_ai.tool.name', value: { stringValue: 'lookup_order' } }],
    ...(failure !== null && { status: { code: 2, message: failure } }),
  });
  return [root, tool];
}

describe.skipIf(isBrowserMissing())('a session of three turns', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    await send(console.app.client, [
      ...turn(9, 'My kettle arrived broken.', 'I am sorry.'),
      ...turn(6, HOSTILE, 'Thank you for the picture.'),
      ...turn(3, 'When do I get the money?', 'I do not know.', 'order service timed out'),
    ]);
    await send(console.app.client, [llmSpan({ input: 'Nobody asked this in a session.' })]);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const shown = (page: Page) => page.getByRole('region', { name: 'The turn' });
  const says = (page: Page, text: string) =>
    shown(page).getByRole('article').getByText(text, { exact: true }).waitFor();

  it('is opened from the list and read with the keyboard', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('heading').first().waitFor();
    await pressBoth(page, 'g', 'n');
    const row = page.getByRole('grid', { name: 'Sessions' }).getByRole('row').nth(1);
    await row.getByText(SESSION).waitFor();
    await row.getByText('When do I get the money?').waitFor();
    expect(await page.getByRole('grid').getByRole('row').count()).toBe(2);
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: SESSION }).waitFor();
    await page.getByText('1 turn failed').waitFor();
    await says(page, 'My kettle arrived broken.');
    await page.keyboard.press('j');
    await says(page, HOSTILE);
    await page.keyboard.press('j');
    await says(page, 'When do I get the money?');
    await shown(page).getByText('order service timed out').waitFor();
    await page.getByRole('navigation', { name: 'Turns' }).getByText('failed · order service timed out').waitFor();
    await page.keyboard.press('o');
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('turn');
    await expectAccessible(page);
    await page.keyboard.press('k');
    await says(page, HOSTILE);
    await page.reload();
    await says(page, HOSTILE);
    await page.keyboard.press('t');
    await page.getByRole('treegrid').waitFor();
  });

  it('is reached from a trace, and leads to its user and the other data of the user', async () => {
    const page = await console.openSigned('/console/traces?user=nobody&origin=all');
    await page.getByRole('button', { name: 'Without: the user “nobody”' }).click();
    await page.getByRole('grid').getByText('chat gpt-4o-mini').first().click();
    const totals = page.getByRole('list', { name: 'Totals' });
    await totals.getByRole('link', { name: SESSION }).click();
    await page.getByRole('heading', { name: SESSION }).waitFor();
    await totals.getByRole('link', { name: USER }).click();
    await page.getByRole('heading', { name: USER }).waitFor();
    await page.getByRole('region', { name: 'Newest traces of the user' }).getByText('failed').waitFor();
    await page.getByRole('region', { name: 'Sessions of the user' }).getByRole('link', { name: SESSION }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Show the traces' }).click();
    await page.getByRole('button', { name: `Without: the user “${USER}”` }).waitFor();
    await page.getByText('3 traces', { exact: true }).first().waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'All users' }).click();
    await page.getByRole('region', { name: 'Users' }).getByRole('link', { name: USER }).waitFor();
    await expectAccessible(page);
  });

  it('with many turns is read page by page, to its end and from a link to a late one', async () => {
    const id = 'a long one';
    const sent = Array.from({ length: 120 }, (_, number) =>
      llmSpan({ input: `Question ${number + 1}`, more: { 'session.id': id } }, { traceId: traceId(), ...at(number) }),
    );
    await send(console.app.client, sent);
    const page = await console.openSigned(`/console/conversations/${encodeURIComponent(id)}`);
    await page.getByRole('heading', { name: 'Turn 1 of 120' }).waitFor();
    const turns = page.getByRole('navigation', { name: 'Turns' }).getByRole('listitem');
    expect(await turns.count()).toBe(100);
    await page.keyboard.press('End');
    await page.getByRole('heading', { name: 'Turn 100 of 120' }).waitFor();
    await turns.nth(119).waitFor({ state: 'attached' });
    await page.keyboard.press('End');
    await says(page, 'Question 120');
    await expectAccessible(page);
    await page.reload();
    await says(page, 'Question 120');
    await page.getByRole('heading', { name: 'Turn 120 of 120' }).waitFor();
  });

  it('says why a linked turn could not be reached, instead of showing another', async () => {
    const id = 'a failing one';
    const traces = Array.from({ length: 110 }, () => traceId());
    const sent = traces.map((trace, number) =>
      llmSpan({ input: `Question ${number + 1}`, more: { 'session.id': id } }, { traceId: trace, ...at(number) }),
    );
    await send(console.app.client, sent);
    const page = await console.openSigned('/console/conversations');
    await page.getByRole('grid').getByText(id).waitFor();
    const json = { success: false, message: 'The reading pool is tired.', error: 'tired' };
    const isNext = (url: URL) => url.pathname.endsWith('/turns') && url.searchParams.has('cursor');
    await page.route(isNext, (route) => route.fulfill({ status: 400, json }));
    await page.goto(`/console/conversations/${encodeURIComponent(id)}?turn=${traces[109]!}`);
    await page.getByRole('alert').getByText('The reading pool is tired.').waitFor();
    expect(await page.getByRole('heading', { name: /^Turn \d/ }).count()).toBe(0);
    await page.unroute(isNext);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Turn 110 of 110' }).waitFor();
    const asked = page.waitForRequest(`**/traces/${traces[109]!}*`);
    await page.getByRole('button', { name: 'Refresh' }).click();
    await asked;
    await says(page, 'Question 110');
  });

  it('is found by its user, and a list without any says so', async () => {
    const page = await console.openSigned(`/console/conversations?q=${encodeURIComponent(USER)}`);
    await page.getByRole('grid').getByText(SESSION).waitFor();
    await page.getByLabel('Search sessions').fill('nobody');
    await page.getByText('No session matches').waitFor();
    await page.goto(`${page.url().split('/console/')[0]!}/console/conversations/nobody`);
    await page.getByText('There is no session nobody').waitFor();
  });
});
