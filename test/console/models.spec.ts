import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addColumn, newSheet, settled } from '../support/factories.js';
import { FakeVendors } from '../support/fake-vendors.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';
import { goTo, pathOf } from './support/sheet-page.js';

describe.skipIf(isBrowserMissing())('the keys of models', () => {
  let console: ConsoleApp;
  let vendors: FakeVendors;
  beforeAll(async () => {
    vendors = await FakeVendors.start();
    console = await ConsoleApp.start({ env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await console.stop();
    await vendors.stop();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('are added where a cell has failed for want of one, tested, changed and deleted', async () => {
    const me = console.app.client;
    const sheet = await newSheet(me, ['rain']);
    await addColumn(me, sheet, {
      title: 'Answer',
      type: 'PROMPT_TEMPLATE',
      config: {
        inline_template: {
          inline: true,
          prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi {x}' }] }] },
          metadata: { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} } },
        },
        prompt_template_variable_mappings: { x: 'Column A' },
      },
    });
    await settled(me, sheet);
    const page = await console.openSigned(pathOf(sheet));
    await goTo(page, 1, 2);
    await page.keyboard.press('Space');
    await page.getByRole('link', { name: 'Add a key for openai' }).click();
    await page.getByLabel('Key', { exact: false }).first().waitFor();
    expect(await page.getByLabel('Provider').inputValue()).toBe('openai');
    await page.locator('input[name=secret]').fill('sk-of-the-test-4321');
    await page.locator('input[name=base_url]').fill(`${vendors.url}/v1`);
    await expectAccessible(page);
    await button(page, 'Save').click();
    await page.getByText('…4321').waitFor();
    expect(await page.content()).not.toContain('sk-of-the-test');
    await button(page, 'Test').click();
    await page.locator('input[name=model]').fill('gpt-4.1-mini');
    await button(page, 'Test the key').click();
    await page.getByRole('status').getByText('answered').waitFor();
    await button(page, 'Close').click();
    await button(page, 'Change').click();
    await page.getByText('Limits', { exact: true }).last().click();
    await page.getByLabel('Concurrent calls').fill('7');
    await button(page, 'Save').click();
    await page.getByText('7 at a time').waitFor();
    await button(page, 'Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no keys yet.').waitFor();
  });
});
