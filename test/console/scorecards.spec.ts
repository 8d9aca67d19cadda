import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newSheet } from '../support/factories.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';
import { pathOf } from './support/sheet-page.js';

interface Read {
  scorecard: {
    name: string;
    aggregation: object;
    steps: { id: string; title: string; weight: number; required: boolean; thresholds: object }[];
  } | null;
}

describe.skipIf(isBrowserMissing())('the scorecard of a sheet', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  it('is made of steps, calculated, edited without losing their ids, and deleted', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['You get a refund.', 'No.']);
    const read = async () => (await client.get(`${sheet.path}/scorecard`)) as Read;
    const page = await console.openSigned(`${pathOf(sheet)}?side=scorecard`);
    const dialog = page.getByRole('dialog');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByText('This sheet has no scorecard yet').waitFor();
    await expectAccessible(page);
    await button('Make a scorecard').click();
    await dialog.getByLabel('Name').fill('Refunds');
    await dialog.getByLabel('Judged column').selectOption('Column A');
    await dialog.getByRole('button', { name: 'Add “Contains”' }).click();
    const first = dialog.getByRole('group', { name: 'Step 1' });
    await first.getByLabel('Title').fill('Says refund');
    await first.getByRole('textbox', { name: 'Value' }).fill('refund');
    await first.getByLabel('Weight').fill('3');
    await first.getByLabel(/^Required/).check();
    await dialog.getByLabel('Add a step of another type').selectOption({ label: 'Count' });
    await dialog.getByRole('button', { name: 'Remove step 2' }).click();
    await dialog.getByRole('button', { name: 'Add “Equals”' }).click();
    await dialog.getByRole('group', { name: 'Step 2' }).getByLabel('Weight').fill('2');
    await dialog.getByRole('button', { name: 'Move step 2 up' }).focus();
    await page.keyboard.press('Enter');
    expect(await first.getByLabel('Weight').inputValue()).toBe('2');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Move step 1 down');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Move step 2 up');
    expect(await first.getByLabel('Title').inputValue()).toBe('Says refund');
    await dialog.getByRole('button', { name: 'Remove step 2' }).click();
    await expectAccessible(page);
    await takePicture(page, 'scorecard-editor');
    await dialog.getByRole('button', { name: 'Save the scorecard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Says refund').waitFor();
    await button('Calculate the scorecard').click();
    await dialog.getByRole('table', { name: 'Plan' }).waitFor();
    await dialog.getByRole('button', { name: 'Calculate' }).click();
    await page.locator('.big-score').getByText('0.5').waitFor();
    await page.getByText(/^fail · calculated/).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'scorecard');
    const before = await read();
    expect(before.scorecard!.steps).toMatchObject([{ title: 'Says refund', weight: 3, required: true }]);
    await button('Edit the scorecard').click();
    await dialog.getByLabel('Aggregation of step scores').selectOption('The smallest');
    await dialog.getByRole('button', { name: 'Save the scorecard' }).click();
    await dialog.waitFor({ state: 'detached' });
    const after = await read();
    expect(after.scorecard).toMatchObject({ aggregation: { method: 'min' } });
    expect(after.scorecard!.steps).toMatchObject([{ id: before.scorecard!.steps[0]!.id, title: 'Says refund' }]);
    await button('Delete the scorecard').click();
    await dialog.getByRole('button', { name: 'Delete the scorecard' }).click();
    await page.getByText('This sheet has no scorecard yet').waitFor();
    expect((await read()).scorecard).toBeNull();
  });
});
