import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { labelsOf, publishPrompt } from '../support/prompts.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

const WORKSPACE = '/api/admin/v1/workspaces/1';

describe.skipIf(isBrowserMissing())('approvals', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    await publishPrompt(client, 'greeting', { labels: ['production'] });
    await publishPrompt(client, 'greeting', { message: 'Good day {name}!' });
    const rules = { protected_labels: ['production'], approval_labels: ['production'] };
    await client.patch(`${WORKSPACE}/settings`, rules);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  /** A browser of somebody who has just joined. */
  async function join(name: string, roles: string[]): Promise<Page> {
    const body = { email: `${name.toLowerCase()}@example.com`, roles };
    const { path } = (await console.app.client.post(`${WORKSPACE}/invitations`, body, 201)) as { path: string };
    const page = await console.open(path);
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('Password').fill('correct horse battery');
    await button(page, 'Join').click();
    await page.getByText('Sign out').waitFor();
    return page;
  }

  it('are asked for by one person and given by another, which moves the label', async () => {
    const { client } = console.app;
    const [ada, ben] = [await join('Ada', ['contributor', 'publisher']), await join('Ben', ['approver'])];

    await ada.goto(`${console.url}/console/prompts/1?v=2`);
    await button(ada, 'Labels').click();
    await button(ada, 'Move to v2').click();
    await dialog(ada).getByText('the approval of a second person: v1 to v2').waitFor();
    await expectAccessible(ada);
    await ada.getByLabel('Reason').fill('More polite');
    await button(ada, 'Request approval').click();
    await dialog(ada).getByRole('button', { name: 'Close' }).click();
    await row(ada, 'More polite').getByRole('button', { name: 'Cancel request' }).waitFor();
    expect(await row(ada, 'More polite').getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await expectAccessible(ada);
    expect(await labelsOf(client, 'greeting')).toEqual({ production: 1 });

    await ben.goto(`${console.url}/console/settings/approvals`);
    await row(ben, 'More polite').getByText('Ada').waitFor();
    await expectAccessible(ben);
    await row(ben, 'More polite').getByRole('link', { name: 'v1 to v2' }).click();
    await ben.locator('.diff .added', { hasText: 'Good day {name}!' }).waitFor();
    await row(ben, 'More polite').getByRole('button', { name: 'Approve' }).click();
    await dialog(ben).getByText('The label changes immediately.').waitFor();
    await expectAccessible(ben);
    await dialog(ben).getByLabel('Note').fill('Checked');
    await dialog(ben).getByRole('button', { name: 'Approve' }).click();
    await row(ben, 'More polite').waitFor({ state: 'detached' });
    expect(await labelsOf(client, 'greeting')).toEqual({ production: 2 });

    await ben.goto(`${console.url}/console/settings/approvals`);
    await ben.getByText('None.', { exact: true }).waitFor();
    await ben.getByLabel('State').selectOption('Approved');
    await row(ben, 'More polite').getByText('approved by Ben').waitFor();
  });

  it('can be rejected for a removal, with a reason', async () => {
    const cleo = await join('Cleo', ['approver']);
    const page = await console.openSigned('/console/prompts/1?v=1');
    await button(page, 'Labels').click();
    await button(page, 'Remove').click();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel('Reason').fill('Not used');
    await button(page, 'Request approval').click();
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    await row(page, 'Not used').getByText('remove from v2').waitFor();

    await cleo.goto(`${console.url}/console/settings/approvals`);
    await row(cleo, 'Not used').getByRole('button', { name: 'Reject' }).click();
    await dialog(cleo).getByLabel('Note').fill('Still used');
    await dialog(cleo).getByRole('button', { name: 'Reject' }).click();
    await cleo.getByText('None.', { exact: true }).waitFor();
    expect(await labelsOf(console.app.client, 'greeting')).toEqual({ production: 2 });
  });
});
