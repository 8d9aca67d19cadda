import type { Locator, Page } from 'playwright-core';
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

  const titles = (page: Page) => page.locator('.grid-head [role=columnheader]').allInnerTexts();
  const inOrder = (page: Page, expected: string[]) =>
    until(async () => (await titles(page)).map((text) => text.split('\n')[0]!.trim()).join() === expected.join());
  const viewOf = async (sheet: TestSheet) =>
    ((await console.app.client.get(`${sheet.path}/view`)) as { view: Record<string, unknown[]> }).view;

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
    await page.getByText('1 of 3 rows × 3 columns').waitFor();
    await shows(page, [1, 1], 'twenty');
    expect(page.url()).toContain('status=stale');
    await page.getByRole('button', { name: 'Show all rows' }).click();
    await page.getByText('3 rows × 3 columns').waitFor();
    expect(await page.title()).toBe('Test · Tracesheet');
  });

  it('are navigated with the keyboard to the last of many rows and columns; only visible cells are rendered', async () => {
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
    const page = await open(sheet);
    const goToFourth = async () => {
      await page.getByLabel('Go to row').fill('4');
      await page.keyboard.press('Enter');
      await page.getByText('Column A · 4').waitFor();
    };
    await goToFourth();
    expect(page.url()).toContain('cell=4.1');
    await console.app.client.delete(`${sheet.path}/rows`, 200, { row_indices: [0, 2] });
    await page.getByText('3 rows × 1 column').waitFor();
    await goToFourth();
    expect(page.url()).toContain('cell=2.1');
  });

  it('are edited: Enter saves and goes down, Escape cancels, typing replaces the value', async () => {
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
    await until(async () => (await valuesOf(console.app.client, sheet)).map(([a]) => a).join() === 'one!,second,three');
    await page.keyboard.press('Control+z');
    await shows(page, [2, 1], 'two');
    await goTo(page, 1, 3);
    await page.keyboard.press('x');
    await page.getByRole('alert').getByText('“Length” is computed').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Cell' }).getByText('row 1').waitFor();
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
    await page.getByText('Copied 1 cell.').waitFor();
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
    await page.getByText('4 rows × 3 columns').waitFor();
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

  it('keep the selected one in view beside the panel, and let the keyboard out of the grid', async () => {
    const page = await open(many);
    await shows(page, [1, 5], 'r1c5');
    await goTo(page, 1, 5);
    await page.keyboard.press('Space');
    const panel = page.getByRole('complementary', { name: 'Cell' });
    await panel.getByLabel('Whole value').waitFor();
    const edge = async (locator: Locator) => {
      const { x, width } = (await locator.boundingBox())!;
      return [x, x + width] as const;
    };
    await until(async () => (await edge(cell(page, 1, 5)))[1] <= (await edge(panel))[0]);
    const focused = async () =>
      String(await page.evaluate('document.activeElement?.closest("[role=grid], .panel")?.className ?? ""'));
    await page.keyboard.press('F6');
    expect(await focused()).toBe('panel');
    // From the panel over the elements before it to the grid.
    for (let steps = 0; steps < 4 && !(await focused()).includes('sheet-grid'); steps++)
      await page.keyboard.press('Shift+Tab');
    for (const key of ['Tab', 'Tab', 'Shift+Tab', 'End', 'Tab']) await page.keyboard.press(key);
    expect(await selected(page)).toBe('C1 · 2');
    await page.keyboard.press('Shift+Tab');
    await page.getByText('C60 · 1', { exact: true }).waitFor();
    expect(await focused()).toContain('sheet-grid');
    for (const key of ['Tab', 'Shift+Tab']) {
      await page.keyboard.press('Escape');
      await page.keyboard.press(key);
      expect(await focused()).toBe('');
      await page.keyboard.press(key === 'Tab' ? 'Shift+Tab' : 'Tab');
      expect(await focused()).toContain('sheet-grid');
    }
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('');
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
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+Shift+h');
    await inOrder(page, ['B', 'Length']);
    await page.keyboard.press('Alt+Shift+ArrowRight');
    await page.getByRole('button', { name: 'Menu of B' }).click();
    expect(await page.getByRole('menuitem', { name: 'Move right' }).isDisabled()).toBe(true);
    expect(await viewOf(sheet)).toMatchObject({ hidden_column_ids: [], updated_at: null });
  });

  it('are not deleted with their column by keys that may only edit', async () => {
    const sheet = await smallSheet();
    const operator = console.app.operator();
    await operator.post('/api/admin/v1/workspaces/1/roles', { name: 'editing', permissions: ['TABLE_EDIT'] }, 201);
    const answer = await operator.post('/api/admin/v1/workspaces/1/api-keys', { role: 'editing' }, 201);
    const page = await open(sheet, '', { key: (answer as { secret: string }).secret });
    await page.getByRole('button', { name: 'Menu of B' }).click();
    await page.getByRole('menuitem', { name: 'Open the column' }).click();
    expect(await page.getByRole('button', { name: 'Delete the column' }).isDisabled()).toBe(true);
  });

  it.each([false, true])(
    'are in columns that are moved, pinned and hidden by menu and keys, dark: %s',
    async (dark) => {
      const sheet = await smallSheet();
      const page = await open(sheet, '', { dark });
      await shows(page, [1, 1], 'one');
      await goTo(page, 1, 1);
      await page.keyboard.press('Alt+Shift+ArrowRight');
      await inOrder(page, ['B', 'Column A', 'Length']);
      await shows(page, [1, 2], 'one');
      expect(await selected(page)).toBe('Column A · 1');
      await page.keyboard.press('Shift+F10');
      const menu = page.getByRole('menu', { name: 'Column Column A' });
      await expectAccessible(page);
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowUp');
      expect(await page.locator(':focus').innerText()).toContain('Pin to the left');
      await page.keyboard.press('Enter');
      await menu.waitFor({ state: 'detached' });
      await inOrder(page, ['Column A', 'B', 'Length']);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Alt+Shift+h');
      await inOrder(page, ['Column A', 'Length']);
      await page.getByRole('button', { name: 'Menu of Length' }).click();
      await page.keyboard.press('Escape');
      await expectAccessible(page);
      await until(async () => (await viewOf(sheet)).hidden_column_ids?.length === 1);
      await page.reload();
      await inOrder(page, ['Column A', 'Length']);
      await shows(page, [1, 1], 'one');
      await page.getByText('1 column hidden').click();
      await page.getByRole('button', { name: 'Show “B”' }).click();
      await inOrder(page, ['Column A', 'B', 'Length']);
      await until(async () => (await viewOf(sheet)).hidden_column_ids?.length === 0);
      expect(await viewOf(sheet)).toMatchObject({ pinned_column_ids: [sheet.columnId] });
    },
  );

  it('stay in pinned columns when the others are scrolled, and only visible cells are rendered', async () => {
    const { data } = (await console.app.client.get(`${many.path}/columns`)) as { data: { id: string }[] };
    const view = { hidden_column_ids: [data[1]!.id], pinned_column_ids: [data[0]!.id, data[40]!.id], widths: [] };
    await console.app.client.put(`${many.path}/view`, view);
    const page = await open(many);
    await shows(page, [1, 1], 'r1c1');
    await shows(page, [1, 2], 'r1c41');
    await shows(page, [1, 3], 'r1c3');
    const leftOf = async (column: number, row = 1) => (await cell(page, row, column).boundingBox())!.x;
    const before = [await leftOf(1), await leftOf(2)];
    await goTo(page, 1, 3);
    await page.keyboard.press('Control+End');
    await shows(page, [MANY, 59], `r${MANY}c60`);
    await shows(page, [MANY, 2], `r${MANY}c41`);
    expect([await leftOf(1, MANY), await leftOf(2, MANY)]).toEqual(before);
    expect((await titles(page)).slice(0, 2)).toEqual(['C1', 'C41']);
    expect(await page.locator('.cell').count()).toBeLessThan(500);
    await page.keyboard.press('Control+ArrowLeft');
    for (let at = 0; at < 2; at++) await page.keyboard.press('ArrowRight');
    expect(await selected(page)).toBe('C3 · 5,000');
    expect(await leftOf(3, MANY)).toBe(before[1]! + 200);
    await console.app.client.put(`${many.path}/view`, { ...view, hidden_column_ids: [], pinned_column_ids: [] });
  });

  it('are as wide as somebody has drawn their column, for everybody, beside what others have arranged', async () => {
    const sheet = await smallSheet();
    const page = await open(sheet);
    await shows(page, [1, 1], 'one');
    const widthOf = async () => (await cell(page, 1, 1).boundingBox())!.width;
    const grip = (await page.locator('.grip').first().boundingBox())!;
    await page.mouse.move(grip.x + 3, grip.y + 9);
    await page.mouse.down();
    await page.mouse.move(grip.x + 103, grip.y + 9, { steps: 3 });
    await page.mouse.up();
    expect(await widthOf()).toBe(300);
    await until(async () => (await viewOf(sheet)).widths?.length === 1);
    const { updated_at: _, ...view } = await viewOf(sheet);
    const others = { hidden_column_ids: [], pinned_column_ids: [sheet.columnId], widths: [] };
    await console.app.client.put(`${sheet.path}/view`, others);
    await goTo(page, 1, 2);
    await page.keyboard.press('Alt+Shift+h');
    await until(async () => (await viewOf(sheet)).hidden_column_ids?.length === 1);
    expect(await viewOf(sheet)).toMatchObject({ ...others, hidden_column_ids: [expect.any(String)] });
    await page.getByText('1 column hidden').waitFor();
    await console.app.client.put(`${sheet.path}/view`, view);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await shows(page, [1, 1], 'one');
    expect(await widthOf()).toBe(300);
  });

  it('show the next step when there are none, and errors of the server', async () => {
    const sheet = await newSheet(console.app.client, ['a']);
    await console.app.client.delete(`${sheet.path}/rows`, 200, { row_indices: [0] });
    const { version } = (await console.app.client.get(`${sheet.path}/rows`)) as { version: number };
    const page = await console.openSigned(`${pathOf(sheet)}?at=${version}`);
    await page.getByRole('heading', { name: 'This sheet has no rows' }).waitFor();
    expect(await page.getByRole('button', { name: /^Add a/ }).count()).toBe(0);
    await page.goto(pathOf(sheet));
    await page.getByRole('heading', { name: 'This sheet has no rows' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add a row' }).first().click();
    await page.getByText('1 row × 1').waitFor();
    await page.goto('/console/tables/0198c0de-0000-7000-8000-000000000000/0198c0de-0000-7000-8000-000000000000');
    await page.getByRole('heading', { name: 'Not found' }).waitFor();
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
