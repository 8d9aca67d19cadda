import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newDataset } from '../support/evaluations.js';
import { logCall } from '../support/otlp.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

type Answer = Record<string, unknown>;

const ROWS = '**/datasets/*/rows?*';
const LIST = '**/public/v2/datasets?*';

/** Changes the answers to such requests, until they are unrouted. */
async function alter(page: Page, url: string, change: (answer: Answer) => Answer): Promise<void> {
  const respond = async (route: Route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as Answer) });
  };
  await page.route(url, respond);
}

describe.skipIf(isBrowserMissing())('datasets', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  it('are created, get versions from a file and from requests, and are copied and deleted', async () => {
    await logCall(console.app.client, {});
    const page = await console.openSigned('/console/datasets');
    const dialog = page.getByRole('dialog');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await page.getByRole('heading', { name: 'There are no datasets yet' }).waitFor();
    await expectAccessible(page);
    await button('New dataset').click();
    await dialog.getByLabel('Name').fill('Golden answers');
    await dialog.getByRole('button', { name: 'Create the dataset' }).click();
    await page.waitForURL(/\/console\/datasets\/\d+$/);
    await page.getByText('This version has no rows.').waitFor();
    await button('Add a version from a file').click();
    const text = 'question,answer\nMay I return it?,Yes\nWhere is it?,On its way\n';
    await dialog
      .getByLabel('CSV or JSON file')
      .setInputFiles({ name: 'cases.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await dialog.getByRole('button', { name: 'Add the version' }).click();
    await page.getByRole('cell', { name: 'On its way' }).waitFor();
    expect(page.url()).toMatch(/version=\d+$/);
    await page.getByLabel('Search rows').fill('return');
    await page.getByText('1 row', { exact: true }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'dataset');
    await button('Add a version from requests').click();
    await page.getByText(/^1 call matches/).waitFor();
    await expectAccessible(page);
    await button('Add the version').click();
    await page.getByRole('combobox', { name: 'Version' }).getByText('Version 2').waitFor({ state: 'attached' });
    await page.getByText(/from a search of requests/).waitFor();
    await button('Create a draft').click();
    await button('Save the draft as a version').click();
    await page.getByRole('combobox', { name: 'Version' }).getByText('Version 3').waitFor({ state: 'attached' });
    await button('Copy to a table').click();
    await page.waitForURL(/\/console\/tables\/[\w-]+\/[\w-]+/);
    await page.keyboard.press('Control+k');
    await page.getByLabel('Where to').fill('golden');
    await page.getByRole('option', { name: /Golden answers.*Dataset/ }).click();
    await page.waitForURL(/\/console\/datasets\/\d+$/);
    await button('Delete').click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'There are no datasets yet' }).waitFor();
  });

  it('wait for rows that are being copied into a draft, and for a draft that is being saved', async () => {
    const { client } = console.app;
    const { groupId } = await newDataset(client, []);
    const { id } = await newDataset(client, [{ answer: 'Yes' }], groupId);
    const page = await console.openSigned(`/console/datasets/${groupId}?version=${id}`);
    await page.getByRole('cell', { name: 'Yes' }).waitFor();
    // A large dataset is copied in the background: first the draft has no rows, then it is not a version yet.
    await alter(page, ROWS, (answer) => ({ ...answer, total: 0, rows: [] }));
    await page.getByRole('button', { name: 'Create a draft' }).click();
    await page.getByText('This draft has no rows yet.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('cell', { name: 'Yes' }).waitFor();
    await alter(page, LIST, ({ datasets, ...answer }) => ({
      ...answer,
      datasets: (datasets as { version_number: number }[]).map((version) => ({
        ...version,
        version_number: version.version_number === 3 ? -1 : version.version_number,
      })),
    }));
    await page.getByRole('button', { name: 'Save the draft as a version' }).click();
    await page.getByText('The rows of the new version are being stored.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('combobox', { name: 'Version' }).getByText('Version 3').waitFor({ state: 'attached' });
  });

  it('say when they are not there', async () => {
    const page = await console.openSigned('/console/datasets/999999');
    await page.getByRole('heading', { name: 'Dataset not found' }).waitFor();
    await expectAccessible(page);
  });
});
