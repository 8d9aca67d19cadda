import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  addColumn,
  addCount,
  cellsOf,
  editCell,
  newSheet,
  settled,
  type TestSheet,
  versionOf,
} from '../support/factories.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';
import { cell, goTo, pathOf, shows } from './support/sheet-page.js';

const LONG = `A long text that ${'goes on and on, '.repeat(30)}until its end`;

describe.skipIf(isBrowserMissing())('the rows of a sheet', () => {
  let console: ConsoleApp;

  beforeAll(async () => {
    console = await ConsoleApp.start();
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  /** Texts, their lengths, whether they ask for a refund, and a column that fails for what is no number. */
  async function refunds(): Promise<TestSheet> {
    const { client } = console.app;
    const sheet = await newSheet(client, ['a refund', '12', 'an order', 'refunds, please', LONG]);
    await addCount(client, sheet, 'Length');
    const add = (title: string, type: string, config: object) => addColumn(client, sheet, { title, type, config });
    for (let at = 0; at < 8; at++) await add(`Empty ${at}`, 'TEXT', {});
    await add('Refund', 'CONTAINS', { source: 'Column A', value: 'refund' });
    await add('Number', 'PARSE_VALUE', { source: 'Column A', type: 'number' });
    await settled(client, sheet);
    return sheet;
  }

  async function open(sheet: TestSheet, query = ''): Promise<Page> {
    const page = await console.openSigned(`${pathOf(sheet)}${query}`);
    await page.getByRole('grid', { name: 'Cells' }).waitFor();
    return page;
  }

  const menu = async (page: Page, title: string, item: string) => {
    await page.getByRole('button', { name: `Menu of ${title}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const firstColumn = (page: Page) => page.locator('.cell[data-column="0"]').allInnerTexts();
  const inOrder = (page: Page, texts: string[]) =>
    until(async () => (await firstColumn(page)).map((text) => text.trim()).join('|') === texts.join('|'));
  const numbers = (page: Page) => page.locator('.row-numbers > div').allInnerTexts();

  it('are sorted and filtered by the menus of columns, and the URL has all of it', async () => {
    const sheet = await refunds();
    const page = await open(sheet, '');
    await shows(page, [1, 1], 'a refund');
    await menu(page, 'Length', 'Sort descending');
    await inOrder(page, [LONG.slice(0, 200).trim(), 'refunds, please', 'an order', 'a refund', '12']);
    expect(await numbers(page)).toEqual(['5', '4', '3', '1', '2']);
    await menu(page, 'Column A', 'Filter…');
    const dialog = page.getByRole('dialog', { name: 'Filter rows by “Column A”' });
    await dialog.getByLabel('Show rows where the cell').selectOption('is not');
    await dialog.getByLabel('Text').fill('12');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Filter rows' }).click();
    await menu(page, 'Length', 'Filter…');
    await page.getByLabel('To', { exact: true }).fill('20');
    await page.getByRole('button', { name: 'Filter rows' }).click();
    await inOrder(page, ['refunds, please', 'an order', 'a refund']);
    await page.getByText('3 of 5 rows × 12 columns').waitFor();
    await page.getByText('Length is at most 20').waitFor();
    await page.reload();
    await inOrder(page, ['refunds, please', 'an order', 'a refund']);
    await expectAccessible(page);
    await takePicture(page, 'sheet-filters');
    await page.getByRole('button', { name: 'Without: Column A is not “12”' }).click();
    await inOrder(page, ['refunds, please', 'an order', 'a refund', '12']);
    await page.goBack();
    await inOrder(page, ['refunds, please', 'an order', 'a refund']);
    await page.getByRole('button', { name: 'Show all rows' }).click();
    await inOrder(page, ['a refund', '12', 'an order', 'refunds, please', LONG.slice(0, 200).trim()]);
    expect(page.url()).not.toContain('where');
  });

  it('are filtered to failed checks or errors in one step, with the column in view', async () => {
    const page = await open(await refunds());
    await shows(page, [1, 1], 'a refund');
    await goTo(page, 1, 1);
    await page.getByRole('button', { name: '4 failed' }).click();
    await page.getByText('4 of 5 rows').waitFor();
    await page.waitForURL(/cell=1\.12/);
    expect(await cell(page, 1, 12).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Without: any cell is failed' }).click();
    await menu(page, 'Refund', 'Only rows answered no');
    await page.getByText('3 of 5 rows').waitFor();
    await until(async () => (await numbers(page)).join() === '2,3,5');
    await page.waitForURL(/cell=1\.11/);
    await menu(page, 'Number', 'Only rows that failed');
    await page.getByText('2 of 5 rows').waitFor();
    await until(async () => (await numbers(page)).join() === '3,5');
  });

  it('are edited, copied and navigated in the filtered order, and keep their positions until the filter is applied again', async () => {
    const sheet = await refunds();
    const where = encodeURIComponent(JSON.stringify([[sheet.columnId, 'contains', 'refund']]));
    const page = await open(sheet, `?where=${where}&sort=${sheet.columnId}&order=desc`);
    await inOrder(page, ['refunds, please', 'a refund']);
    await goTo(page, 2, 1);
    await page.keyboard.type('nothing');
    await page.keyboard.press('Enter');
    await until(async () => (await cellsOf(console.app.client, sheet, sheet.columnId))[0]!.value === 'nothing');
    await page.getByText('Rows keep their order until you apply this again.').waitFor();
    expect((await firstColumn(page)).map((text) => text.trim())).toEqual(['refunds, please', 'nothing']);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 24 cells.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied.split('\n').map((line) => line.split('\t')[0])).toEqual(['refunds, please', 'nothing']);
    await page.getByRole('button', { name: 'Apply again' }).click();
    await inOrder(page, ['refunds, please']);
    await page.getByText('1 of 5 rows').waitFor();
  });

  it('have one, three or eight lines for everybody, and open large texts beside', async () => {
    const sheet = await refunds();
    const page = await open(sheet);
    await shows(page, [1, 1], 'a refund');
    await page.getByLabel('Row height').selectOption('Three lines');
    await until(async () => (await cell(page, 5, 1).boundingBox())!.height === 68);
    await page.reload();
    await until(async () => (await cell(page, 5, 1).boundingBox())?.height === 68);
    await cell(page, 5, 1).dblclick();
    const panel = page.getByRole('complementary', { name: 'Cell' });
    await until(async () => (await panel.getByLabel('Whole value').inputValue()) === LONG);
    await goTo(page, 1, 2);
    await page.keyboard.press('Enter');
    await panel.getByText('row 1').waitFor();
    await takePicture(page, 'sheet-lines');
  });

  it('are copied and read in the panel as their version has them', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, [LONG, 'b']);
    const version = await versionOf(client, sheet);
    const [first] = await cellsOf(client, sheet, sheet.columnId);
    await editCell(client, sheet, first!, { value: LONG.replace('A long', 'Another') });
    const page = await open(sheet, `?at=${version}`);
    await cell(page, 1, 1).getByText('A long text').waitFor();
    await goTo(page, 1, 1);
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 1 cell.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(LONG);
    await page.keyboard.press('Space');
    const panel = page.getByRole('complementary', { name: 'Cell' });
    expect(await panel.locator('pre').innerText()).toBe(LONG);
  });

  it('appear by themselves in a sheet that had none', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['a']);
    await client.delete(`${sheet.path}/rows`, 200, { row_indices: [0] });
    const page = await console.openSigned(pathOf(sheet));
    await page.getByRole('heading', { name: 'This sheet has no rows' }).waitFor();
    await client.post(`${sheet.path}/rows`, { values: [{ 'Column A': 'from a feed' }] }, 201);
    await shows(page, [1, 1], 'from a feed');
  });

  it('have columns whose dialogs stay with them when others move and delete columns', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['a']);
    const { id } = await addColumn(client, sheet, { title: 'B', type: 'TEXT' });
    const page = await open(sheet);
    const heads = async () =>
      (await page.locator('.grid-head [role=columnheader]').allInnerTexts()).map((text) => text.trim());
    await page.locator('.grid-head').getByRole('button', { name: 'Column A', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Title').fill('Renamed');
    await client.patch(`${sheet.path}/columns/${id}`, { position: 0 });
    await expect.poll(heads).toEqual(['B', 'Column A']);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(heads).toEqual(['B', 'Renamed']);
    await menu(page, 'B', 'Filter…');
    await dialog.waitFor();
    await client.delete(`${sheet.path}/columns/${id}`);
    await page.getByRole('alert').getByText('The column was deleted meanwhile.').waitFor();
    expect(await dialog.count()).toBe(0);
  });
});
