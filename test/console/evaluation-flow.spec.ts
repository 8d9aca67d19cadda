import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestSheet } from '../support/factories.js';
import { readPrompt, textsOf } from '../support/prompts.js';
import { textSheet } from '../support/scores.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

const CALLS = 12;

/** A call that failed, as an application logs it. */
const failed = (at: number) => ({
  provider: 'openai',
  model: 'gpt-4.1-mini',
  input: {
    type: 'chat',
    messages: [{ role: 'user', content: [{ type: 'text', text: `May I return parcel ${at}?` }] }],
  },
  output: { type: 'chat', messages: [{ role: 'assistant', content: [{ type: 'text', text: 'No.' }] }] },
  request_start_time: new Date(Date.now() - 60_000 + at).toISOString(),
  request_end_time: new Date(Date.now() - 59_000 + at).toISOString(),
  status: 'ERROR',
  error_type: 'PROVIDER_ERROR',
  error_message: 'The answer broke off.',
  prompt_input_variables: { question: `May I return parcel ${at}?` },
});

describe.skipIf(isBrowserMissing())('from failing calls to a better prompt', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    for (let at = 1; at <= CALLS; at++) await console.app.client.post('/log-request', failed(at), 201);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
  const completed = async (page: Page) => {
    await page.waitForURL(/evaluations\/runs/);
    await page.getByRole('status').getByText(`${CALLS} rows`, { exact: true }).waitFor();
  };

  it('leads from an empty workspace to a published prompt, in the browser alone', async () => {
    const page = await console.openSigned('/console/');
    await link(page, 'Evaluations').click();
    await link(page, 'New evaluation').click();

    // Failing calls become a sheet.
    await page.getByRole('status').getByText(`${CALLS} calls match`).waitFor();
    await page.getByLabel('Title of the table (optional)').fill('Returns');
    await expectAccessible(page);
    await takePicture(page, 'evaluation-rows');
    await button(page, `Make a sheet of ${CALLS} calls`).click();

    // Step to run: a model with a message.
    await page.getByRole('heading', { name: 'What runs on every row?' }).waitFor();
    await page.getByLabel('Provider').fill('tracesheet');
    await page.getByLabel('Model', { exact: true }).fill('echo');
    await page.getByLabel('Message of user').fill('Answer {question} kindly.');
    await expect.poll(() => page.getByLabel('Column for question').inputValue()).toBe('question');
    await expectAccessible(page);
    await takePicture(page, 'evaluation-run');
    await button(page, 'Choose scorers').click();

    // Scorers from templates: a text, and a judge.
    await button(page, 'Add “Contains”').click();
    await page.getByRole('group', { name: 'Scorer 1' }).getByLabel('Text', { exact: true }).fill('policy');
    await button(page, 'Add “LLM judge”').click();
    const judge = page.getByRole('group', { name: 'Scorer 2' });
    await judge.getByLabel('Question').fill('Is the answer kind?');
    await judge.getByLabel('Provider').fill('tracesheet');
    await judge.getByLabel('Model', { exact: true }).fill('echo');
    await expectAccessible(page);
    await takePicture(page, 'evaluation-scorers');
    // Back and a new load of the page lose nothing.
    await page.goBack();
    expect(await page.getByLabel('Message of user').inputValue()).toBe('Answer {question} kindly.');
    await page.goForward();
    await page.reload();
    expect(await judge.getByLabel('Question').inputValue()).toBe('Is the answer kind?');
    await button(page, 'Show the plan').click();

    // A plan with its price, and the run.
    await page.getByRole('table', { name: 'Plan' }).getByRole('row').filter({ hasText: 'Judge' }).waitFor();
    await page.getByText(/^\d+ cells, [\d,]+ tokens in and [\d,]+ out: /).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'evaluation-plan');
    await button(page, /^Compute \d+ cells · /).click();
    await completed(page);
    await page.getByText('Answer May I return parcel 1? kindly.').first().waitFor();
    await expectAccessible(page);
    await takePicture(page, 'evaluation-rows-of-run');
    await page.getByLabel('Verdict').selectOption('pass');
    await page.getByText('0 rows match').waitFor();
    await page.getByLabel('Verdict').selectOption('');

    // The same rows with a better prompt.
    await link(page, 'Run again with a change').click();
    await page.getByLabel('Message of user').fill('Answer {question} kindly. Name the policy.');
    await button(page, 'Choose scorers').click();
    await page.getByRole('group', { name: 'Scorer 2' }).waitFor();
    await button(page, 'Show the plan').click();
    await button(page, /^Compute \d+ cells · /).click();
    await completed(page);

    // Better, or chance?
    await link(page, 'All evaluations').click();
    const runs = page.getByRole('table', { name: 'Runs over sheets' });
    await expect.poll(() => runs.getByRole('checkbox').count()).toBe(2);
    for (const box of await runs.getByRole('checkbox').all()) await box.check();
    await expectAccessible(page);
    await button(page, 'Compare 2 runs').click();
    const against = page.getByRole('article', { name: 'B against A' });
    await against.getByText(/100\.0 points better .*more than chance would explain \(p < 0\.001\)/).waitFor();
    expect(await page.getByText('The scorer changed.').count()).toBe(0);
    await page.locator('ins', { hasText: 'Name the policy.' }).first().waitFor();
    await expectAccessible(page);
    await takePicture(page, 'evaluation-compared');

    // The better prompt is published.
    await button(page, 'Publish the prompt of B').click();
    await page.getByLabel('Name of the prompt').fill('support/returns');
    await page.getByLabel('Release label').fill('production');
    await button(page, 'Publish the version').click();
    await link(page, 'support/returns, version 1').waitFor();
    const published = await readPrompt(console.app.client, 'support/returns');
    expect(textsOf(published)).toEqual(['Answer {question} kindly. Name the policy.']);
    expect(published).toMatchObject({ version: 1, metadata: { model: { provider: 'tracesheet', name: 'echo' } } });
  });

  const planned = (page: Page) => page.getByRole('table', { name: 'Plan' }).getByRole('row');
  const newSheetOf = (title: string) => textSheet(console.app.client, [title], [['Where is it?'], ['How much?']]);
  const columnsOf = async ({ path }: TestSheet) => {
    const { data } = (await console.app.client.get(`${path}/columns`)) as { data: { title: string; type: string }[] };
    return data.filter(({ title }) => ['question', 'Answer', 'Answer 2'].includes(title));
  };
  const openStep = ({ tableId, id }: TestSheet, step: string) =>
    console.openSigned(`/console/evaluations/new?step=${step}&table=${tableId}&sheet=${id}`);
  const fillRun = async (page: Page, message: string) => {
    await page.getByLabel('Provider').fill('tracesheet');
    await page.getByLabel('Model', { exact: true }).fill('echo');
    await page.getByLabel('Message of user').fill(message);
  };

  it('plans the column that was added or changed, however late the columns are read', async () => {
    const page = await openStep(await newSheetOf('question'), 'plan');
    await page.getByText('Nothing is planned yet.').waitFor();
    await button(page, '2 Step to run').click();
    await fillRun(page, 'Answer {question}.');
    await button(page, 'Choose scorers').click();
    await button(page, 'Add “Contains”').click();
    await page.getByLabel('Text', { exact: true }).fill('policy');
    let scorecardRead: Promise<unknown>;
    await page.route('**/rows?view=grid*', async (route) => {
      await scorecardRead;
      await route.continue();
    });
    const showPlan = async () => {
      scorecardRead = page.waitForResponse(
        (got) => got.url().endsWith('scorecard') && got.request().method() === 'GET',
      );
      await button(page, 'Show the plan').click();
      await planned(page).filter({ hasText: 'Answer' }).filter({ hasText: '2' }).waitFor();
    };
    await showPlan();

    await button(page, '2 Step to run').click();
    expect(await page.getByLabel('Message of user').inputValue()).toBe('Answer {question}.');
    await page.getByLabel('Message of user').fill('Answer {question} kindly.');
    await button(page, 'Choose scorers').click();
    await page.getByLabel('Text', { exact: true }).fill('refund');
    await showPlan();
    await button(page, '3 Scorers').click();
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('refund');
    await button(page, '2 Step to run').click();
    expect(await page.getByLabel('Message of user').inputValue()).toBe('Answer {question} kindly.');
  });

  it('adds one column, also when the scorers are refused at first', async () => {
    const sheet = await newSheetOf('question');
    const page = await openStep(sheet, 'run');
    await fillRun(page, 'Answer {question}.');
    await button(page, 'Choose scorers').click();
    await button(page, 'Add “Pattern”').click();
    await page.getByLabel('Regular expression').fill('(policy');
    await button(page, 'Show the plan').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Regular expression').fill('(policy)');
    await button(page, 'Show the plan').click();
    await planned(page).filter({ hasText: 'Answer' }).waitFor();
    expect(await columnsOf(sheet)).toHaveLength(2);
  });

  it('leaves an existing column as it is when a model is chosen after all', async () => {
    const sheet = await newSheetOf('question');
    const page = await openStep(sheet, 'run');
    await page.getByRole('combobox', { name: 'Step to run' }).selectOption('column');
    await page.getByLabel('Column with the outputs').selectOption('question');
    await button(page, 'Choose scorers').click();
    await button(page, 'Add “Contains”').click();
    await page.getByLabel('Text', { exact: true }).fill('it');
    await button(page, 'Show the plan').click();
    await planned(page).filter({ hasText: 'Contains' }).waitFor();
    await button(page, '2 Step to run').click();
    await page.getByRole('combobox', { name: 'Step to run' }).selectOption('model');
    await fillRun(page, 'Answer {question}.');
    await button(page, 'Choose scorers').click();
    await button(page, 'Show the plan').click();
    await planned(page).filter({ hasText: 'Answer' }).waitFor();
    expect(await columnsOf(sheet)).toMatchObject([
      { title: 'question', type: 'TEXT' },
      { title: 'Answer', type: 'PROMPT_TEMPLATE' },
    ]);
  });
});
