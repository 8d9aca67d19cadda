import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contains, newDataset, newReport, runReport } from '../support/evaluations.js';
import { newSheet } from '../support/factories.js';
import { calculateScorecard } from '../support/scorecards.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('evaluations', () => {
  let console: ConsoleApp;
  let viewer: string;
  let pipeline: number;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    viewer = ((await client.post(keys, { role: 'viewer' }, 201)) as { secret: string }).secret;
    const rows = Array.from({ length: 12 }, (_, at) => ({ answer: at % 2 ? 'A <b>refund</b>' : 'No.' }));
    const { id, columns } = await newReport(client, await newDataset(client, rows), [contains('Good', 'refund')], {
      name: 'Refunds',
    });
    pipeline = id;
    await runReport(client, id, { name: 'First' });
    const column = columns.find(({ name }) => name === 'Good')!;
    await client.patch(`/report-columns/${column.id}`, {
      report_id: id,
      column_type: 'CONTAINS',
      configuration: { source: 'answer', value: 'money' },
    });
    await runReport(client, id, { name: 'Second' });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const scores = (page: Page) => page.getByRole('table', { name: 'Scores of sheets' });
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

  it('lists evaluations with how their newest run came out', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('link', { name: 'Evaluations', exact: true }).click();
    await row(page, 'Refunds').getByText('completed').waitFor();
    await page.getByLabel('Search evaluations').fill('nobody');
    await page.getByText('only evaluations with “nobody” in the name').waitFor();
    await page.getByRole('button', { name: 'Show all evaluations' }).click();
    await page.getByRole('link', { name: 'Refunds' }).click();
    await page.getByRole('heading', { name: 'Refunds' }).waitFor();
  });

  it('lists how sheets came out last, and leads to the score of each', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['a', 'bb', 'ccc', 'dddd']);
    const config = { source: 'Column A', type: 'chars', max_count: 2 };
    await calculateScorecard(client, sheet, [{ title: 'Short', primitive_type: 'COUNT', primitive_config: config }]);
    const page = await console.openSigned('/console/evaluations');
    await scores(page)
      .getByRole('row')
      .filter({ hasText: 'Sheet 1' })
      .getByText(/^50\.0 % \(\d+\.\d % to \d+\.\d %\)$/)
      .waitFor();
    await expectAccessible(page);
    await scores(page).getByRole('link', { name: 'Sheet 1' }).click();
    await page.getByRole('complementary', { name: 'Score' }).waitFor();
  });

  it('says what became worse, by how much, and opens the rows', async () => {
    const page = await console.openSigned(`/console/evaluations/${pipeline}`);
    await page.getByText(/^50\.0 points worse \(.*\): more than chance would explain \(p = 0\.031\)\.$/).waitFor();
    await page.getByText('6 worse, 0 better of 12').waitFor();
    const [warning] = await page.getByText(/“Good” has different settings|points worse/).allInnerTexts();
    expect(warning).toContain('“Good” has different settings in the other run.');
    await page.getByText(/^50\.0 % \(\d+\.\d % to \d+\.\d %\)$/).waitFor();
    const changes = page.getByRole('table', { name: 'Rows that changed' });
    expect(await changes.getByText('worse').count()).toBe(6);
    await changes.getByRole('button', { name: 'Open' }).first().click();
    await page.waitForURL(/row=1/);
    await row(page, 'A <b>refund</b>').waitFor();
    await row(page, 'Good').getByText('true', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 500 });
    await page.reload();
    await page.getByRole('heading', { name: 'Row 2' }).waitFor();
    await row(page, 'A <b>refund</b>').waitFor();
    expect((await page.getByRole('region', { name: 'Row 2', exact: true }).boundingBox())!.y).toBeLessThan(500);
  });

  it('starts a run and shows how significant the difference is', async () => {
    const page = await console.openSigned(`/console/evaluations/${pipeline}`);
    await page.getByRole('button', { name: 'Start a run' }).click();
    await page.getByLabel('Name').fill('Third');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await row(page, 'Third').getByText('completed').waitFor();
    await page.getByText('The same score in 12 rows: too few rows to tell').waitFor();
    await page.getByText('No rows changed.').waitFor();
    await page.getByLabel('Compare with').selectOption({ index: 1 });
    await page.waitForURL(/against=/);
    await page.getByText('50.0 points worse').waitFor();
    await page.getByRole('button', { name: 'First', exact: true }).click();
    await page.getByText('so there is nothing to compare with yet').waitFor();
    expect(await page.getByText(/has different settings/).count()).toBe(0);
  });

  it('lets a key without permissions look, and says what starting needs', async () => {
    const page = await console.openSigned(`/console/evaluations/${pipeline}`, { key: viewer });
    await row(page, 'First').waitFor();
    const start = page.getByRole('button', { name: 'Start a run' });
    expect(await start.isDisabled()).toBe(true);
    expect(await start.getAttribute('title')).toBe('This needs the permission REPORT_EDIT.');
  });

  it('says that an evaluation is not there', async () => {
    const page = await console.openSigned('/console/evaluations/999999');
    await page.getByRole('alert').getByText('Report 999999 was not found in this workspace.').waitFor();
  });

  it.each([
    [false, 1440],
    [true, 1024],
  ])('is accessible, dark: %s, at %d px', async (dark, width) => {
    const page = await console.openSigned('/console/evaluations', { dark, width });
    await row(page, 'Refunds').waitFor();
    await expectAccessible(page);
    await page.goto(`/console/evaluations/${pipeline}`);
    await page.getByRole('heading', { name: 'Good' }).waitFor();
    await expectAccessible(page);
  });
});
