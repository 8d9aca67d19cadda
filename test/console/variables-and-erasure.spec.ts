import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, send } from '../support/otlp.js';
import { createTool } from '../support/tools.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('environment variables and erasure', () => {
  let console: ConsoleApp;
  let viewer: string;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    const reader = (await console.app.client.post(keys, { name: 'Reader', role: 'viewer' }, 201)) as { secret: string };
    viewer = reader.secret;
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  it('adds, replaces and deletes variables of the workspace and of a tool, and never shows a value', async () => {
    await createTool(console.app.client, 'weather');
    const page = await console.openSigned('/console/settings/variables');
    await page.getByText('The workspace has no environment variables yet.').waitFor();
    await button(page, 'Add a variable').click();
    await dialog(page).getByLabel('Name').fill('WEATHER_API_KEY');
    await dialog(page).getByLabel('Value').fill('secret-value-1234');
    await expectAccessible(page);
    await button(page, 'Add the variable').click();
    await row(page, 'WEATHER_API_KEY').getByText('…1234').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'variables');
    await button(page, 'Add a variable').click();
    await dialog(page).getByLabel('Name').fill('WEATHER_API_KEY');
    await button(page, 'Add the variable').click();
    await dialog(page).getByRole('alert').waitFor();
    await button(page, 'Cancel').click();
    await row(page, 'WEATHER_API_KEY').getByRole('button', { name: 'Replace' }).click();
    await dialog(page).getByLabel('Value').fill('another-value-5678');
    await button(page, 'Replace the value').click();
    await row(page, 'WEATHER_API_KEY').getByText('…5678').waitFor();
    await page.getByLabel('Variables of').selectOption({ label: 'Tool weather' });
    await page.getByText('This tool has no environment variables yet.').waitFor();
    expect(page.url()).toMatch(/tool=\d+$/);
    await button(page, 'Add a variable').click();
    await dialog(page).getByLabel('Name').fill('CITY');
    await button(page, 'Add the variable').click();
    await row(page, 'CITY').getByText('no value yet').waitFor();
    await row(page, 'CITY').getByRole('button', { name: 'Delete' }).click();
    await button(page, 'Delete the variable').click();
    await page.getByText('This tool has no environment variables yet.').waitFor();
    expect(await page.content()).not.toContain('another-value');
  });

  it('counts the data of a person, erases it after a confirmation, and shows the proof', async () => {
    const { client } = console.app;
    await send(client, [llmSpan({ input: 'Where is my parcel?', more: { 'user.id': 'hugo.weber' } })]);
    const page = await console.openSigned('/console/');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Where to').fill('erase');
    await page.keyboard.press('Enter');
    await page.getByLabel(/^Id/).fill('hugo.weber');
    await expectAccessible(page);
    await button(page, 'Count their data').click();
    await page.getByText('This would be erased:').waitFor();
    await page.getByRole('region', { name: 'Result' }).getByText('traces').waitFor();
    await button(page, 'Erase…').click();
    await dialog(page).getByText('The user hugo.weber').waitFor();
    await expectAccessible(page);
    await button(page, 'Erase permanently').click();
    await page.getByText('This was erased:').waitFor();
    await page.getByText(/^Verified: a full search found nothing left/).waitFor();
    await row(page, 'erased').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'erasure');
    await page.reload();
    await page.getByText('This was erased:').waitFor();
  });

  it('says which permission erasing needs', async () => {
    const page = await console.openSigned('/console/settings/erasure', { key: viewer });
    await page.getByText(/To count and erase what is about a person, you need the permission/).waitFor();
    await expectAccessible(page);
    await page.goto('/console/settings/variables');
    await page.getByRole('heading', { name: 'Environment variables' }).waitFor();
    expect(await button(page, 'Add a variable').isDisabled()).toBe(true);
  });
});
