import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('the page of the API', () => {
  let console: ConsoleApp;
  beforeAll(async () => (console = await ConsoleApp.start({ works: false })));
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  it('shows the schema and an example of the operation that is unfolded, also where a schema holds itself', async () => {
    const page = await console.open('/docs');
    await page
      .locator('.opblock-tag')
      .filter({ hasText: /^Request/ })
      .first()
      .click();
    const found = page.locator('.opblock').filter({ hasText: '/api/public/v2/requests/search' }).first();
    await found.locator('.opblock-summary-control').click();
    expect(await found.locator('textarea').first().inputValue()).toContain('filter_group');
    await found.getByText('Schema', { exact: true }).first().click();
    await found.getByRole('button', { name: 'Expand all' }).first().click();
    expect(await found.locator('.json-schema-2020-12').first().innerText()).toContain('filter_group');
  });
});
