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
  valuesOf,
} from '../support/factories.js';
import { newTable, sheetFromFile } from '../support/sheets.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';
import { cell, goTo, pathOf, selected, shows } from './support/sheet-page.js';

const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>';
const MANY = 5000;

describe.skipIf(isBrowserMissing())('the cells of a sheet', () => {
  let console: ConsoleApp;
  let many: TestSheet;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    const line = (text: (at: number) => string) => Array.from({ length: 60 }, (_, at) => text(at)).join(',');
    const lines = Array.from({ length: MANY }, (_, row) => line((at) => `r${row + 1}c${at + 1}`));
    const { id, sheets } = await newTable(client);
    const { sheet } = await sheetFromFile(client, sheets, [line((at) => `C${at + 1}`), ...lines].join('\n'));
    many = { tableId: id, id: sheet.id, path: `${sheets}/${sheet.id}`, columnId: '' };
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  /** Two text columns and the length of the first. */
  async function smallSheet(texts: unknown[] = ['one', 'two', 'three']): Promise<TestSheet> {
    const sheet = await newSheet(console.app.client, texts);
    await addColumn(console.app.client, sheet, { title: 'B', type: 'TEXT' });
    await addCount(console.app.client, sheet, 'Length');
    await settled(console.app.client, sheet);
    return sheet;
  }

  async function open(
    sheet: TestSheet,
    query = '',
    options: { dark?: boolean; width?: number; key?: string } = {},
  ): Promise<Page> {
    const page = await console.openSigned(`${pathOf(sheet)}${query}`, options);
    await page.getByRole('grid', { name: 'Cells' }).waitFor();
    return page;
  }

  it('are shown as text, with their states in words, and counted at the foot', async () => {
    const sheet = await smallSheet([HOSTILE, 'two', [{ role: 'user', content: 'Hello\nyou' }]]);
    const [, second] = await cellsOf(console.app.client, sheet, sheet.columnId);
    await editCell(console.app.client, sheet, second!, { value: 'twenty' });
    const page = await open(sheet);
    await shows(page, [1, 1], HOSTILE);
    await shows(page, [3, 1], 'user: Hello you');
    expect(await page.locator('.cells img, .cells b').count()).toBe(0);
    expect(await cell(page, 2, 3).getAttribute('class')).toContain('stale');
    expect(await cell(page, 2, 3).innerText()).toMatch(/3\s+stale/);
    await page.getByRole('button', { name: '1 stale' }).click();
    await page.getByText('1 row × 3').waitFor();
    await shows(page, [1, 1], 'twenty');
    expect(page.url()).toContain('status=stale');
    await page.getByRole('button', { name: 'Show all rows' }).click();
    await page.getByText('3 rows × 3').waitFor();
    expect(await page.title()).toBe('Test · Tracesheet');
  });

  it('are walked through with the keyboard to the last of many rows and columns; only what is in view is there', async () => {
    const page = await open(many);
    await shows(page, [1, 1], 'r1c1');
    await goTo(page, 1, 1);
    await page.keyboard.press('Control+End');
    await shows(page, [MANY, 60], `r${MANY}c60`);
    expect(await selected(page)).toBe('C60 · 5,000');
    expect(page.url()).toContain(`cell=${MANY}.60`);
    expect(await page.locator('.cell').count()).toBeLessThan(500);
    for (const key of ['ArrowUp', 'ArrowLeft', 'Home', 'PageUp']) await page.keyboard.press(key);
    await page.getByLabel('Go to row').fill('2345');
    await page.keyboard.press('Enter');
    await shows(page, [2345, 1], 'r2345c1');
    expect(await selected(page)).toBe('C1 · 2,345');
    await page.reload();
    await shows(page, [2345, 1], 'r2345c1');
  });

  it('ask for each part of the sheet once', async () => {
    const page = await console.openSigned('/console/tables');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/rows?view=grid')) asked.push(request.url());
    });
    await page.goto(pathOf(many));
    await shows(page, [1, 1], 'r1c1');
    await goTo(page, 1, 1);
    for (let at = 0; at < 20; at++) await page.keyboard.press('ArrowDown');
    expect(await selected(page)).toBe('C1 · 21');
    // The columns, and the first hundred rows of the columns in view.
    expect(asked).toHaveLength(2);
  });

  it('go to a row by its number when others were deleted', async () => {
    const sheet = await newSheet(console.app.client, ['a', 'b', 'c', 'd', 'e']);
    await console.app.client.delete(`${sheet.path}/rows`, 200, { row_indices: [0, 2] });
    const page = await open(sheet);
    await page.getByLabel('Go to row').fill('4');
    await page.keyboard.press('Enter');
    await page.getByText('Column A · 4').waitFor();
    expect(page.url()).toContain('cell=2.1');
  });

  it('are edited: Enter saves and goes down, Escape leaves, typing begins anew', async () => {
    const sheet = await smallSheet();
    const page = await open(sheet);
    await shows(page, [1, 1], 'one');
    await goTo(page, 1, 1);
    await page.keyboard.press('Enter');
    await page.getByLabel('Value', { exact: true }).pressSequentially('!');
    await page.keyboard.press('Enter');
    await shows(page, [1, 1], 'one!');
    expect(await selected(page)).toBe('Column A · 2');
    await page.keyboard.type('x');
    await page.keyboard.press('Escape');
    await page.keyboard.type('second');
    await page.keyboard.press('Tab');
    await shows(page, [2, 1], 'second');
    expect(await selected(page)).toBe('B · 2');
    expect((await valuesOf(console.app.client, sheet)).map(([a]) => a)).toEqual(['one!', 'second', 'three']);
    await page.keyboard.press('Control+z');
    await shows(page, [2, 1], 'two');
    await goTo(page, 1, 3);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('“Length” is computed').waitFor();
  });

  it('are saved when somebody clicks elsewhere', async () => {
    const sheet = await smallSheet();
    const page = await open(sheet);
    await shows(page, [1, 1], 'one');
    await goTo(page, 1, 2);
    await page.keyboard.type('clicked away');
    await goTo(page, 3, 1);
    await shows(page, [1, 2], 'clicked away');
    expect(await selected(page)).toBe('Column A · 3');
  });

  it('keep what was typed when the server refuses it', async () => {
    const sheet = await smallSheet();
    const page = await open(sheet);
    await shows(page, [1, 1], 'one');
    await page.route('**/cells', (route) =>
      route.fulfill({
        status: 400,
        json: { success: false, message: 'Not now.', error: 'x' },
        headers: { 'x-request-id': 'req-9' },
      }),
    );
    await goTo(page, 1, 1);
    await page.keyboard.type('mine');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Not now. (request req-9)').waitFor();
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('mine');
    await page.unroute('**/cells');
    await page.keyboard.press('Enter');
    await shows(page, [1, 1], 'mine');
  });

  it('are edited as a whole although the grid has only their beginning', async () => {
    const long = 'word '.repeat(100).trim();
    const sheet = await newSheet(console.app.client, [long]);
    const page = await open(sheet);
    await cell(page, 1, 1).getByText('word').waitFor();
    await goTo(page, 1, 1);
    await page.keyboard.press('Enter');
    await page.getByLabel('Value', { exact: true }).pressSequentially(' end');
    await page.keyboard.press('Enter');
    await until(async () => (await valuesOf(console.app.client, sheet))[0]![0] === `${long} end`);
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 1 cells.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${long} end`);
  });

  it('are copied and pasted as lines and tabs, in one version, with rows that are added', async () => {
    const sheet = await smallSheet(['one', 'two\nlines', 'three']);
    const page = await open(sheet);
    await shows(page, [1, 1], 'one');
    await goTo(page, 1, 1);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 4 cells.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('one\t\n"two\nlines"\t');
    await page.evaluate('navigator.clipboard.writeText("p\\tq\\nr\\ts")');
    await goTo(page, 3, 1);
    await page.keyboard.press('Control+v');
    await page.getByText('4 rows × 3').waitFor();
    await shows(page, [4, 2], 's');
    const values = await valuesOf(console.app.client, sheet);
    expect(values.map((row) => row.slice(0, 2))).toEqual([
      ['one', null],
      ['two\nlines', null],
      ['p', 'q'],
      ['r', 's'],
    ]);
    await goTo(page, 3, 1);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Delete');
    await until(async () => (await valuesOf(console.app.client, sheet))[3]![0] === null);
  });

  it('show the edits of others by themselves', async () => {
    const sheet = await smallSheet();
    const page = await open(sheet);
    await shows(page, [1, 1], 'one');
    const [first] = await cellsOf(console.app.client, sheet, sheet.columnId);
    await editCell(console.app.client, sheet, first!, { value: 'by somebody else' });
    await shows(page, [1, 1], 'by somebody else');
  });

  it('say in the panel why they are stale, and hold their whole value', async () => {
    const sheet = await smallSheet(['one', 'x'.repeat(3000)]);
    const [, second] = await cellsOf(console.app.client, sheet, sheet.columnId);
    const page = await open(sheet);
    await cell(page, 2, 1).getByText('x').waitFor();
    await goTo(page, 2, 1);
    await page.keyboard.press('Space');
    const panel = page.getByRole('complementary', { name: 'Cell' });
    const value = panel.getByLabel('Whole value');
    await value.waitFor();
    expect(await value.inputValue()).toHaveLength(3000);
    await editCell(console.app.client, sheet, second!, { value: 'short' });
    await goTo(page, 2, 3);
    await panel.getByText('"Column A" was edited in this row.').waitFor();
    await panel.getByRole('button', { name: 'Recalculate this cell' }).click();
    await shows(page, [2, 3], '5');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
  });

  it('are not edited by keys that may only look', async () => {
    const sheet = await smallSheet();
    const answer = await console.app.operator().post('/api/admin/v1/workspaces/1/api-keys', { role: 'viewer' }, 201);
    const page = await open(sheet, '', { key: (answer as { secret: string }).secret });
    await shows(page, [1, 1], 'one');
    expect(await page.getByRole('button', { name: 'Add a column' }).count()).toBe(0);
    await goTo(page, 1, 1);
    await page.keyboard.type('x');
    await page.getByRole('alert').getByText('Cells cannot be edited here.').waitFor();
  });

  it('say what to do where there are none, and what the server refuses', async () => {
    const sheet = await newSheet(console.app.client, ['a']);
    await console.app.client.delete(`${sheet.path}/rows`, 200, { row_indices: [0] });
    const page = await console.openSigned(pathOf(sheet));
    await page.getByRole('heading', { name: 'This sheet has no rows' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add a row' }).first().click();
    await page.getByText('1 row × 1').waitFor();
    await page.goto('/console/tables/0198c0de-0000-7000-8000-000000000000/0198c0de-0000-7000-8000-000000000000');
    await page.getByRole('heading', { name: 'This is not here' }).waitFor();
  });

  it.each([
    [false, 1440],
    [true, 1440],
    [true, 1024],
  ])('are accessible, dark: %s, at %d px', async (dark, width) => {
    const sheet = await smallSheet();
    const [first] = await cellsOf(console.app.client, sheet, sheet.columnId);
    await editCell(console.app.client, sheet, first!, { value: 'longer' });
    const page = await open(sheet, '?cell=2.1&panel=1', { dark, width });
    await shows(page, [1, 1], 'longer');
    await page.getByLabel('Whole value').waitFor();
    await expectAccessible(page);
  });
});
