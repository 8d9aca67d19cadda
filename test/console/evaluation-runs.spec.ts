import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { calculateScorecard, configureScorecard, withSteps } from '../support/scorecards.js';
import { textSheet } from '../support/scores.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

const LONG = `The refund is <b>on its way</b>. ${'word '.repeat(900)}`;
const regex = (pattern: string, more: object = {}) => ({
  title: 'Refund',
  primitive_type: 'REGEX',
  primitive_config: { source: 'Output', regex_pattern: pattern },
  ...more,
});

describe.skipIf(isBrowserMissing())('runs over sheets', () => {
  let console: ConsoleApp;
  let viewer: string;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    viewer = ((await console.app.client.post(keys, { role: 'viewer' }, 201)) as { secret: string }).secret;
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const rows = (page: Page) => page.getByRole('table', { name: 'Rows', exact: true });
  const sheetOf = (...outputs: string[]) =>
    textSheet(
      console.app.client,
      ['question', 'Output'],
      outputs.map((output, row) => [`question ${row}`, output]),
    );

  it('warns that the scorer changed since the earlier run', async () => {
    const { client } = console.app;
    const sheet = await sheetOf(...Array.from({ length: 12 }, () => 'You get a refund.'));
    const { steps } = await configureScorecard(client, sheet, withSteps([regex('refund')]));
    const first = await calculateScorecard(client, sheet);
    await configureScorecard(client, sheet, withSteps([regex('money', { id: steps[0]!.id })]));
    const second = await calculateScorecard(client, sheet);
    const page = await console.openSigned(`/console/evaluations/runs?ids=${first.id},${second.id}`);
    const against = page.getByRole('article', { name: 'B against A' });
    await against.getByText('The scorer changed.').waitFor();
    await against.getByText('“Refund” (its settings)').waitFor();
    await against
      .getByText(/100\.0 points worse .*more than chance would explain \(p < 0\.001\)/)
      .first()
      .waitFor();
    // Red is for what got worse, not for a scorer that did.
    expect(await against.locator('.bad').count()).toBe(0);
    await page.getByLabel('Changes').selectOption('better');
    await page.getByText('0 rows match').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'evaluation-scorer-changed');
    // Pages of a single run stand for those of a hundred.
    await page.route('**/scorecard-calculations?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
    );
    await page.reload();
    const sheets = page.getByRole('table', { name: 'Runs' }).getByRole('link');
    await expect.poll(() => sheets.count()).toBe(2);
  });

  it('shows the rows of a run with filters, and a large text as a whole', async () => {
    const sheet = await sheetOf('No.', LONG);
    const { id } = await calculateScorecard(console.app.client, sheet, [regex('refund')]);
    const page = await console.openSigned(`/console/evaluations/runs?ids=${id}`);
    await page.getByText('2 rows', { exact: true }).waitFor();
    await page.getByLabel('Score', { exact: true }).selectOption('full');
    await page
      .getByText('1 row that match')
      .or(page.getByText('1 row', { exact: false }))
      .first()
      .waitFor();
    await rows(page).locator('pre', { hasText: 'The refund is <b>on its way</b>.' }).waitFor();
    await button(page, 'Read all: Output, row 2').click();
    const reader = page.getByRole('dialog', { name: 'Output of row 2' });
    await reader.getByText('The refund is <b>on its way</b>.').waitFor();
    expect((await reader.locator('pre').textContent())!.trim()).toHaveLength(LONG.trim().length);
    await expectAccessible(page);
    // The URL is the state.
    await page.reload();
    await reader.waitFor();
    await button(page, 'Close').click();
    await page.getByLabel('Verdict').selectOption('error');
    await page.getByText('0 rows match').waitFor();
  });

  it('compares runs of two sheets, by their inputs or by a column that is named', async () => {
    const { client } = console.app;
    const [one, two, three] = [
      await sheetOf('No.', 'A refund.'),
      await sheetOf('A refund.', 'A refund.'),
      await textSheet(client, ['key', 'question', 'Output'], [['question 0', 'Who?', 'No.']]),
    ];
    const ids: string[] = [];
    for (const sheet of [one, two]) ids.push((await calculateScorecard(client, sheet, [regex('refund')])).id);
    const page = await console.openSigned(`/console/evaluations/runs?ids=${ids.join(',')}`);
    await page.getByRole('table', { name: 'Runs' }).getByText('question', { exact: true }).waitFor();
    await rows(page).locator('ins', { hasText: 'A refund' }).waitFor();
    await page.getByRole('article', { name: 'B against A' }).getByText('50.0 points better').first().waitFor();
    const { id: other } = await calculateScorecard(client, three, [regex('refund')]);
    await page.goto(page.url().replace(/ids=.*/, `ids=${ids[0]},${other}`));
    await page.getByRole('alert').getByText('cannot be compared').waitFor();
    await page.getByLabel('Match rows by column').fill('Output');
    await button(page, 'Match rows').click();
    await rows(page).getByText('Not in this run').waitFor();
  });

  it('evaluates outputs of a file that are there already, without a model', async () => {
    const page = await console.openSigned('/console/evaluations/new?source=file');
    await page.getByLabel('CSV or JSON file').setInputFiles({
      name: 'answers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'question,reply,expected\nCapital of France?,Paris,Paris\nCapital of Spain?,Seville,Madrid\n',
      ),
    });
    await button(page, 'Make a sheet of the file').click();
    await page.getByRole('heading', { name: 'What runs on every row?' }).waitFor();
    await page.getByRole('combobox', { name: 'Step to run' }).selectOption('column');
    await page.getByLabel('Column with the outputs').selectOption('reply');
    await button(page, 'Choose scorers').click();
    await button(page, 'Add “Equals”').click();
    await button(page, 'Show the plan').click();
    await page.getByRole('alert').getByText('choose the column with the expected text').waitFor();
    await page.getByLabel('Column with the expected text').selectOption('expected');
    await button(page, 'Show the plan').click();
    await button(page, 'Compute 2 cells · free').click();
    await page.getByText('2 rows', { exact: true }).waitFor();
    await rows(page).getByText('Seville').first().waitFor();
    await expectAccessible(page);
  });

  it('imports a file once, and takes a refused report of its progress for no success', async () => {
    const page = await console.openSigned('/console/evaluations/new?source=file');
    const buffer = Buffer.from('question,reply\nCapital of France?,Paris\n');
    await page.getByLabel('CSV or JSON file').setInputFiles({ name: 'twice.csv', mimeType: 'text/csv', buffer });
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    let release = () => {};
    const clicked = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/public/v2/tables', async (route) => {
      await clicked;
      await route.continue();
    });
    await page.route('**/events', (route) => route.fulfill({ status: 429, body: '' }));
    await button(page, 'Make a sheet of the file').dblclick();
    release();
    await page.getByRole('alert').getByText('The server reports no progress of the import').waitFor();
    expect(new URL(page.url()).searchParams.get('sheet')).toBeNull();
    expect(sent.map((url) => url.split('/').at(-1))).toEqual(['tables', 'sheets']);
    await page.unroute('**/events');
    await button(page, 'Try again').click();
    await page.getByRole('heading', { name: 'What runs on every row?' }).waitFor();
  });

  it('shows a viewer everything, and says what would be needed', async () => {
    const sheet = await sheetOf('A refund.');
    const { id } = await calculateScorecard(console.app.client, sheet, [regex('refund')]);
    const page = await console.openSigned('/console/evaluations/new', { key: viewer });
    await page.getByText('TABLE_EDIT').waitFor();
    expect(await page.getByLabel('Title of the table (optional)').isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.goto(page.url().replace(/new.*/, `runs?ids=${id}`));
    await rows(page).locator('pre', { hasText: 'A refund.' }).waitFor();
    await expectAccessible(page);
  });
});
