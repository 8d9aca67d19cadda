import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RealProvider } from '../support/real-provider.js';
import { ADMIN, invite, newWorkspace } from '../support/single-sign-on.js';
import { isBrowserMissing } from './support/chromium.js';
import { clickBehindDialog, ConsoleApp, expectAccessible } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('single sign-on', () => {
  let console: ConsoleApp;
  let provider: RealProvider;
  beforeAll(async () => {
    console = await ConsoleApp.start({ works: false, env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
    const client = { client_id: 'tracesheet', client_secret: 'a secret of the client' };
    provider = await RealProvider.start(
      {
        ...client,
        redirect_uris: [`${console.url}/console/sign-in/acme/callback`],
        post_logout_redirect_uris: [`${console.url}/console/`],
      },
      'localhost',
    );
    const body = { slug: 'acme', name: 'Acme', issuer: provider.issuer, ...client };
    await console.app.operator().post(`${ADMIN}/identity-providers`, body, 201);
    provider.people.set('ada', { email: 'ada@example.com', email_verified: true, name: 'Ada' });
    provider.people.set('eve', { email: 'eve@example.com', email_verified: true });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await console.stop();
    await provider.stop();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const signInAs = async (page: Page, name: string) => {
    await page.getByLabel('Name').fill(name);
    await button(page, 'Continue').click();
  };

  it('leads to the page asked for, shows the identity in the account, and ends at the provider, too', async () => {
    const { admin, path } = await newWorkspace(console.app);
    const token = await invite(admin, path, 'ada@example.com');
    const page = await console.open(`/console/join#${token}`);
    await button(page, 'Join with Acme').waitFor();
    await expectAccessible(page);
    expect(await page.getByLabel('Password').count()).toBe(0);
    await button(page, 'Join with Acme').click();
    await signInAs(page, 'ada');
    await page.getByText('Sign out').waitFor();

    await page.goto(`${console.url}/console/settings/account`);
    await row(page, 'ada@example.com').waitFor();
    await expectAccessible(page);
    await button(page, 'Unlink').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink' }).click();
    await page.getByRole('alert').getByText('your last way to sign in').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Link Acme').click();
    await row(page, 'ada@example.com').waitFor();

    await page.getByRole('button', { name: /^Sign out/ }).click();
    await page.getByText('API key of your workspace').waitFor();
    expect(page.url()).toBe(`${console.url}/console/`);

    await page.goto(`${console.url}/console/traces?query=hello`);
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await signInAs(page, 'ada');
    await page.getByText('Sign out').waitFor();
    expect(page.url()).toBe(`${console.url}/console/traces?query=hello`);
  });

  it('says in words why somebody does not come in', async () => {
    const page = await console.open();
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await signInAs(page, 'eve');
    await page.getByRole('alert').getByText('Ask an administrator for an invitation').waitFor();
    await expectAccessible(page);
    expect(await button(page, 'Use e-mail and password').count()).toBe(0);
    await page.getByLabel('API key').fill(console.app.apiKey);
    await button(page, 'Sign in').click();
    await page.getByText('Sign out').waitFor();
    expect(page.url()).toBe(`${console.url}/console/`);
  });

  it('goes on in another tab when the session has ended', async () => {
    const { admin, path } = await newWorkspace(console.app);
    provider.people.set('bob', { email: 'bob@example.com', email_verified: true, name: 'Bob' });
    await invite(admin, path, 'bob@example.com');
    const page = await console.open('/console/prompts');
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await signInAs(page, 'bob');
    await page.getByText('Sign out').waitFor();
    await console.app.sql('DELETE FROM console_sessions');
    await clickBehindDialog(page.getByRole('link', { name: 'Traces', exact: true }));
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Your session has ended').waitFor();
    await expectAccessible(page);
    const opened = page.waitForEvent('popup');
    await dialog.getByRole('link', { name: 'Sign in with Acme' }).click();
    const tab = await opened;
    // The session at the provider goes on.
    await tab.getByText('Sign out').waitFor();
    await tab.close();
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`);
    await dialog.waitFor({ state: 'detached' });
  });

  it('by a link of the operator waits for a click', async () => {
    const page = await console.open(`/console/sign-in-link#${'x'.repeat(43)}`);
    await expectAccessible(page);
    await button(page, 'Sign in').click();
    await page.getByRole('alert').getByText('Ask whoever sent it for a new one').waitFor();
  });
});
