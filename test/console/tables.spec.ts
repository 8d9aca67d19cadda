import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newSheet, TABLES, valuesOf } from '../support/factories.js';
import { createSheet, newTable } from '../support/sheets.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';
import { pathOf, shows } from './support/sheet-page.js';

const file = (text: string, name = 'people.csv') => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

describe.skipIf(isBrowserMissing())('the list of tables', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  it('says what would be there, and creates a table with a sheet', async () => {
    const page = await console.openSigned('/console/tables');
    await page.getByRole('heading', { name: 'There are no tables yet' }).waitFor();
    await expectAccessible(page);
    await page.locator('.note').getByRole('button', { name: 'New table' }).click();
    const dialog = page.getByRole('dialog', { name: 'New table' });
    await dialog.getByLabel('Title').fill('By hand');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/tables\/[\w-]+\/[\w-]+$/);
    await page.getByText('1 row × 1').waitFor();
    expect(await page.title()).toBe('By hand · Tracesheet');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Where to').fill('Tables');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: 'By hand' }).waitFor();
  });

  it('creates a table from a CSV, imports another one and exports the sheet', async () => {
    const page = await console.openSigned('/console/tables');
    await page.getByRole('button', { name: 'New table' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New table' });
    await dialog.getByLabel('CSV or JSON file').setInputFiles(file('name,town\nAda,London\nGrace,New York\n'));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await shows(page, [2, 2], 'New York');
    await page.getByText('2 rows × 2 columns').waitFor();
    await page.getByLabel('CSV file').setInputFiles(file('town,name\nParis,Marie\n', 'more.csv'));
    await page.getByText('Imported 1 row.').waitFor();
    await shows(page, [3, 1], 'Marie');
    await page.getByText('Export').click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
    expect(await page.title()).toBe('people · Tracesheet');
  });

  it('opens a new sheet under its own name', async () => {
    const sheet = await newSheet(console.app.client, ['x']);
    const page = await console.openSigned(pathOf(sheet));
    const choice = page.getByLabel('Sheet', { exact: true });
    await choice.getByText('New sheet…').waitFor({ state: 'attached' });
    await choice.selectOption('New sheet…');
    await page.waitForURL((url) => !url.pathname.endsWith(sheet.id));
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    await expect.poll(() => choice.inputValue()).toBe(id);
    expect(await choice.locator('option:checked').innerText()).not.toBe('This sheet');
  });

  it('offers every table and every sheet to choose from, however many there are', async () => {
    const client = await console.app.stranger();
    const { sheets, id } = await newTable(client);
    await client.patch(`${TABLES}/${id}`, { title: 'The first table' });
    for (let at = 0; at < 101; at++) await newTable(client);
    for (let at = 0; at < 101; at++) await createSheet(client, sheets, { title: `Part ${at}` });
    const page = await console.openSigned('/console/evaluations/new?source=sheet', { key: client.apiKey! });
    await page.getByLabel('Table', { exact: true }).selectOption('The first table');
    await page.getByLabel('Sheet', { exact: true }).selectOption('Part 0');
    await page.getByLabel('Sheet', { exact: true }).selectOption('Part 100');
  });

  it('keeps the input when the server rejects the file', async () => {
    const page = await console.openSigned('/console/tables');
    await page.getByRole('button', { name: 'New table' }).click();
    const dialog = page.getByRole('dialog', { name: 'New table' });
    await dialog.getByLabel('CSV or JSON file').setInputFiles(file('a,a\n1,2\n'));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('CSV or JSON file').setInputFiles(file('a,b\n1,2\n'));
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await shows(page, [1, 2], '2');
  });

  it('is searched and walked through with the keyboard; a table opens with its first sheet', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['x']);
    await client.patch(`${TABLES}/${sheet.tableId}`, { title: 'Needle' });
    const page = await console.openSigned('/console/tables');
    await page.getByRole('row', { name: 'Needle' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('eedl');
    await page.getByText('1 table', { exact: true }).waitFor();
    await page.waitForURL(/q=eedl/);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${pathOf(sheet)}`);
    await page.getByLabel('Sheet', { exact: true }).selectOption({ label: 'New sheet…' });
    await page.waitForURL((url) => url.pathname !== pathOf(sheet));
    await page.getByText('Column A · 1').waitFor();
    expect(await valuesOf(client, sheet)).toEqual([['x']]);
    await page.goto('/console/tables?q=nothing');
    await page.getByRole('heading', { name: 'No table matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all tables' }).click();
    await page.getByRole('row', { name: 'Needle' }).waitFor();
  });

  it('creates the first sheet of a table that has none', async () => {
    const { id } = await newTable(console.app.client);
    const page = await console.openSigned(`/console/tables/${id}`);
    await page.getByRole('heading', { name: 'This table has no sheets' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create a sheet' }).click();
    await page.waitForURL(`**/console/tables/${id}/*`);
    await page.getByText('Column A · 1').waitFor();
  });

  it.each([
    [false, 1440],
    [true, 1024],
  ])('is accessible, dark: %s, at %d px', async (dark, width) => {
    const page = await console.openSigned('/console/tables', { dark, width });
    await page.getByRole('grid', { name: 'Tables' }).waitFor();
    await expectAccessible(page);
  });
});
