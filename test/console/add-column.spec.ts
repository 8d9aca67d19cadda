import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addColumn, newSheet, settled, type TestSheet } from '../support/factories.js';
import { FakeVendors } from '../support/fake-vendors.js';
import { addCredential } from '../support/model-credentials.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';
import { cell, pathOf, shows } from './support/sheet-page.js';

describe.skipIf(isBrowserMissing())('a column that is added', () => {
  let console: ConsoleApp;
  let vendors: FakeVendors;

  beforeAll(async () => {
    vendors = await FakeVendors.start();
    console = await ConsoleApp.start({
      env: { OUTBOUND_ALLOW_PRIVATE: 'on', EXTERNAL_BACKOFF_MS: '10', LLM_DEFAULT_MODEL: 'openai/gpt-4.1-mini' },
    });
    await addCredential(console.app.client, { provider: 'openai', base_url: `${vendors.url}/v1` });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await console.stop();
    await vendors.stop();
  });

  async function openDialog(sheet: TestSheet, options = {}): Promise<{ page: Page; dialog: Locator }> {
    const page = await console.openSigned(pathOf(sheet), options);
    await page.getByRole('grid', { name: 'Cells' }).waitFor();
    await page.getByRole('button', { name: 'Add a column' }).click();
    return { page, dialog: page.getByRole('dialog', { name: 'Add a column' }) };
  }
  const choose = (dialog: Locator, type: string) => dialog.getByText(type, { exact: true }).first().click();
  const tried = (dialog: Locator) => dialog.getByRole('list', { name: 'Tried rows' }).getByRole('listitem');

  it('is tried on three rows with a judge, whose price is known before, and is not paid twice', async () => {
    vendors.reply = ({ text }) => {
      const value = text.includes('policy R-2');
      return { text: JSON.stringify({ reasoning: value ? 'It cites R-2.' : 'No policy.', citation: '', value }) };
    };
    const sheet = await newSheet(console.app.client, ['Under policy R-2.', 'Yes, we ship.', 'policy R-2 again', 'No.']);
    await addColumn(console.app.client, sheet, { title: 'User Question', type: 'TEXT' });
    const { page, dialog } = await openDialog(sheet);
    await dialog.getByLabel('Search column types').fill('judge');
    await until(async () => (await dialog.getByRole('radio').count()) <= 2);
    await choose(dialog, 'LLM judge');
    await dialog.getByLabel('Title').fill('Names the policy');
    await dialog.getByLabel('Source required').selectOption({ label: 'Column A' });
    const prompt = dialog.getByLabel('Prompt', { exact: true });
    await prompt.pressSequentially('Does it name the policy for {use');
    await dialog.getByRole('listbox').getByRole('option', { name: 'User Question' }).waitFor();
    await page.keyboard.press('Enter');
    await until(async () => (await prompt.inputValue()) === 'Does it name the policy for {User Question}');
    await page.keyboard.type(' or {user_question}?');
    await dialog.getByLabel('Variable mappings: user_question').waitFor();
    const mapped = dialog.getByLabel('Variable mappings: user_question').locator('option:checked');
    expect(await mapped.textContent()).toBe('User Question');
    expect(await dialog.getByText('More: prompt source, repeat, credential').isVisible()).toBe(true);
    await dialog.getByRole('button', { name: /^Add and compute 4 rows · about \$/ }).waitFor();
    expect(vendors.calls).toHaveLength(0);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: /^Try on three rows · about \$/ }).click();
    await tried(dialog).nth(1).getByText('No policy.').waitFor();
    expect(await tried(dialog).allInnerTexts()).toEqual([
      expect.stringMatching(/Row 1\s+Under policy R-2\.\s+✓ yes It cites R-2\./),
      expect.stringMatching(/Row 2\s+Yes, we ship\.\s+✗ no No policy\./),
      expect.stringMatching(/Row 3/),
    ]);
    await expectAccessible(page);
    await takePicture(page, 'add-column');
    await dialog.getByRole('button', { name: /^Add and compute/ }).click();
    await cell(page, 2, 3).getByText('✗ no · No policy.').waitFor();
    await settled(console.app.client, sheet);
    expect(vendors.calls).toHaveLength(4);
  });

  it('that costs nothing is tried by itself, and can be added without computing it', async () => {
    const sheet = await newSheet(console.app.client, ['a refund', 'an order']);
    const { page, dialog } = await openDialog(sheet, { dark: true, width: 1024 });
    await choose(dialog, 'Contains text');
    await dialog.getByText('Complete the form to see a preview.').waitFor();
    await dialog.getByLabel('Source required').selectOption({ label: 'Column A' });
    await dialog.getByText('The config does not fit').waitFor();
    await dialog.getByLabel('Value', { exact: true }).fill('refund');
    await tried(dialog).nth(1).getByText('– no').waitFor();
    await dialog.getByText('2 rows · costs nothing').waitFor();
    await dialog.getByLabel('Title').fill('Refund');
    await takePicture(page, 'add-column-dark');
    await dialog.getByRole('button', { name: 'Add only' }).click();
    await page.getByRole('columnheader', { name: 'Refund' }).waitFor();
    await page.getByText('2 stale').waitFor();
    await shows(page, [1, 1], 'a refund');
  });

  it('is computed by another try after “Add only” was refused, and is added once by two clicks', async () => {
    const sheet = await newSheet(console.app.client, ['a refund']);
    const { page, dialog } = await openDialog(sheet);
    const sent: Route[] = [];
    await page.route('**/columns', (route) => void sent.push(route));
    await choose(dialog, 'Contains text');
    await dialog.getByLabel('Title').fill('Refund');
    await dialog.getByLabel('Source required').selectOption({ label: 'Column A' });
    await dialog.getByLabel('Value', { exact: true }).fill('refund');
    await dialog.getByRole('button', { name: 'Add only' }).dblclick();
    await expect.poll(() => sent.length).toBe(1);
    const answer = { success: false, message: 'Not now.', error: 'x' };
    await sent[0]!.fulfill({ status: 400, json: answer });
    await dialog.getByRole('alert').getByText('Not now.').waitFor();
    await dialog.getByRole('button', { name: /^Add and compute/ }).click();
    await expect.poll(() => sent.length).toBe(2);
    expect(sent.map((route) => (route.request().postDataJSON() as { compute: boolean }).compute)).toEqual([
      false,
      true,
    ]);
    await sent[1]!.continue();
    await cell(page, 1, 2).getByText('yes').waitFor();
  });

  it('keeps mappings that the picker adds while the column is edited', async () => {
    const sheet = await newSheet(console.app.client, ['a']);
    await addColumn(console.app.client, sheet, { title: 'User Question', type: 'TEXT' });
    const { page, dialog: adding } = await openDialog(sheet);
    await choose(adding, 'LLM judge');
    await adding.getByLabel('Title').fill('Judge');
    await adding.getByLabel('Source required').selectOption({ label: 'Column A' });
    await adding.getByRole('textbox', { name: 'Prompt' }).fill('Is it good?');
    await adding.getByRole('button', { name: 'Add only' }).click();
    await adding.waitFor({ state: 'detached' });
    await page
      .locator('.grid-head')
      .getByRole('button', { name: /^Judge/ })
      .click();
    const dialog = page.getByRole('dialog', { name: 'Column “Judge”' });
    await dialog.getByLabel('Prompt', { exact: true }).pressSequentially(' {use');
    await dialog.getByRole('listbox').getByRole('option', { name: 'User Question' }).waitFor();
    await page.keyboard.press('Enter');
    const named = (at: number) => dialog.getByLabel(`Variable mappings: name ${at}`);
    await expect.poll(() => named(1).inputValue()).toBe('User Question');
    await named(2).fill('half');
    expect(await named(1).inputValue()).toBe('User Question');
  });
});
