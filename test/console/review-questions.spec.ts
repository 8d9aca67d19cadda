import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cellsOf, newSheet, type TestSheet } from '../support/factories.js';
import { joinWorkspace } from '../support/people.js';
import { answerQuestions, listItems, newQueue, nextItem, readQueue } from '../support/reviews.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

const HOSTILE = '<img src=x onerror="document.title=1">';

describe.skipIf(isBrowserMissing())('several questions', () => {
  let console: ConsoleApp;
  let sheet: TestSheet;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    sheet = await newSheet(console.app.client, ['We refund you within five days.', 'No.']);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const question = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
  const pressed = (page: Page, name: string, answer: RegExp) =>
    question(page, name).getByRole('button', { name: answer, pressed: true });
  const shows = (page: Page, text: string) =>
    page.getByRole('region', { name: 'The item under review' }).getByText(text, { exact: true }).waitFor();

  it('are created in one form and answered on one screen with the keyboard alone', async () => {
    const { client } = console.app;
    const page = await console.openSigned('/console/reviews');
    await button(page, 'New queue').click();
    await page.getByLabel('Name').fill('Support');
    await page.getByLabel('Table').selectOption('Test');
    await page.getByLabel('Sheet').selectOption({ index: 1 });
    await page.getByLabel('Answers').selectOption('A scale');
    await page.getByLabel('Instructions').fill('5: a person would thank for it');
    await page.getByLabel('Write results into').waitFor();
    await button(page, 'Add a question').click();
    await button(page, 'Add a question').click();
    await button(page, 'Remove question 3').click();
    await button(page, 'Add a question').click();
    // Text that was typed before the second question was added stays.
    const first = question(page, 'Question 1');
    expect(await first.getByLabel('Instructions').inputValue()).toBe('5: a person would thank for it');
    await first.getByLabel('Question', { exact: false }).first().fill('Tone');
    const second = question(page, 'Question 2');
    await second.getByRole('textbox', { name: 'Question' }).fill('tone');
    const third = question(page, 'Question 3');
    await third.getByRole('textbox', { name: 'Question' }).fill(HOSTILE);
    await third.getByLabel('Answers').selectOption('Categories');
    await third.getByRole('textbox', { name: 'Categories' }).fill('billing\ntravel');
    await third.getByLabel('An answer is required').uncheck();
    await third.getByLabel('Write results into').selectOption('No column');
    await expectAccessible(page);
    await takePicture(page, 'review-questions-new');
    await button(page, 'Create the queue').click();
    await page.getByRole('alert').getByText('Two questions have the same name.').waitFor();
    await second.getByRole('textbox', { name: 'Question' }).fill('Right?');
    await button(page, 'Create the queue').click();

    await shows(page, 'We refund you within five days.');
    // Reviewers do not see the columns of the results.
    expect(await page.getByRole('region', { name: 'The item under review' }).getByText('Right?').count()).toBe(0);
    await expectAccessible(page);
    await page.keyboard.press('4');
    await pressed(page, 'Tone', /^4/).waitFor();
    // One is missing: saving leads to it, and saves nothing.
    for (const key of ['Enter', 'c', 'Control+Enter']) await page.keyboard.press(key);
    await page.locator('[aria-current=true]').and(question(page, 'Right?')).waitFor();
    await page.keyboard.press('2');
    await pressed(page, 'Right?', /^Bad/).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('2');
    await pressed(page, HOSTILE, /^travel/).waitFor();
    await page.keyboard.press('2');
    await question(page, HOSTILE)
      .getByRole('button', { name: /^travel/, pressed: false })
      .waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('1');
    await pressed(page, 'Right?', /^Good/).waitFor();
    await takePicture(page, 'review-questions');
    await page.keyboard.press('Enter');
    await shows(page, 'No.');
    await page.getByText(`You: Tone: 4, Right?: Good, ${HOSTILE}: billing`).waitFor();
    await expectAccessible(page);

    // Chosen answers outlive the screen.
    await page.keyboard.press('1');
    await pressed(page, 'Tone', /^1/).waitFor();
    await page.getByRole('link', { name: 'All review queues' }).click();
    await page.getByRole('link', { name: 'Support' }).click();
    await pressed(page, 'Tone', /^1/).waitFor();
    await question(page, 'Right?').getByRole('button', { name: /^Bad/ }).click();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Nothing is left for you').waitFor();
    await page.keyboard.press('u');
    await pressed(page, 'Right?', /^Bad/).waitFor();

    const { data } = (await client.get('/api/public/v2/review-queues')) as { data: { id: string }[] };
    const queue = data[0]!.id;
    expect(await listItems(client, queue)).toMatchObject([
      { results: { Tone: 4, 'Right?': true, [HOSTILE]: 'billing' } },
      { results: { Tone: 1, 'Right?': false } },
    ]);
    const { columns } = (await client.get(`${sheet.path}/rows`)) as { columns: { id: string; title: string }[] };
    const values = async (title: string) =>
      (await cellsOf(client, sheet, columns.find((each) => each.title === title)!.id)).map(({ value }) => value);
    expect([await values('Tone'), await values('Right?')]).toEqual([
      [4, 1],
      [1, 0],
    ]);
  });

  it('are compared and decided each by itself', async () => {
    const { client } = console.app;
    const questions = [
      { name: 'Tone', rubric: { kind: 'scale', min: 1, max: 5 } },
      { name: 'Right?', rubric: { kind: 'thumbs' } },
    ];
    const body = { subject: 'row', sheet_id: sheet.id, name: 'Both', rubric: undefined, questions };
    const queue = await newQueue(client, { ...body, reviewers_per_item: 2 }, { filter_group: { filters: [] } });
    const other = await joinWorkspace(console.app, client, 1, ['contributor']);
    for (let item = await nextItem(other.browser, queue); item; item = await nextItem(other.browser, queue)) {
      await answerQuestions(other.browser, queue, item.id, { Tone: 4, 'Right?': false });
    }
    for (let item = await nextItem(client, queue); item; item = await nextItem(client, queue)) {
      await answerQuestions(client, queue, item.id, { Tone: 5, 'Right?': item.subject_id === '0' });
    }
    const page = await console.openSigned(`/console/reviews/${queue}`);
    await page
      .getByRole('list', { name: 'Agreement about Tone' })
      .getByText(/the same answer for 0 % of 2/)
      .waitFor();
    await page
      .getByRole('list', { name: 'Agreement about Right?' })
      .getByText(/the same answer for 50 % of 2/)
      .waitFor();
    await page.getByText(/Item 1: .*Tone: 4, Right\?: Bad; .*; result Tone: 4.5/).waitFor();
    await takePicture(page, 'review-questions-agreement');
    await expectAccessible(page);
    await button(page, 'Decide 1').click();
    await page.getByText('The reviewers disagree about Right?. Somebody has to decide.').waitFor();
    await page.getByRole('group', { name: 'Answers' }).waitFor();
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByText('None.').waitFor();
    expect((await listItems(client, queue))[0]).toMatchObject({
      state: 'finished',
      results: { Tone: 4.5, 'Right?': true },
    });
    expect(await readQueue(client, queue)).toMatchObject({ counts: { disagreements: 0 } });

    await button(page, 'Make a judge').click();
    await page.getByLabel('Text to judge').selectOption('Column A');
    await page.getByLabel('Question to judge').selectOption('Right?');
    const prompt = page.getByLabel('Question with examples');
    await prompt.getByText('Both: Right?. Would the reviewers approve').waitFor();
    expect(await page.getByLabel('Title').inputValue()).toBe('Right? judge');
    await expectAccessible(page);
  });
});
