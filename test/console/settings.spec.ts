import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { logCall } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { IMPATIENT, Receiver } from '../support/webhooks.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

const SECTIONS = [
  'keys',
  'people',
  'account',
  'models',
  'variables',
  'webhooks',
  'prices',
  'retention',
  'erasure',
  'exports',
  'workspace',
];

describe.skipIf(isBrowserMissing())('settings', () => {
  let console: ConsoleApp;
  let viewer: string;
  let receiver: Receiver;
  beforeAll(async () => {
    console = await ConsoleApp.start({ env: IMPATIENT });
    const { client } = console.app;
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    viewer = ((await client.post(keys, { name: 'Reader', role: 'viewer' }, 201)) as { secret: string }).secret;
    receiver = await Receiver.start();
    await logCall(client, {});
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await receiver.stop();
    await console.stop();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const dialog = (page: Page) => page.getByRole('dialog');

  it('creates a key that is shown once, works, is changed, rotated and revoked', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await button(page, 'New key').click();
    await page.getByLabel('Name').fill('Exporter');
    await page.getByLabel('viewer').check();
    await page.getByLabel('Expires').fill('2199-12-31T12:00');
    await page.getByLabel('Allowed networks').fill('127.0.0.0/8, nonsense');
    await button(page, 'Create').click();
    await dialog(page).getByRole('alert').getByText('allowed_networks').waitFor();
    await page.getByLabel('Allowed networks').fill('127.0.0.0/8\n::1');
    await button(page, 'Create').click();
    await dialog(page).getByText('It is shown only once').waitFor();
    const secret = await dialog(page).locator('pre').innerText();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await button(page, 'I have saved it').click();
    expect(await page.content()).not.toContain(secret);
    const me = (await console.app.clientWith(secret).get('/api/public/v2/me')) as { api_key: { roles: string[] } };
    expect(me.api_key.roles).toEqual(['viewer']);
    await row(page, 'until 31 Dec 2199').getByText('from 127.0.0.0/8, ::1').waitFor();
    await row(page, 'Exporter').getByRole('button', { name: 'Change' }).click();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Name' }).fill('Old exporter');
    await page.getByLabel('Expires').fill('');
    await button(page, 'Save').click();
    await row(page, 'Old exporter').getByText('never expires').waitFor();
    await row(page, 'Old exporter').getByRole('button', { name: 'Rotate' }).click();
    await expectAccessible(page);
    await page.getByLabel('How long the old key stays valid').selectOption('An hour');
    await button(page, 'Rotate the key').click();
    const rotated = await dialog(page).locator('pre').innerText();
    await button(page, 'I have saved it').click();
    await console.app.clientWith(rotated).get('/api/public/v2/me');
    await row(page, 'until').getByRole('button', { name: 'Revoke' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await row(page, 'revoked').getByText('Old exporter').waitFor();
    await console.app.clientWith(secret).get('/api/public/v2/me', 401);
  });

  it('keeps the input when the server rejects it, and says why', async () => {
    const page = await console.openSigned('/console/settings/webhooks');
    await button(page, 'New webhook').click();
    await page.getByLabel('URL').fill('ftp://files.example.com');
    await button(page, 'Create').click();
    await dialog(page).getByRole('alert').waitFor();
    expect(await page.getByLabel('URL').inputValue()).toBe('ftp://files.example.com');
    await expectAccessible(page);
  });

  it('creates a webhook, shows its secret and its deliveries, and repeats one', async () => {
    const page = await console.openSigned('/console/settings/webhooks');
    await page.getByText('There are no webhooks yet').waitFor();
    await button(page, 'New webhook').click();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Name', { exact: true }).fill('Deployment bot');
    await page.getByLabel('prompt_template_version_created').check();
    await button(page, 'Create').click();
    expect((await dialog(page).locator('pre').innerText()).length).toBeGreaterThan(20);
    await button(page, 'I have saved it').click();
    await row(page, 'Deployment bot').getByRole('button', { name: 'Deliveries' }).click();
    await dialog(page).getByText('Nothing sent yet').waitFor();
    await publishPrompt(console.app.client, 'told');
    await dialog(page).getByText('delivered').waitFor();
    await expectAccessible(page);
    expect(receiver.requests).toHaveLength(1);
    await button(page, 'Send again').click();
    await expect.poll(() => receiver.requests.length).toBe(2);
    await button(page, 'Close').click();
    await row(page, 'Deployment bot').getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('prompt_template_label_moved').check();
    await page.getByLabel('Send new events').uncheck();
    await page.getByLabel('Format').selectOption('Slack message');
    await button(page, 'Save').click();
    await row(page, 'switched off').waitFor();
    expect(await row(page, 'Deployment bot').innerText()).toMatch(
      /prompt_template_label_moved\s+prompt_template_version_created/,
    );
    await page.route('**/events/types', () => undefined);
    await page.reload();
    await row(page, 'Deployment bot').getByRole('button', { name: 'Change' }).click();
    expect(await page.getByLabel('Format').inputValue()).toBe('slack');
    await page.getByLabel('Name', { exact: true }).fill('Kept bot');
    await button(page, 'Save').click();
    await row(page, 'Kept bot').getByText('prompt_template_label_moved').waitFor();
    await row(page, 'Kept bot').getByRole('button', { name: 'New secret' }).click();
    await button(page, 'Renew the secret').click();
    await button(page, 'I have saved it').click();
    await row(page, 'Kept bot').getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no webhooks yet').waitFor();
  });

  it('sets, changes and deletes the price of a model, also one that a link brings, and prices the past', async () => {
    await logCall(console.app.client, { provider: 'ollama', model: 'llama-4-house', inputTokens: 10_000_000 });
    const page = await console.openSigned('/console/settings/prices?provider=ollama&model=llama-4-house');
    expect(await page.getByLabel(/^Model/).inputValue()).toBe('llama-4-house');
    await page.getByLabel(/^Input, \$ per million/).fill('0.4');
    await expectAccessible(page);
    await button(page, 'Save').click();
    await row(page, 'llama-4-house').getByText('$0.40').waitFor();
    // The call that had no price has one.
    await row(page, 'ollama/llama-4-house').getByText('1 call priced, $4').waitFor();
    await row(page, '$0.40').getByRole('button', { name: 'Price past calls' }).click();
    await page.getByLabel('Calls since').fill('2026-01-01');
    await expectAccessible(page);
    await button(page, 'Apply prices').click();
    await row(page, '1 Jan').getByText('0 calls priced').waitFor();
    await page.goto('/console/settings/prices?provider=ollama&model=llama-4-house');
    expect(await page.getByLabel(/^Input, \$ per million/).inputValue()).toBe('0.4');
    await button(page, 'Cancel').click();
    await row(page, '$0.40').getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No prices set').waitFor();
  });

  it('refuses a new price for a model that has one, and prices the past when saving is repeated', async () => {
    const page = await console.openSigned('/console/settings/prices?provider=ollama&model=small-house');
    await page.getByLabel(/^Input, \$ per million/).fill('0.4');
    await page.route('**/repricings', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 503, json: { message: 'Busy.' } })
        : route.fallback(),
    );
    await button(page, 'Save').click();
    await dialog(page).getByRole('alert').getByText('Busy.').waitFor();
    await page.unrouteAll();
    expect(await page.getByLabel('Also price past calls that have no price').isChecked()).toBe(true);
    await button(page, 'Save').click();
    await row(page, 'ollama/small-house').waitFor();
    await button(page, 'Set a price').click();
    await page.getByRole('textbox', { name: 'Provider' }).fill(' Ollama');
    await page.getByRole('textbox', { name: 'Model' }).fill('Small-House');
    await page.getByLabel(/^Output, \$ per million/).fill('9');
    await button(page, 'Save').click();
    await dialog(page).getByRole('alert').getByText('Small-House of Ollama already has a price').waitFor();
    await button(page, 'Cancel').click();
    await row(page, '$0.40').getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No prices set').waitFor();
    console.complaints.splice(0);
  });

  it('keeps the settings and keys that somebody else has changed since the form was drawn', async () => {
    const { client } = console.app;
    const workspace = '/api/admin/v1/workspaces/1';
    const page = await console.openSigned('/console/settings/workspace');
    await page.getByLabel('Import size limit, in bytes').fill('500000');
    await client.patch(`${workspace}/settings`, { embedding_model: 'openai/text-embedding-3-large' });
    const [sent] = await Promise.all([
      page.waitForResponse((answer) => answer.request().method() === 'PATCH'),
      button(page, 'Save').click(),
    ]);
    expect([sent.status(), sent.request().postDataJSON()]).toEqual([200, { import_max_bytes: 500_000 }]);
    expect(await client.get(`${workspace}/settings`)).toMatchObject({
      settings: { import_max_bytes: 500_000, embedding_model: 'openai/text-embedding-3-large' },
    });
    await page.getByRole('link', { name: 'API keys' }).click();
    await row(page, 'Reader').getByRole('button', { name: 'Change' }).click();
    const { api_keys: keys } = (await client.get(`${workspace}/api-keys`)) as {
      api_keys: { id: number; name: string }[];
    };
    const { id } = keys.find(({ name }) => name === 'Reader')!;
    await client.patch(`${workspace}/api-keys/${id}`, { allowed_networks: ['127.0.0.0/8', '::1'] });
    await page.getByRole('textbox', { name: 'Name' }).fill('Second reader');
    await button(page, 'Save').click();
    await row(page, 'Second reader').getByText('from 127.0.0.0/8, ::1').waitFor();
    await row(page, 'Second reader').getByRole('button', { name: 'Change' }).click();
    await button(page, 'Save').click();
    await dialog(page).waitFor({ state: 'detached' });
    await client.patch(`${workspace}/api-keys/${id}`, { name: 'Reader' });
  });

  it('counts the data that a limit would delete, before it is saved', async () => {
    const page = await console.openSigned('/console/settings/retention');
    await page.getByLabel('Days to keep requests').fill('3000');
    await button(page, 'Set limits…').click();
    await dialog(page).getByText('No request is older than 3,000 days.').waitFor();
    await dialog(page).getByText('All traces are kept forever.').waitFor();
    await expectAccessible(page);
    await button(page, 'Set them').click();
    await expect
      .poll(async () => console.app.client.get('/api/admin/v1/workspaces/1/retention'))
      .toMatchObject({
        retention: { request_logs_days: 3000, traces_days: null },
      });
  });

  it('starts an export, shows its progress and gives the file', async () => {
    const page = await console.openSigned('/console/settings/exports');
    await page.getByText('No exports yet').waitFor();
    for (const [source, days] of [
      ['Request logs', 'Last 24 hours'],
      ['Traces', 'Last 7 days'],
      ['Spans', 'Last 30 days'],
    ] as const) {
      await button(page, 'New export').click();
      await page.getByLabel('Data').selectOption(source);
      await page.getByLabel('Period').selectOption(days);
      await button(page, 'Start').click();
      await row(page, source).getByRole('link', { name: 'Download' }).waitFor();
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      row(page, 'Traces').getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
    await expectAccessible(page);
    await row(page, 'Spans').getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await row(page, 'Spans').waitFor({ state: 'detached' });
  });

  it('changes what new sheets start with', async () => {
    const page = await console.openSigned('/console/settings/workspace');
    await page.getByLabel('Auto-recalculate in new sheets').selectOption('Only cells that cost nothing');
    await page.getByLabel('Default model').fill('nonsense');
    await button(page, 'Save').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Default model').fill('openai/gpt-4.1-mini');
    await page.getByLabel('Protected labels', { exact: true }).fill('production, live,');
    await page.getByLabel('that need an approval').fill('live');
    await button(page, 'Save').click();
    await expect
      .poll(async () => console.app.client.get('/api/admin/v1/workspaces/1/settings'))
      .toMatchObject({
        settings: {
          auto_recalculate: 'deterministic',
          default_model: 'openai/gpt-4.1-mini',
          protected_labels: ['production', 'live'],
          approval_labels: ['live'],
        },
      });
  });

  it('shows a key without permissions the disabled actions and the permissions that they need', async () => {
    const page = await console.openSigned('/console/settings', { key: viewer });
    await page.getByText('you need the permission MANAGE_API_KEYS. Your role is viewer.').waitFor();
    expect(await button(page, 'New key').isDisabled()).toBe(true);
    for (const section of ['Webhooks', 'Model prices', 'Retention', 'Workspace']) {
      await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: section }).click();
      await page.getByText('you need the permission ADMIN').waitFor();
    }
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Exports' }).click();
    expect(await button(page, 'New export').isEnabled()).toBe(true);
  });

  it('shows errors of the server in place of the settings', async () => {
    const page = await console.openSigned('/console/settings/exports');
    await page.route('**/model-prices', (route) =>
      route.fulfill({ status: 400, json: { success: false, message: 'Something broke.', error: 'broken' } }),
    );
    await page.getByRole('link', { name: 'Model prices' }).click();
    await page.getByRole('alert').getByText('Something broke.').waitFor();
    await page.unroute('**/model-prices');
    await button(page, 'Try again').click();
    await page.getByText('No prices set').waitFor();
  });

  it.each([
    [false, 1440],
    [true, 1024],
  ])('is accessible in every section, dark: %s, at %d px', async (dark, width) => {
    const page = await console.openSigned('/console/settings', { dark, width });
    for (const section of SECTIONS) {
      await page.locator(`.tabs a[href$="/settings/${section}"]`).click();
      await page.waitForURL(new RegExp(`/settings/${section}$`));
      await page.waitForLoadState('networkidle');
      await expectAccessible(page);
    }
  });
});
