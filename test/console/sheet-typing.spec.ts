import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addColumn, addCount, newSheet, type TestSheet, valuesOf } from '../support/factories.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';
import { cell, goTo, pathOf, selected, shows } from './support/sheet-page.js';

const ROWS = 10;
const CELLS = '**/cells';

describe.skipIf(isBrowserMissing())('what is typed into a sheet', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const texts = (of: (row: number) => string) => Array.from({ length: ROWS }, (_, row) => of(row));
  const stored = async (sheet: TestSheet, column = 0) =>
    (await valuesOf(console.app.client, sheet)).map((row) => row[column]);
  const stores = (sheet: TestSheet, expected: unknown[], column = 0) =>
    until(async () => JSON.stringify(await stored(sheet, column)) === JSON.stringify(expected));
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const question = (page: Page) => page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  const bar = (page: Page) => page.getByRole('alert').filter({ hasText: 'not saved' });
  const editor = (page: Page) => page.getByLabel('Value', { exact: true });

  async function open(values = texts((row) => `old${row}`)): Promise<{ sheet: TestSheet; page: Page }> {
    const sheet = await newSheet(console.app.client, values);
    const page = await console.openSigned(pathOf(sheet));
    await shows(page, [1, 1], values[0]!);
    return { sheet, page };
  }

  /** Holds every save until it is released. */
  async function hold(
    page: Page,
    saves: string | RegExp = CELLS,
  ): Promise<{ held: Route[]; release: () => Promise<void> }> {
    const held: Route[] = [];
    let isHolding = true;
    await page.route(saves, (route) => {
      if (isHolding && route.request().method() !== 'GET') held.push(route);
      else void route.continue();
    });
    const release = async () => {
      isHolding = false;
      await Promise.all(held.map((route) => route.continue()));
    };
    return { held, release };
  }

  const refuse = (page: Page, status = 400) =>
    page.route(CELLS, (route) =>
      route.fulfill({
        status,
        json: { success: false, message: 'Not now.', error: 'x' },
        headers: { 'x-request-id': 'req-9' },
      }),
    );

  it('goes to the cell that is selected now, while every save is held', async () => {
    const { sheet, page } = await open();
    const { held, release } = await hold(page);
    await goTo(page, 1, 1);
    await page.keyboard.type(texts((row) => `row${row}\n`).join(''));
    for (const row of [0, 5, 9]) await shows(page, [row + 1, 1], `row${row}`);
    // Some saves run at once, the others wait for them.
    expect(held).toHaveLength(4);
    expect(await stored(sheet)).toEqual(texts((row) => `old${row}`));
    await release();
    await stores(
      sheet,
      texts((row) => `row${row}`),
    );
    expect(await cell(page, 3, 1).getAttribute('class')).not.toContain('unsaved');
  });

  it('becomes new rows behind the last one, while every save is held', async () => {
    const { sheet, page } = await open(['a', 'b']);
    const { release } = await hold(page, /\/(cells|rows)$/);
    await goTo(page, 2, 1);
    await page.keyboard.type('two\nthree\nfour\n');
    await page.getByLabel('New row').waitFor();
    expect(await stored(sheet)).toEqual(['a', 'b']);
    await release();
    await stores(sheet, ['a', 'two', 'three', 'four']);
    await shows(page, [4, 1], 'four');
  });

  it('saves the last text of a cell last, and a text that is pasted meanwhile', async () => {
    const { sheet, page } = await open(['a', 'b', 'c']);
    const { release } = await hold(page);
    await page.evaluate('navigator.clipboard.writeText("p\\nq")');
    await goTo(page, 1, 1);
    await page.keyboard.type('first\n');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type('second\n');
    await page.keyboard.press('Control+v');
    await shows(page, [1, 1], 'second');
    await shows(page, [3, 1], 'q');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Control+c');
    await page.getByText('Copied 1 cell.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('second');
    await release();
    await stores(sheet, ['second', 'p', 'q']);
  });

  it('becomes a number in columns of numbers, also in new rows, and is rejected when it is none', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['a', 'b']);
    const config = { data_type: 'number', ui_element: { type: 'slider', min: 1, max: 5 } };
    await addColumn(client, sheet, { title: 'Stars', type: 'HUMAN', config });
    const page = await console.openSigned(pathOf(sheet));
    await shows(page, [1, 1], 'a');
    await page.evaluate('navigator.clipboard.writeText("5\\n3")');
    await goTo(page, 1, 2);
    await page.keyboard.type('4\n');
    await stores(sheet, [4, null], 1);
    await page.keyboard.press('Control+v');
    await stores(sheet, [4, 5, 3], 1);
    await goTo(page, 1, 2);
    await page.keyboard.type('four\n');
    await bar(page).getByText('The answer should be a number.').waitFor();
  });

  it('arrives when it is composed, and Enter inside of a composition saves nothing', async () => {
    const { sheet, page } = await open(['a', 'b']);
    await goTo(page, 1, 1);
    const session = await page.context().newCDPSession(page);
    await session.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await session.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    expect(await editor(page).inputValue()).toBe('にほん');
    await editor(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    await session.send('Input.insertText', { text: '日本' });
    await page.keyboard.press('Enter');
    expect(await selected(page)).toBe('Column A · 2');
    await stores(sheet, ['日本', 'b']);
  });

  it.each(['500', 'aborted'])(
    'stays on its cell when its save is refused, and is stored by another try: %s',
    async (how) => {
      const { sheet, page } = await open(['a', 'b', 'c']);
      if (how === 'aborted') await page.route(CELLS, (route) => route.abort());
      else await refuse(page, 500);
      await goTo(page, 1, 1);
      await page.keyboard.type('mine\nyours\n');
      await bar(page).getByText('2 cells not saved.').waitFor();
      const reason = how === 'aborted' ? 'The server cannot be reached. Is it running?' : 'Not now. (request req-9)';
      await bar(page).getByText(reason).waitFor();
      expect(await cell(page, 1, 1).innerText()).toMatch(/mine\s+not saved/);
      // Values that are read again do not replace it.
      await console.app.client.patch(`${sheet.path}/cells`, {
        cells: [{ row_index: 2, column: 'Column A', value: 'by somebody else' }],
      });
      await shows(page, [3, 1], 'by somebody else');
      await shows(page, [1, 1], 'mine');
      if (how === '500') await expectAccessible(page);
      await page.unroute(CELLS);
      await button(page, 'Retry').click();
      await stores(sheet, ['mine', 'yours', 'by somebody else']);
      await bar(page).waitFor({ state: 'detached' });
      console.complaints.splice(0);
    },
  );

  it('can be edited again or discarded when its save was refused', async () => {
    const { sheet, page } = await open(['a', 'b']);
    await refuse(page);
    await goTo(page, 1, 1);
    await page.keyboard.type('mine\n');
    await bar(page).waitFor();
    await button(page, 'Edit').click();
    expect(await editor(page).inputValue()).toBe('mine');
    await page.unroute(CELLS);
    await page.keyboard.type(' too\n');
    await stores(sheet, ['mine too', 'b']);
    await refuse(page);
    await page.keyboard.type('other\n');
    await bar(page).waitFor();
    await button(page, 'Discard').click();
    await shows(page, [2, 1], 'b');
    expect(await bar(page).count()).toBe(0);
  });

  it('is given back by Ctrl Z after Escape', async () => {
    const { sheet, page } = await open(['a', 'b']);
    await goTo(page, 1, 1);
    await page.keyboard.type('not lost');
    await page.keyboard.press('Escape');
    await shows(page, [1, 1], 'a');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Control+z');
    expect(await editor(page).inputValue()).toBe('not lost');
    await page.keyboard.press('Enter');
    await stores(sheet, ['not lost', 'b']);
    expect(await selected(page)).toBe('Column A · 2');
    await page.keyboard.press('Control+z');
    await stores(sheet, ['a', 'b']);
  });

  it('goes behind a long text that is still being read', async () => {
    const long = 'word '.repeat(100).trim();
    const sheet = await newSheet(console.app.client, [long, 'b']);
    const page = await console.openSigned(pathOf(sheet));
    await cell(page, 1, 1).getByText('word').waitFor();
    await goTo(page, 1, 1);
    const reads: Route[] = [];
    await page.route('**/cells?*', (route) => void reads.push(route));
    await page.keyboard.press('Enter');
    await expect.poll(() => reads.length).toBe(1);
    await page.keyboard.type(' and\nnext\n');
    // One read for the editor, which is closed, and one for the save.
    await expect.poll(() => reads.length).toBe(2);
    await Promise.all(reads.map((route) => route.continue()));
    await stores(sheet, [`${long} and`, 'next']);
  });

  it('goes behind a long text once, whatever becomes of the answer, and is copied with it', async () => {
    const long = 'word '.repeat(100).trim();
    const sheet = await newSheet(console.app.client, [long, 'b']);
    const page = await console.openSigned(pathOf(sheet));
    await cell(page, 1, 1).getByText('word').waitFor();
    await goTo(page, 1, 1);
    const reads: Route[] = [];
    const saves: Route[] = [];
    const route = /\/cells(\?|$)/;
    await page.route(route, (call) => void (call.request().method() === 'GET' ? reads : saves).push(call));
    await page.keyboard.press('Enter');
    await expect.poll(() => reads.length).toBe(1);
    await page.keyboard.type(' and\n');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Control+c');
    // The editor, the save and the copy each need the whole text.
    await expect.poll(() => reads.length).toBe(3);
    await Promise.all(reads.map((call) => call.continue()));
    await page.getByText('Copied 1 cell.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${long} and`);
    // The server stores the text, and its answer is lost.
    await expect.poll(() => saves.length).toBe(1);
    await saves[0]!.fetch();
    await saves[0]!.abort();
    await bar(page).waitFor();
    await page.unroute(route);
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await button(page, 'Retry').click();
    await saved;
    expect(await stored(sheet)).toEqual([`${long} and`, 'b']);
    console.complaints.splice(0);
  });

  it('stays on its cell when the panel shows another one', async () => {
    const { sheet, page } = await open(['a', 'b']);
    await goTo(page, 1, 1);
    await page.keyboard.press('Space');
    await page.getByLabel('Whole value').fill('from the panel');
    await goTo(page, 2, 1);
    await bar(page).getByText('1 cell not saved.').waitFor();
    await shows(page, [1, 1], 'from the panel');
    await page.keyboard.press('Escape');
    await button(page, 'Save').click();
    await stores(sheet, ['from the panel', 'b']);
  });

  it('is not lost with the screen or the page before somebody has said so', async () => {
    const { sheet, page } = await open(['a', 'b']);
    const { release } = await hold(page);
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.waitForURL(/\/traces$/);
    await page.goBack();
    await shows(page, [1, 1], 'a');
    await goTo(page, 1, 1);
    await page.keyboard.type('mine\n');
    await page.getByRole('link', { name: 'Traces' }).click();
    await question(page).waitFor();
    await expectAccessible(page);
    await button(page, 'Keep editing').click();
    await page.evaluate('history.forward()');
    await question(page).waitFor();
    await page.keyboard.press('Escape');
    expect(page.url()).toContain(pathOf(sheet));
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.dismiss();
      });
    });
    await page.evaluate('void setTimeout(() => location.reload())');
    expect(await asked).toBe('beforeunload');
    await shows(page, [1, 1], 'mine');
    await release();
    await stores(sheet, ['mine', 'b']);
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.waitForURL(/\/traces$/);
    expect(await question(page).count()).toBe(0);
  });

  it('is given up with the screen when somebody says so', async () => {
    const { sheet, page } = await open(['a', 'b']);
    await page.getByRole('link', { name: 'Traces' }).click();
    await page.waitForURL(/\/traces$/);
    await page.goBack();
    await shows(page, [1, 1], 'a');
    const { held } = await hold(page);
    await goTo(page, 1, 1);
    await page.keyboard.type('1\n2\n');
    await page.evaluate('history.forward()');
    await button(page, 'Discard').click();
    await page.waitForURL(/\/traces$/);
    await page.goBack();
    await shows(page, [1, 1], 'a');
    expect(held).toHaveLength(2);
    expect(await stored(sheet)).toEqual(['a', 'b']);
  });

  it('is pasted into a new row, where no key changes the row above', async () => {
    const { sheet, page } = await open(['a', 'b']);
    await page.evaluate('navigator.clipboard.writeText("c\\nd")');
    const goToNewRow = async (last: number) => {
      await goTo(page, last, 1);
      for (const key of ['Enter', 'Enter']) await page.keyboard.press(key);
      await page.getByLabel('New row').waitFor();
    };
    await goToNewRow(2);
    for (const key of ['Backspace', 'Delete', 'Control+v']) await page.keyboard.press(key);
    await stores(sheet, ['a', 'b', 'c', 'd']);
    await shows(page, [4, 1], 'd');
    await goToNewRow(4);
    await page.keyboard.press('Enter');
    expect(await editor(page).inputValue()).toBe('');
    await page.keyboard.type('e\n');
    await stores(sheet, ['a', 'b', 'c', 'd', 'e']);
  });

  it('stays when the clipboard has no text, such as a picture', async () => {
    const { sheet, page } = await open(['a', 'b']);
    await goTo(page, 1, 1);
    await page.evaluate(`{
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File(['x'], 'screen.png', { type: 'image/png' }));
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }`);
    await page.getByText('The clipboard has no text to paste.').waitFor();
    await page.keyboard.type('c\n');
    await stores(sheet, ['c', 'b']);
  });

  it('becomes one new row when the next cell is typed while the row is added', async () => {
    const { sheet, page } = await open(['a']);
    await addColumn(console.app.client, sheet, { title: 'B', type: 'TEXT' });
    await page.getByRole('columnheader', { name: 'B' }).waitFor();
    const { held, release } = await hold(page, /\/rows$/);
    await goTo(page, 1, 1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    for (const key of ['x', 'Tab', 'y']) await page.keyboard.press(key);
    await expect.poll(() => held.length).toBe(1);
    await release();
    await shows(page, [2, 1], 'x');
    await page.keyboard.type('z\n');
    await stores(sheet, [null, 'yz'], 1);
    const next = await hold(page, /\/rows$/);
    await goTo(page, 2, 1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    for (const key of ['v', 'Tab', 'w', 'Enter']) await page.keyboard.press(key);
    await next.release();
    await stores(sheet, [null, 'yz', 'w'], 1);
    expect(await stored(sheet)).toEqual(['a', 'x', 'v']);
  });

  it('is undone with all requests of one paste, and without an edit of somebody else', async () => {
    const { sheet, page } = await open(['a']);
    await page.evaluate('navigator.clipboard.writeText("p\\nq")');
    await goTo(page, 1, 1);
    await page.keyboard.press('Control+v');
    await stores(sheet, ['p', 'q']);
    await shows(page, [2, 1], 'q');
    await page.keyboard.press('Control+z');
    await stores(sheet, ['a']);
    await console.app.client.patch(`${sheet.path}/cells`, {
      cells: [{ row_index: 0, column: 'Column A', value: 'by somebody else' }],
    });
    await shows(page, [1, 1], 'by somebody else');
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await page.keyboard.type('by somebody else\n');
    await saved;
    await page.keyboard.press('Control+z');
    await page.getByRole('alert').getByText('There is no edit of yours to undo.').waitFor();
    expect(await stored(sheet)).toEqual(['by somebody else']);
  });

  it('is refused for columns that are computed, with every way to write', async () => {
    const { sheet, page } = await open(['a']);
    await addColumn(console.app.client, sheet, { title: 'B', type: 'TEXT' });
    await addCount(console.app.client, sheet, 'Length');
    await page.reload();
    await page.evaluate('navigator.clipboard.writeText("1\\t2")');
    await goTo(page, 1, 2);
    await page.keyboard.press('Control+v');
    await page.getByRole('alert').getByText('“Length” is computed').waitFor();
    await button(page, 'Dismiss').click();
    await goTo(page, 1, 3);
    await page.keyboard.press('x');
    await page.getByRole('alert').getByText('“Length” is computed').waitFor();
    expect(await stored(sheet, 1)).toEqual([null]);
  });
});
