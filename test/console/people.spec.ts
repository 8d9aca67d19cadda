import type { Page, WebSocket } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, send } from '../support/otlp.js';
import { invite, newWorkspace } from '../support/single-sign-on.js';
import { isBrowserMissing } from './support/chromium.js';
import { clickBehindDialog, ConsoleApp, expectAccessible, signIn } from './support/console-app.js';

const PASSWORD = 'correct horse battery';

describe.skipIf(isBrowserMissing())('people', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  it('are invited, join with a password, sign in again, make a key of their own, and are out when removed', async () => {
    const admin = await console.openSigned('/console/settings/people');
    await button(admin, 'Invite').click();
    await admin.getByLabel('E-mail address').fill('ada@example.com');
    await admin.getByLabel('contributor').check();
    await expectAccessible(admin);
    await button(admin, 'Create the link').click();
    const link = new URL(await dialog(admin).locator('pre').innerText());
    await button(admin, 'I have saved it').click();
    await row(admin, 'ada@example.com').getByText('contributor').waitFor();

    const page = await console.open(`${link.pathname}${link.hash}`);
    await page.getByText('Create your account for ada@example.com').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Join').click();
    await page.getByText('Sign out').waitFor();
    expect(page.url()).not.toContain('#');

    await page.goto(`${console.url}/console/settings/account`);
    await page.getByText('this one').waitFor();
    await button(page, 'New personal key').click();
    await page.getByLabel('viewer').check();
    await button(page, 'Create').click();
    const secret = await dialog(page).locator('pre').innerText();
    await button(page, 'I have saved it').click();
    await row(page, 'viewer').waitFor();
    await expectAccessible(page);
    expect(await console.app.clientWith(secret).get('/api/public/v2/me')).toMatchObject({ user: { name: 'Ada' } });

    await page.getByRole('button', { name: /^Sign out/ }).click();
    await button(page, 'Use e-mail and password').click();
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Password').fill('wrong password');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').getByText('is not right').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Sign in').click();
    await page.getByText('Sign out').waitFor();

    await admin.reload();
    await row(admin, 'Ada').getByRole('button', { name: 'Remove' }).click();
    await dialog(admin).getByRole('button', { name: 'Remove' }).click();
    await admin.getByText('No members yet.').waitFor();
    await clickBehindDialog(page.getByRole('link', { name: 'Prompts', exact: true }));
    await dialog(page).getByText('Your session has ended').waitFor();
    await console.app.clientWith(secret).get('/api/public/v2/me', 401);
    console.complaints.splice(0);
  });

  it('have roles that the workspace defines', async () => {
    const admin = await console.openSigned('/console/settings/roles');
    await button(admin, 'New role').click();
    await admin.getByLabel('Name').fill('reviewer');
    await admin.getByLabel('PROMPT_EDIT').check();
    await expectAccessible(admin);
    await button(admin, 'Create').click();
    await row(admin, 'reviewer').getByText('PROMPT_EDIT').waitFor();
    await row(admin, 'reviewer').getByRole('button', { name: 'Change' }).click();
    await admin.getByLabel('PROMPT_DEPLOY').check();
    await button(admin, 'Save').click();
    await row(admin, 'reviewer').getByText('PROMPT_DEPLOY, PROMPT_EDIT').waitFor();
    await admin.goto(`${console.url}/console/settings/people`);
    await button(admin, 'Invite').click();
    await admin.getByLabel('reviewer').check();
    await button(admin, 'Cancel').click();
    await admin.goto(`${console.url}/console/settings/roles`);
    await row(admin, 'reviewer').getByRole('button', { name: 'Delete' }).click();
    await dialog(admin).getByRole('button', { name: 'Delete' }).click();
    await row(admin, 'reviewer').waitFor({ state: 'detached' });
  });

  it('see nothing of a conversation that somebody else has read in the same browser', async () => {
    const said = llmSpan({ input: 'My card is lost.', more: { 'session.id': 'lost card' } });
    await send(console.app.client, [said]);
    const page = await console.open('/console/conversations/lost%20card');
    await signIn(page, console.app.apiKey);
    await page.getByRole('heading', { name: 'Turn 1 of 1' }).waitFor();
    await page.getByRole('button', { name: /^Sign out/ }).click();
    await signIn(page, (await console.app.stranger()).apiKey!);
    await page.getByText('There is no session lost card').waitFor();
    expect(await page.content()).not.toContain('My card is lost.');
  });

  /** Somebody who is a member of the first workspace and of a second one. */
  async function joinTwo(email: string): Promise<Page> {
    const { admin, path } = await newWorkspace(console.app);
    const page = await console.open('/console/');
    await page.getByLabel('API key').waitFor();
    for (const token of [
      await invite(admin, path, email, ['admin']),
      await invite(console.app.client, '/api/admin/v1/workspaces/1', email, ['admin']),
    ]) {
      await page.goto(`${console.url}/console/join#${token}`);
      await page.getByLabel('Password').fill(PASSWORD);
      await button(page, 'Join').click();
      await page.getByText('Sign out').waitFor();
    }
    await page.getByLabel('Workspace').waitFor();
    return page;
  }

  const choose = (page: Page, workspace: string) => page.getByLabel('Workspace').selectOption(workspace);
  const chosen = (page: Page) => page.getByLabel('Workspace').locator('option:checked').innerText();

  it('do not go on in another tab as somebody else or in another workspace', async () => {
    const page = await joinTwo('grace@example.com');
    const first = await chosen(page);
    const second = await page.context().newPage();
    await second.goto(`${console.url}/console/settings/webhooks`);
    await button(second, 'New webhook').click();
    await second.getByLabel('URL').fill('https://receiver.example.com');
    await choose(page, 'Somebody else');
    const over = second.getByRole('dialog', { name: 'Sign in' });
    await over.getByText('was replaced in another tab').waitFor();
    await expectAccessible(second);
    await expect.poll(() => chosen(page)).toBe('Somebody else');
    await choose(page, first);
    await expect.poll(() => chosen(page)).toBe(first);
    await second.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await over.waitFor({ state: 'detached' });
    expect(await second.getByLabel('URL').inputValue()).toBe('https://receiver.example.com');

    await page.getByRole('button', { name: /^Sign out/ }).click();
    await over.waitFor();
    await signIn(page, (await console.app.stranger()).apiKey!);
    await second.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await second.getByRole('dialog', { name: 'Discard unsaved changes?' }).waitFor();
    await button(second, 'Discard').click();
    await over.waitFor({ state: 'detached' });
    await second.getByText('There are no webhooks yet').waitFor();
  });

  it('are asked once before unsaved text is lost with the workspace, and keep one connection', async () => {
    const page = await joinTwo('alan@example.com');
    const open = new Set<WebSocket>();
    page.on('websocket', (socket) => {
      open.add(socket);
      socket.on('close', () => open.delete(socket));
    });
    await page.goto(`${console.url}/console/settings/workspace`);
    await page.getByLabel('Default model').fill('openai/gpt-4.1-mini');
    const first = await chosen(page);
    await choose(page, 'Somebody else');
    await button(page, 'Keep editing').click();
    expect(await page.getByLabel('Default model').inputValue()).toBe('openai/gpt-4.1-mini');
    await choose(page, 'Somebody else');
    await button(page, 'Discard').click();
    await page.waitForURL(/\/console\/$/);
    expect(await dialog(page).count()).toBe(0);
    await page.route('**/console/session/workspace/*', (route) =>
      route.fulfill({ status: 404, json: { message: 'You are no longer a member.' } }),
    );
    await choose(page, first);
    await page.getByRole('alert').getByText('You are no longer a member.').waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    for (const name of [first, 'Somebody else', first]) {
      await choose(page, name);
      await expect.poll(() => chosen(page)).toBe(name);
    }
    await expect.poll(() => open.size).toBe(1);
    console.complaints.splice(0);
  });

  it('use the newest link of a tab, and are asked before Back discards what they typed', async () => {
    const workspace = '/api/admin/v1/workspaces/1';
    const [one, two] = [
      await invite(console.app.client, workspace, 'one@example.com'),
      await invite(console.app.client, workspace, 'two@example.com'),
    ];
    const page = await console.open('/console/');
    await page.getByLabel('API key').waitFor();
    await page.route('**/console/sign-in', (route) => route.fulfill({ status: 500, json: { message: 'Broken.' } }));
    await page.goto(`/console/join#${one}`);
    await page.getByRole('alert').getByText('Broken.').waitFor();
    await page.unrouteAll();
    await button(page, 'Try again').click();
    await page.getByText('Create your account for one@example.com').waitFor();
    await page.evaluate(`location.hash = '${two}'`);
    await page.getByText('Create your account for two@example.com').waitFor();
    await page.getByLabel('Your name').fill('Two');
    await page.goBack();
    await button(page, 'Keep editing').click();
    expect(await page.getByLabel('Your name').inputValue()).toBe('Two');
    await page.goBack();
    await button(page, 'Discard').click();
    await page.getByText('Create your account for one@example.com').waitFor();
    console.complaints.splice(0);
  });

  it('with a link that is not valid read why, and what to do', async () => {
    const page = await console.open(`/console/join#${'x'.repeat(43)}`);
    await page.getByText('Ask whoever sent it for a new one').waitFor();
    console.complaints.splice(0);
  });
});
