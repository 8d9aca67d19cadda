import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { llmSpan, logCall, send } from '../support/otlp.js';
import { invite } from '../support/single-sign-on.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

const VIEWS = '/api/public/v2/saved-views';
const FAILURE = { code: 2, message: 'Overloaded' };

describe.skipIf(isBrowserMissing())('saved views', () => {
  let console: ConsoleApp;
  let client: Client;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    ({ client } = console.app);
    await send(client, [
      llmSpan({ model: 'steady-model', input: 'Question' }, { name: 'steady' }),
      llmSpan({ model: 'flaky-model', input: 'Question' }, { name: 'flaky', status: FAILURE }),
    ]);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const menu = (page: Page, current: string) => page.getByRole('button', { name: current, exact: true });
  const choose = async (page: Page, current: string, item: string | RegExp) => {
    await menu(page, current).click();
    await page.getByRole('menu', { name: 'Saved views' }).getByText(item).click();
  };
  const save = async (name: string, query: object, screen = 'requests') =>
    ((await client.post(VIEWS, { screen, name, query }, 201)) as { saved_view: { id: string } }).saved_view.id;
  const listed = (page: Page, text: string) => page.locator('.list-foot', { hasText: text }).waitFor();

  it('keep how a list is looked at under a name, which opens it again', async () => {
    const page = await console.openSigned('/console/logs?status=ERROR&f=engine+is+flaky-model');
    await choose(page, 'Views', 'Save view …');
    const dialog = page.getByRole('dialog', { name: 'Save view' });
    await dialog.getByLabel('Name').fill('Flaky failures');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save view' }).click();
    await menu(page, 'Flaky failures').waitFor();
    await page.waitForURL(/view=[0-9a-f-]{36}$/);
    await page.goto('/console/logs');
    await choose(page, 'Views', 'Flaky failures');
    await listed(page, '1 request');
    expect(new URL(page.url()).searchParams.get('status')).toBe('ERROR');
    await menu(page, 'Flaky failures').click();
    await page.getByRole('menuitemradio', { name: '✓ Flaky failures', checked: true }).waitFor();
    await expectAccessible(page);
  });

  it('say when the list is looked at in another way, and take the change', async () => {
    const id = await save('To be changed', { status: 'ERROR' });
    const page = await console.openSigned(`/console/logs?status=ERROR&view=${id}`);
    await menu(page, 'To be changed').waitFor();
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
    await page.getByLabel('Status').selectOption('Succeeded');
    await page.getByRole('button', { name: 'To be changed changed' }).waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
    const { saved_view: view } = (await client.get(`${VIEWS}/${id}`)) as { saved_view: { query: object } };
    expect(view.query).toEqual({ status: 'SUCCESS' });
  });

  it('explain why a name cannot be used, and keep the input', async () => {
    await save('Taken', {}, 'traces');
    const page = await console.openSigned('/console/traces');
    await choose(page, 'Views', 'Save view …');
    await page.getByLabel('Name', { exact: true }).fill('Taken');
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('alert').getByText('There is a saved view "Taken" of traces already.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Free');
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
    await menu(page, 'Free').waitFor();
  });

  it('are found by their names in the palette', async () => {
    await save('Traces to look at', { status: 'ERROR' }, 'traces');
    const page = await console.openSigned('/console/');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('to look at');
    await page.getByRole('option', { name: /Traces to look at.*View of Traces/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/traces\?status=ERROR&view=/);
    await menu(page, 'Traces to look at').waitFor();
    await listed(page, '1 trace');
  });

  it('are renamed and deleted', async () => {
    const id = await save('Short-lived', { days: '7' }, 'sessions');
    const page = await console.openSigned(`/console/conversations?days=7&view=${id}`);
    await choose(page, 'Short-lived', 'Rename or share …');
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await choose(page, 'Renamed', 'Delete view …');
    await page.getByText('It disappears for everybody in the workspace.').waitFor();
    await page.getByRole('button', { name: 'Delete view' }).click();
    await menu(page, 'Views').waitFor();
    await page.waitForURL(/conversations\?days=7$/);
    await client.get(`${VIEWS}/${id}`, 404);
  });

  it('keep a filter with a space in its key and a percent sign in its value', async () => {
    const id = await logCall(client, { model: 'graded-model', input: 'Question' });
    await client.post('/rest/track-metadata', { request_id: id, metadata: { 'answer quality': '100%41' } });
    const view = await save('Graded', { f: 'metadata[answer%20quality] key_equals 100%41' });
    const page = await console.openSigned('/console/logs');
    await choose(page, 'Views', 'Graded');
    await page.waitForURL(new RegExp(`view=${view}`));
    await listed(page, '1 request');
    await page.getByText('metadata answer quality is 100%41').waitFor();
    await page.reload();
    await page.getByText('metadata answer quality is 100%41').waitFor();
    await listed(page, '1 request');
    await page.getByRole('grid').getByText('graded-model').waitFor();
  });

  it('stay shared when their owner may no longer share and renames them', async () => {
    const admin = '/api/admin/v1/workspaces/1';
    const token = await invite(client, admin, 'ada@example.com');
    const page = await console.open(`/console/join#${token}`);
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('Sign out').waitFor();
    await page.goto('/console/logs?status=ERROR');
    await choose(page, 'Views', 'Save view …');
    await page.getByRole('textbox', { name: 'Name' }).fill('Shared by Ada');
    await page.getByLabel('Share with the workspace').check();
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
    await menu(page, 'Shared by Ada').waitFor();
    const { members } = (await client.get(`${admin}/members`)) as { members: { user_id: number; email: string }[] };
    const { user_id: id } = members.find(({ email }) => email === 'ada@example.com')!;
    await client.patch(`${admin}/members/${id}`, { roles: ['viewer'] });
    await page.reload();
    await choose(page, 'Shared by Ada', 'Rename or share …');
    await page.getByRole('textbox', { name: 'Name' }).fill('Renamed by Ada');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('METADATA_EDIT').waitFor();
    const { data: views } = (await client.get(VIEWS)) as { data: { name: string; is_shared: boolean }[] };
    expect(views.find(({ name }) => name === 'Shared by Ada')).toMatchObject({ is_shared: true });
  });

  it('can be opened with a key that may only read, and say what saving needs', async () => {
    const id = await save('For everybody', { status: 'ERROR' });
    const { workspace } = (await client.get('/api/public/v2/me')) as { workspace: { id: number } };
    const path = `/api/admin/v1/workspaces/${workspace.id}/api-keys`;
    const { secret } = (await console.app.operator().post(path, { role: 'viewer' }, 201)) as { secret: string };
    const page = await console.openSigned('/console/logs', { key: secret });
    await choose(page, 'Views', 'For everybody');
    await page.waitForURL(new RegExp(`view=${id}`));
    await listed(page, '1 request');
    await page.getByLabel('Status').selectOption('Any status');
    await page.getByRole('button', { name: 'For everybody changed' }).click();
    const item = page.getByRole('menuitem', { name: 'Save as another view … needs METADATA_EDIT' });
    expect(await item.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save changes' }).count()).toBe(0);
  });
});
