import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, send } from '../support/otlp.js';
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

  it('with a link that is not valid read why, and what to do', async () => {
    const page = await console.open(`/console/join#${'x'.repeat(43)}`);
    await page.getByText('Ask whoever sent it for a new one').waitFor();
    console.complaints.splice(0);
  });
});
