import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newSheet, valuesOf } from '../support/factories.js';
import { publishPrompt } from '../support/prompts.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { clickBehindDialog, ConsoleApp, expectAccessible } from './support/console-app.js';
import { goTo, pathOf, shows } from './support/sheet-page.js';

describe.skipIf(isBrowserMissing())('unsaved changes', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start({ works: false });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
  const question = (page: Page) => dialog(page, 'Discard unsaved changes?');

  async function keepEditing(page: Page): Promise<void> {
    await question(page).waitFor();
    await button(page, 'Keep editing').click();
    await question(page).waitFor({ state: 'detached' });
  }

  const promptPath = async (name: string) => `/console/prompts/${(await publishPrompt(console.app.client, name)).id}`;
  const sheetPath = async () => pathOf(await newSheet(console.app.client, ['a']));

  /** A dialog of each kind: where it is, what opens it, and the field that somebody types into. */
  const DIALOGS: [name: string, path: () => Promise<string>, opener: string, field: string | RegExp][] = [
    ['New webhook', async () => '/console/settings/webhooks', 'New webhook', 'URL'],
    ['New API key', async () => '/console/settings/keys', 'New key', 'Allowed networks'],
    ['New table', async () => '/console/tables', 'New table', 'Title'],
    ['A new version of', () => promptPath('edited'), 'Edit as a new version', /^Message of/],
    ['Release labels', () => promptPath('labelled'), 'Labels', 'New label'],
    ['Add a column', sheetPath, 'Add a column', /^Title/],
  ];

  it.each(DIALOGS)('in “%s” are not lost by Escape or a click outside', async (name, path, opener, label) => {
    const page = await console.openSigned(await path());
    await button(page, opener).first().click();
    await page.keyboard.press('Escape');
    await dialog(page, name).waitFor({ state: 'detached' });
    await button(page, opener).first().click();
    const field = dialog(page, name).getByLabel(label).first();
    await field.fill('typed by hand');
    await page.keyboard.press('Escape');
    await keepEditing(page);
    // A browser would close a dialog at the second Escape in a row.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await question(page).waitFor({ state: 'detached' });
    await page.mouse.click(5, 5);
    await keepEditing(page);
    const { x, y } = (await dialog(page, name).boundingBox())!;
    await page.mouse.click(x + 4, y + 4);
    expect(await question(page).count()).toBe(0);
    expect(await field.inputValue()).toBe('typed by hand');
    await page.keyboard.press('Escape');
    await question(page).waitFor();
    await expectAccessible(page);
    await button(page, 'Discard').click();
    await dialog(page, name).waitFor({ state: 'detached' });
  });

  it('do not include the text of a palette', async () => {
    const page = await console.openSigned('/console/tables');
    await page.getByText('There are no tables yet').or(page.getByRole('grid')).first().waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('traces');
    await page.keyboard.press('Escape');
    await dialog(page, 'Go anywhere').waitFor({ state: 'detached' });
  });

  it('in a form are not lost by a failed save, another screen, Back, or leaving the page', async () => {
    const page = await console.openSigned('/console/settings/keys');
    const tab = (name: string) => page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name });
    await tab('Workspace').click();
    const field = page.getByLabel('Default model');
    await field.fill('openai/gpt-4.1');
    await page.route('**/settings', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await button(page, 'Save').click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    console.complaints.splice(0);
    await tab('Webhooks').click();
    await keepEditing(page);
    await page.evaluate('history.back()');
    await keepEditing(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await keepEditing(page);
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (opened) => {
        resolve(opened.type());
        void opened.dismiss();
      });
    });
    await page.evaluate('void setTimeout(() => location.reload())');
    expect(await asked).toBe('beforeunload');
    expect(await field.inputValue()).toBe('openai/gpt-4.1');
    await page.unroute('**/settings');
    await button(page, 'Save').click();
    await until(async () => {
      const read = await console.app.client.get('/api/admin/v1/workspaces/1/settings');
      return (read as { settings: { default_model: string } }).settings.default_model === 'openai/gpt-4.1';
    });
    await tab('Webhooks').click();
    await page.waitForURL(/\/webhooks$/);
  });

  it('in a form are stored once by another try when the answer was lost', async () => {
    const page = await console.openSigned('/console/tables');
    await button(page, 'New table').first().click();
    await dialog(page, 'New table').getByLabel('Title').fill('Only one');
    const isPost = (route: Route) => route.request().method() === 'POST';
    await page.route('**/api/public/v2/tables', async (route) => {
      if (!isPost(route)) return route.continue();
      await route.fetch();
      return route.abort();
    });
    const create = dialog(page, 'New table').getByRole('button', { name: /^Create/ });
    await create.click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await page.unroute('**/api/public/v2/tables');
    await create.click();
    await dialog(page, 'New table').waitFor({ state: 'detached' });
    const { data } = (await console.app.client.get('/api/public/v2/tables?name=Only one')) as { data: object[] };
    expect(data).toHaveLength(1);
    console.complaints.splice(0);
  });

  it('in new rows are stored once when the answer was lost and they are changed before another try', async () => {
    const sheet = await newSheet(console.app.client, ['a', 'b']);
    const page = await console.openSigned(pathOf(sheet));
    await shows(page, [2, 1], 'b');
    await page.evaluate('navigator.clipboard.writeText("c\\nd")');
    await goTo(page, 2, 1);
    for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
    await page.getByLabel('New row').waitFor();
    await page.route('**/rows', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.keyboard.press('Control+v');
    const bar = page.getByRole('alert').filter({ hasText: 'not saved' });
    await bar.getByText('2 cells not saved.').waitFor();
    await page.unroute('**/rows');
    await button(page, 'Edit').click();
    await page.keyboard.type(' too\n');
    const texts = async () => (await valuesOf(console.app.client, sheet)).flat().join();
    await until(async () => (await texts()) === 'a,b,c too,d');
    await button(page, 'Retry').click();
    await bar.waitFor({ state: 'detached' });
    expect(await texts()).toBe('a,b,c too,d');
    console.complaints.splice(0);
  });

  it('in a dialog are not lost when the page behind it cannot be read again', async () => {
    const page = await console.openSigned(await promptPath('broken'));
    await button(page, 'Labels').click();
    await page.route('**/versions*', (route) => route.abort());
    await page.getByLabel('New label').fill('beta');
    await button(page, 'Add label to v1').click();
    await page.getByText('Could not load').waitFor({ state: 'attached' });
    console.complaints.splice(0);
    expect(await page.getByLabel('New label').inputValue()).toBe('beta');
  });

  it('outlive a session: after signing in again people continue where they were', async () => {
    const sheet = await newSheet(console.app.client, ['a', 'b']);
    const page = await console.openSigned(pathOf(sheet));
    await shows(page, [1, 1], 'a');
    await button(page, 'Add a column').click();
    await page.getByLabel(/^Title/).fill('Later');
    await console.app.sql('DELETE FROM console_sessions');
    await clickBehindDialog(button(page, 'Add the column'));
    await page.getByText('Your session has ended.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('API key').fill(console.app.apiKey);
    await button(page, 'Sign in').click();
    await page.getByLabel('API key').waitFor({ state: 'detached' });
    expect(await page.getByLabel(/^Title/).inputValue()).toBe('Later');
    await button(page, 'Add the column').click();
    await page.getByRole('columnheader', { name: 'Later' }).waitFor();
    await goTo(page, 1, 1);
    await page.keyboard.type('mine');
    await console.app.sql('DELETE FROM console_sessions');
    await page.getByLabel('Value', { exact: true }).dispatchEvent('keydown', { key: 'Enter' });
    await page.getByLabel('API key').fill(console.app.apiKey);
    await button(page, 'Sign in').click();
    await button(page, 'Retry').click();
    await until(async () => (await valuesOf(console.app.client, sheet))[0]![0] === 'mine');
  });

  it('are not given up for another key without a question', async () => {
    const answer = await console.app.operator().post('/api/admin/v1/workspaces/1/api-keys', { role: 'viewer' }, 201);
    const page = await console.openSigned('/console/settings/webhooks');
    await button(page, 'New webhook').click();
    await page.getByLabel('URL').fill('https://example.com');
    await console.app.sql('DELETE FROM console_sessions');
    await clickBehindDialog(button(page, 'Create'));
    await page.getByLabel('API key').fill((answer as { secret: string }).secret);
    await button(page, 'Sign in').click();
    await keepEditing(page);
    await page.getByRole('alert').getByText('Sign in as before').waitFor();
    await page.getByLabel('API key').fill(console.app.apiKey);
    await button(page, 'Sign in').click();
    await page.getByLabel('API key').waitFor({ state: 'detached' });
    expect(await page.getByLabel('URL').inputValue()).toBe('https://example.com');
  });

  it('in small fields are restored with their panel', async () => {
    const page = await console.openSigned(`${await sheetPath()}?side=versions`);
    const field = page.getByLabel('Name of this version');
    await field.fill('Before the holidays');
    await button(page, 'Versions').click();
    await field.waitFor({ state: 'detached' });
    await button(page, 'Versions').click();
    expect(await field.inputValue()).toBe('Before the holidays');
  });
});
