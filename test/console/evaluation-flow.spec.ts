import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addColumn, type Column, type TestSheet } from '../support/factories.js';
import { publishPrompt, readPrompt, textsOf } from '../support/prompts.js';
import { configureScorecard, readScorecard, withSteps } from '../support/scorecards.js';
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

  const inline = (text: string) => ({
    inline: true,
    prompt_template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
    metadata: { model: { provider: 'tracesheet', name: 'echo', parameters: { temperature: 0 } } },
  });
  const answerOf = (sheet: TestSheet, config: object) =>
    addColumn(console.app.client, sheet, { title: 'Answer', type: 'PROMPT_TEMPLATE', compute: false, config });
  const contains = (source: string, more: object = {}) => ({
    title: 'Contains',
    primitive_type: 'CONTAINS',
    primitive_config: { source, value: 'it', case_sensitive: true },
    ...more,
  });
  const configOf = async (sheet: TestSheet, id: string) => {
    const { data } = (await console.app.client.get(`${sheet.path}/columns`)) as { data: Column[] };
    return data.find((column) => column.id === id)!.config;
  };
  const scorecardOf = async (sheet: TestSheet) => (await readScorecard(console.app.client, sheet)).scorecard!;
  const openColumn = async (sheet: TestSheet, column: { id: string }) => {
    const page = await openStep(sheet, `run&column=${column.id}`);
    await page.getByRole('heading', { name: 'What runs on every row?' }).waitFor();
    return page;
  };
  const refusal = { status: 400, json: { code: 'bad_request', message: 'Not now.' } };

  it('changes nothing of a column and a scorecard but what is edited', async () => {
    const { client } = console.app;
    const sheet = await newSheetOf('question');
    await publishPrompt(client, 'fixed', { message: 'Answer {question}.' });
    await publishPrompt(client, 'fixed', { message: 'Answer {question} to {name}.' });
    const config = {
      template: { name: 'fixed', version_number: 1 },
      prompt_template_variable_mappings: { question: 'question', other: 'question' },
      engine: { provider: 'tracesheet', model: 'echo' },
      return_template_only: true,
    };
    const answer = await answerOf(sheet, config);
    const settings = {
      weight: 3,
      required: true,
      thresholds: { pass: 0.9, warn: 0.1 },
      description: 'It is named.',
      evidence_mode: 'raw',
      target_column_id: answer.id,
    };
    const compared = { comparison_type: { type: 'STRING' } };
    const steps = [
      contains('question', settings),
      { title: 'Same', primitive_type: 'COMPARE', primitive_config: { sources: ['question', 'Answer'], ...compared } },
      {
        title: 'Fixed',
        primitive_type: 'COMPARE',
        primitive_config: { sources: ['Answer'], target: 'it', ...compared },
      },
    ];
    const more = {
      evaluated_column_ids: ['question'],
      display_config: { shown: 1 },
      baseline_config: { note: 'first' },
    };
    const before = await configureScorecard(client, sheet, withSteps(steps, more));
    const page = await openColumn(sheet, answer);
    await page.getByText('Default: version 1, as now.').waitFor();
    await button(page, 'Choose scorers').click();
    const same = page.getByRole('group', { name: 'Scorer 2' });
    expect(await same.getByLabel('Column with the expected text').inputValue()).toBe('question');
    await page.getByRole('group', { name: 'Scorer 1' }).getByLabel('Text', { exact: true }).fill('how');
    const patched: string[] = [];
    page.on('request', (sent) => sent.method() === 'PATCH' && patched.push(sent.url().split('/').at(-1)!));
    await button(page, 'Show the plan').click();
    await planned(page).filter({ hasText: 'Fixed' }).waitFor();
    expect(await configOf(sheet, answer.id)).toEqual(config);
    expect(patched).toEqual(['scorecard']);
    const { primitive_config: contained } = before.steps[0]!;
    const after = await scorecardOf(sheet);
    const whenWritten = { updated_at: expect.any(String) as string };
    expect(after).toMatchObject({ ...more, evaluated_column_ids: [...before.evaluated_column_ids, answer.id] });
    expect(after.steps).toEqual([
      { ...before.steps[0], ...whenWritten, primitive_config: { ...contained, value: 'how' } },
      { ...before.steps[1], ...whenWritten },
      { ...before.steps[2], ...whenWritten },
    ]);
  });

  it('keeps what its form does not show when the message is edited', async () => {
    const sheet = await newSheetOf('question');
    const { metadata, ...rest } = inline('Answer {question}.');
    const known = { ...rest, metadata: { ...metadata, note: 'mine' }, source_prompt_name: 'support' };
    const mappings = { question: 'question' };
    const config = { inline_template: known, prompt_template_variable_mappings: mappings, credential: 'tests' };
    const answer = await answerOf(sheet, config);
    const page = await openColumn(sheet, answer);
    await page.getByLabel('Message of user').fill('Answer {question} kindly.');
    await button(page, 'Choose scorers').click();
    await button(page, 'Add “JSON Schema”').click();
    await button(page, 'Show the plan').click();
    await planned(page).filter({ hasText: 'Fits the schema' }).waitFor();
    const after = await configOf(sheet, answer.id);
    expect(after).toMatchObject({ ...config, inline_template: { ...known, prompt_template: {} } });
    expect(JSON.stringify(after)).toContain('Answer {question} kindly.');
  });

  it('takes what others have changed since an evaluation was abandoned', async () => {
    const { client } = console.app;
    const sheet = await newSheetOf('question');
    const mappings = { prompt_template_variable_mappings: { question: 'question' } };
    const answer = await answerOf(sheet, { inline_template: inline('First {question}.'), ...mappings });
    const { steps } = await configureScorecard(client, sheet, withSteps([contains('Answer')]));
    const page = await openColumn(sheet, answer);
    const message = page.getByLabel('Message of user');
    await message.fill('Typed {question}.');
    await page.reload();
    await expect.poll(() => message.inputValue()).toBe('Typed {question}.');
    const config = { inline_template: inline('Newer {question}.'), ...mappings };
    await client.patch(`${sheet.path}/columns/${answer.id}`, { type: 'PROMPT_TEMPLATE', config });
    await page.reload();
    await expect.poll(() => message.inputValue()).toBe('Newer {question}.');
    await button(page, 'Choose scorers').click();
    await page.getByLabel('Text', { exact: true }).fill('typed');
    // A step that is added while the wizard is open stays too.
    const { id } = steps[0]!;
    await configureScorecard(
      client,
      sheet,
      withSteps([contains('Answer', { id }), contains('question', { title: 'New' })]),
    );
    await button(page, 'Show the plan').click();
    await planned(page).filter({ hasText: 'New' }).waitFor();
    expect((await scorecardOf(sheet)).steps).toMatchObject([
      { id, primitive_config: { value: 'typed', case_sensitive: true } },
      { title: 'New', primitive_config: { source: 'question' } },
    ]);
    expect(await configOf(sheet, answer.id)).toEqual(config);
  });

  it('goes on with neither unread scorers nor unread variables, and knows those that only the server finds', async () => {
    const { client } = console.app;
    const sheet = await newSheetOf('question');
    await configureScorecard(client, sheet, withSteps([contains('question')]));
    await publishPrompt(client, 'joined', { message: '{{ "Answer " ~ question }}', format: 'jinja2' });
    const page = await console.openSigned('/console/evaluations');
    await page.route('**/scorecard', (route) => route.fulfill(refusal));
    await page.goto(`/console/evaluations/new?step=scorers&table=${sheet.tableId}&sheet=${sheet.id}`);
    await page.getByRole('alert').getByText('Not now.').waitFor();
    expect(await button(page, 'Show the plan').count()).toBe(0);
    await page.unroute('**/scorecard');
    await button(page, 'Try again').click();
    await page.getByRole('group', { name: 'Scorer 1' }).waitFor();

    await page.route('**/prompt-templates/joined*', (route) => route.fulfill(refusal));
    await button(page, '2 Step to run').click();
    await page.getByRole('combobox', { name: 'Step to run' }).selectOption('prompt');
    await page.getByLabel('Prompt', { exact: true }).selectOption('joined');
    await button(page, 'Choose scorers').click();
    await page.getByRole('alert').getByText('Not now.').waitFor();
    expect(await button(page, 'Show the plan').count()).toBe(0);
    await page.unroute('**/prompt-templates/joined*');
    await button(page, 'Try again').click();
    await button(page, 'Show the plan').click();
    await planned(page).filter({ hasText: 'Answer' }).waitFor();
    const column = (await columnsOf(sheet)).find(({ title }) => title === 'Answer');
    expect(column).toMatchObject({ config: { prompt_template_variable_mappings: { question: 'question' } } });
  });
});
