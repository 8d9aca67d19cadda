import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isBrowserMissing } from './support/chromium.js';
import { VERSION } from '../../src/platform/version.js';
import { clickBehindDialog, ConsoleApp, expectAccessible, pressBoth, signIn } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('the console', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start({ works: false });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

  it('asks for a key and goes on where somebody wanted to go', async () => {
    const page = await console.open('/console/traces?status=ERROR');
    await heading(page, 'Tracesheet').waitFor();
    await signIn(page, console.app.apiKey);
    await heading(page, 'Traces').waitFor();
    expect(page.url()).toBe(`${console.url}/console/traces?status=ERROR`);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain('pl_');
  });

  it('explains a wrong key, and lets users correct it', async () => {
    const page = await console.open('/console/traces');
    await page.getByLabel('API key').fill(`pl_${'w'.repeat(43)}`);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('This key is not valid. Check that you have pasted all of it.').waitFor();
    await signIn(page, console.app.apiKey);
    await heading(page, 'Traces').waitFor();
  });

  it('knows who is signed in in a second tab, and asks again when that is over', async () => {
    const page = await console.openSigned('/console/traces');
    const second = await page.context().newPage();
    await second.goto('/console/traces');
    await heading(second, 'Traces').waitFor();
    await console.app.sql(`DELETE FROM console_sessions`);
    await clickBehindDialog(second.getByRole('button', { name: 'Refresh' }));
    await second.getByLabel('API key').waitFor();
    expect(second.url()).toBe(`${console.url}/console/traces`);
  });

  it('signs out where the session has already ended, and shows why signing out fails', async () => {
    const page = await console.open('/console/traces');
    await signIn(page, console.app.apiKey);
    const refuse = (url: string) =>
      page.route(url, (route) => route.fulfill({ status: 500, json: { message: 'Broken.' } }));
    await refuse('**/console/session');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('Broken.').waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Your account' }).click();
    await refuse('**/console/sessions');
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.locator('.setting').getByRole('alert').getByText('Broken.').waitFor();
    await page.unrouteAll();
    await console.app.sql(`DELETE FROM console_sessions`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    console.complaints.splice(0);
  });

  it('ends the session when somebody signs out: the cookie is worth nothing any more', async () => {
    const page = await console.openSigned('/console/traces');
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'ts_session', httpOnly: true, sameSite: 'Strict' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    expect(await page.context().cookies()).toEqual([]);
    const answer = await fetch(`${console.url}/console/session`, {
      headers: { cookie: `ts_session=${cookie!.value}` },
    });
    expect(answer.status).toBe(401);
  });

  it('goes on with a server on the same machine while the computer is offline', async () => {
    const page = await console.openSigned('/console/traces');
    await page.getByText('has no traces yet').waitFor();
    await page.evaluate(`window.dispatchEvent(new Event('offline'))`);
    await page.getByRole('link', { name: 'Prompts', exact: true }).click();
    await page.getByText('There are no prompts yet').waitFor();
  });

  it('follows work on after a busy server has refused its events, and says where there is none', async () => {
    const page = await console.openSigned('/console/logs');
    let refusals = 2;
    await page.route('**/operations/busy/events', (route) => {
      if (refusals-- > 0) return route.fulfill({ status: 503, json: { message: 'Busy.' } });
      const last = JSON.stringify({ status: 'completed', progress: 100, rows_added: 3 });
      return route.fulfill({ contentType: 'text/event-stream', body: `event: end\ndata: ${last}\n\n` });
    });
    await page.goto('/console/logs?adding=table.sheet.busy');
    await page.getByText('3 rows were added to the sheet.').waitFor();
    await page.goto('/console/logs?adding=table.sheet.gone');
    await page.getByText('Import not found.').waitFor();
    await page.route('**/operations/refused/events', (route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '0' }, json: { message: 'Busy.' } }),
    );
    await page.goto('/console/logs?adding=table.sheet.refused');
    await page.getByText('The server reports no progress of the import, which may go on.').waitFor();
    await page.getByRole('link', { name: 'Open the sheet' }).waitFor();
    await page.unrouteAll();
    console.complaints.splice(0);
  });

  it('says so where the code of a screen cannot be loaded, and goes on with the other screens', async () => {
    const page = await console.openSigned('/console/traces');
    await heading(page, 'Traces').waitFor();
    await page.route(/assets\/tools-.*\.js$/, (route) => route.abort());
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByRole('alert').getByText('This part could not be shown').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Prompts', exact: true }).click();
    await heading(page, 'Prompts').waitFor();
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await heading(page, 'Tools').waitFor();
    console.complaints.splice(0);
  });

  it('goes anywhere from the palette, with the keyboard alone', async () => {
    const page = await console.openSigned('/console/traces');
    await heading(page, 'Traces').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('failed');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?status=ERROR$/);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('blue parcel');
    expect(await page.getByRole('dialog').getByRole('option').allTextContents()).toEqual([
      'Traces with “blue parcel”Search',
      'Requests with “blue parcel”Search',
    ]);
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?q=blue\+parcel$/);
    await page.goBack();
    await page.waitForURL(/\?status=ERROR$/);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it.each(['traces', 'prompts', 'conversations'])(
    'reads an id with a percent sign in the path of %s',
    async (screen) => {
      const page = await console.openSigned(`/console/${screen}/50%25`);
      await page.getByRole('alert').getByText('50%').first().waitFor();
      await page.goto(`/console/${screen}/50%2525/`);
      await page.getByRole('alert').getByText('50%25').first().waitFor();
    },
  );

  it('lists its keys, narrows its rail and remembers that', async () => {
    const page = await console.openSigned('/console/traces');
    await heading(page, 'Traces').waitFor();
    await page.getByRole('navigation', { name: 'Screens' }).getByText(`Tracesheet ${VERSION}`).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Shortcuts' }).getByText('Search: pages').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.keyboard.press('[');
    await page.locator('.shell.narrow').waitFor();
    await page.reload();
    await page.locator('.shell.narrow').waitFor();
    await heading(page, 'Traces').waitFor();
    await expectAccessible(page);
  });

  it('keeps the colours that somebody has chosen, whatever the system has', async () => {
    const page = await console.openSigned('/console/', { dark: true });
    const canvas = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await canvas();
    await page.getByRole('button', { name: 'Colours: system' }).click();
    const light = await canvas();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.getByRole('button', { name: 'Colours: light' }).waitFor();
    expect(await canvas()).toBe(light);
  });

  it('reports a missing page, and shows the first steps in a new workspace', async () => {
    const page = await console.openSigned('/console/nowhere');
    await heading(page, 'Page not found').waitFor();
    await pressBoth(page, 'g', 't');
    await page.getByText('has no traces yet').waitFor();
    await page.getByRole('button', { name: 'Copy the URL' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${console.url}/v1/traces`);
    // Pages on plain HTTP have no clipboard of their own.
    await page.evaluate('navigator.clipboard.writeText("another text")');
    await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true })');
    await page.getByRole('button', { name: 'Copied' }).blur();
    await page.getByRole('button', { name: 'Copy the URL' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.evaluate('delete navigator.clipboard');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${console.url}/v1/traces`);
  });

  it.each([false, true])('is accessible before and after signing in, dark: %s', async (dark) => {
    const page = await console.open('/console/traces', { dark });
    await page.getByLabel('API key').waitFor();
    await expectAccessible(page);
    await signIn(page, console.app.apiKey);
    await page.getByText('has no traces yet').waitFor();
    await expectAccessible(page);
  });

  it('loads little: a few files, and no more than 200 KB', async () => {
    const page = await console.openSigned('/console/traces');
    await heading(page, 'Traces').waitFor();
    await page.goto('about:blank');
    const session = await page.context().newCDPSession(page);
    await session.send('Network.clearBrowserCache');
    await page.goto('/console/traces', { waitUntil: 'networkidle' });
    const sizes = (await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/console/assets/')).map(({ encodedBodySize }) => encodedBodySize)`,
    )) as number[];
    expect(sizes.length).toBeLessThanOrEqual(8);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
  });
});
