import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addColumn, cellsOf, newSheet, settled, type TestSheet } from '../support/factories.js';
import { logCall } from '../support/otlp.js';
import { joinWorkspace } from '../support/people.js';
import { answerAll, listItems, newQueue, readQueue } from '../support/reviews.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, pressBoth, takePicture } from './support/console-app.js';

const HOSTILE = '<img src=x onerror="document.title=1">';

describe.skipIf(isBrowserMissing())('reviews', () => {
  let console: ConsoleApp;
  let sheet: TestSheet;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    sheet = await newSheet(console.app.client, ['We refund you within five days.', HOSTILE, 'No.']);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const item = (page: Page) => page.getByRole('region', { name: 'The item under review' });
  const shows = (page: Page, text: string) => item(page).getByText(text, { exact: true }).waitFor();
  const isAt = (page: Page, text: string) => page.locator('.screen-head').getByText(text, { exact: true }).waitFor();

  it('are created from a sheet and answered with the keyboard alone', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('heading').first().waitFor();
    await pressBoth(page, 'g', 'v');
    await page.getByText('There are no review queues yet').waitFor();
    await expectAccessible(page);
    await button(page, 'New queue').click();
    await page.getByLabel('Name').fill('Tone');
    await page.getByLabel('Table').selectOption('Test');
    await page.getByLabel('Sheet').selectOption({ index: 1 });
    await page.getByLabel('Answers').selectOption('A scale');
    await page.getByLabel('Instructions').fill('5: a person would thank for it');
    await page.getByLabel('Write results into').waitFor();
    await expectAccessible(page);
    await button(page, 'Create the queue').click();

    await shows(page, 'We refund you within five days.');
    await isAt(page, '0 of 3');
    await expectAccessible(page);
    await page.keyboard.press('4');
    await button(page, /^4/).and(page.locator('[aria-pressed=true]')).waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('Polite, 5 of 5');
    await page.keyboard.press('Control+Enter');
    await shows(page, HOSTILE);
    await page.getByText('You: 4').waitFor();
    await page.keyboard.press('s');
    await shows(page, 'No.');
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await isAt(page, '2 of 3');
    await shows(page, HOSTILE);

    for (const text of ['No.', HOSTILE, 'We refund you within five days.']) {
      await page.keyboard.press('u');
      await shows(page, text);
    }
    expect(await page.getByLabel('Comment').inputValue()).toBe('Polite, 5 of 5');
    await page.keyboard.press('5');
    await page.keyboard.press('Enter');
    await shows(page, HOSTILE);
    await page.keyboard.press('2');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is left for you').waitFor();
    await expectAccessible(page);

    const { columns } = (await console.app.client.get(`${sheet.path}/rows`)) as {
      columns: { id: string; title: string }[];
    };
    const results = await cellsOf(console.app.client, sheet, columns.find(({ title }) => title === 'Tone')!.id);
    expect(results.map(({ value }) => value)).toEqual([5, 2, 1]);
  });

  it('show a refusal below its own item alone', async () => {
    const body = { subject: 'row', sheet_id: sheet.id, name: 'Refused' };
    const queue = await newQueue(console.app.client, body, { row_indices: [0, 2] });
    const page = await console.openSigned(`/console/reviews/${queue}`);
    await shows(page, 'We refund you within five days.');
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await shows(page, 'No.');
    const json = { success: false, message: 'Somebody else has answered.', error: 'answered' };
    await page.route('**/answer', (route) => route.fulfill({ status: 409, json }));
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert').getByText('Somebody else has answered.');
    await alert.waitFor();
    await page.keyboard.press('u');
    await shows(page, 'We refund you within five days.');
    await alert.waitFor({ state: 'detached' });
  });

  it('are renamed, and get further items by numbers, by a filter and from a list', async () => {
    const { client } = console.app;
    const body = { subject: 'row', sheet_id: sheet.id, name: 'Later' };
    const rows = await newQueue(client, body, { row_indices: [0] });
    const page = await console.openSigned(`/console/reviews/${rows}`);
    await isAt(page, '0 of 1');
    await button(page, 'Rename').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Later on');
    await expectAccessible(page);
    await button(page, 'Rename the queue').click();
    await page.getByRole('heading', { name: 'Later on', level: 1 }).waitFor();
    await button(page, 'Add items').click();
    await page.getByLabel('Which').selectOption('Rows by their numbers');
    await page.getByLabel('Row numbers').fill('1, 0');
    await button(page, 'Add the items').click();
    await page.getByRole('alert').getByText('“0” is no row number').waitFor();
    await page.getByLabel('Row numbers').fill('1-2');
    await button(page, 'Add the items').click();
    await page.getByRole('heading', { name: '1 item added' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await isAt(page, '0 of 2');
    await button(page, 'Add items').click();
    await page.getByLabel('Column', { exact: true }).selectOption('Column A');
    await page.getByLabel('Text').fill('No.');
    await expectAccessible(page);
    await takePicture(page, 'review-add');
    await button(page, 'Add the items').click();
    await page.getByRole('heading', { name: '1 item added' }).waitFor();
    expect((await listItems(client, rows)).map(({ subject_id: id }) => id)).toEqual(['0', '1', '2']);
  });

  it('are blind, compared with each other and a judge, and decided where people disagree', async () => {
    const { client } = console.app;
    const config = { source: 'Column A', value: 'refund' };
    const judge = await addColumn(client, sheet, { title: 'Judge', type: 'CONTAINS', config });
    await settled(client, sheet);
    const body = {
      subject: 'row',
      sheet_id: sheet.id,
      reviewers_per_item: 2,
      judge_column_id: judge.id,
      name: 'Refunds',
    };
    const queue = await newQueue(client, body, { filter_group: { filters: [] } });
    const other = await joinWorkspace(console.app, client, 1, ['contributor']);
    await answerAll(other.browser, queue, (row) => row === '0');

    const page = await console.openSigned(`/console/reviews/${queue}`);
    await shows(page, 'We refund you within five days.');
    expect(await page.getByText('Judge:').count()).toBe(0);
    expect(await item(page).getByText('Judge', { exact: true }).count()).toBe(0);
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByText('Judge: yes').waitFor();
    await page.getByText(/^Sam \d+: Good$/).waitFor();
    await shows(page, HOSTILE);
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByText('The reviewers disagree. Somebody has to decide.').waitFor();
    await shows(page, 'No.');
    await page.keyboard.press('2');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is left for you').waitFor();
    await page.getByText(/κ 0\.40.*the same answer for 67 % of 3/).waitFor();
    await page.getByText(/Judge v1 and people: .*100 % of 2/).waitFor();
    await takePicture(page, 'review');

    await button(page, 'Decide 2').click();
    await shows(page, HOSTILE);
    await expectAccessible(page);
    await page.keyboard.press('2');
    await page.keyboard.press('Enter');
    await page.getByText('None.').waitFor();
    expect(await listItems(client, queue)).toMatchObject([{ result: true }, { result: false }, { result: false }]);

    await button(page, 'Make a judge').click();
    await page.getByLabel('Text to judge').selectOption('Column A');
    await page.getByLabel('Question with examples').waitFor();
    expect(await page.getByLabel('Question with examples').inputValue()).toContain('We refund you within five days.');
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Close the queue').click();
    await page.getByText('This queue is closed').waitFor();
  });

  it('are made of the requests of a list', async () => {
    const { client } = console.app;
    await logCall(client, { input: 'My umbrella arrived broken.', output: 'I am sorry.' });
    const page = await console.openSigned('/console/logs');
    await page.getByRole('grid').getByText('My umbrella arrived broken.').first().waitFor();
    await button(page, 'Review these').click();
    await page.getByText(/^All that match: 1 request/).waitFor();
    await page.getByLabel('Name').fill('Umbrellas');
    await page.getByLabel('Write results into the score').fill('people');
    await expectAccessible(page);
    await button(page, 'Create the queue').click();
    await item(page).getByText('I am sorry.').waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is left for you').waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1)!;
    expect(await readQueue(client, id)).toMatchObject({ name: 'Umbrellas', counts: { items: 1, finished: 1 } });
    await logCall(client, { input: 'My umbrella is lost.', output: 'So sorry.' });
    await page.goto('/console/logs');
    await page.getByRole('grid').getByText('My umbrella is lost.').first().waitFor();
    await button(page, 'Review these').click();
    await page.getByLabel('Queue').selectOption('Umbrellas');
    await expectAccessible(page);
    await button(page, 'Add to the queue').click();
    await page.getByRole('heading', { name: '1 item added' }).waitFor();
    await page.getByRole('link', { name: 'Open the queue' }).click();
    await item(page).getByText('So sorry.').waitFor();
  });
});
