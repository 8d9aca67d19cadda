import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  addColumn,
  addCount,
  cellsOf,
  type Column,
  editCell,
  newSheet,
  settled,
  type TestSheet,
  valuesOf,
  versionOf,
} from '../support/factories.js';
import { FakeVendors, type VendorReply } from '../support/fake-vendors.js';
import { unansweredSheet } from '../support/external-cells.js';
import { addCredential } from '../support/model-credentials.js';
import { publishPrompt } from '../support/prompts.js';
import { calculateScore, configureScore } from '../support/scores.js';
import { until } from '../support/until.js';
import WaitingModule from '../support/waiting.extension.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';
import { cell, goTo, pathOf, shows } from './support/sheet-page.js';

const ENV = {
  OUTBOUND_ALLOW_PRIVATE: 'on',
  EXTERNAL_BACKOFF_MS: '10',
  LLM_DEFAULT_MODEL: 'openai/gpt-4.1-mini',
  TABLES_RECALC_CONFIRM_THRESHOLD: '3',
};

/** An answer that the model did not finish. */
function cutOff(content: string): VendorReply {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'length' }];
  const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
  return { raw: JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4.1', choices, usage }) };
}

/** Whether the browser asks for the field before it sends the form. */
const isMissing = (node: unknown) => (node as { validity: { valueMissing: boolean } }).validity.valueMissing;

describe.skipIf(isBrowserMissing())('what is computed in a sheet', () => {
  let console: ConsoleApp;
  let vendors: FakeVendors;
  beforeAll(async () => {
    vendors = await FakeVendors.start();
    console = await ConsoleApp.start({ env: ENV, extensions: [WaitingModule] });
    await addCredential(console.app.client, { provider: 'openai', base_url: `${vendors.url}/v1` });
    await publishPrompt(console.app.client, 'greeting', { message: 'Hello {name}!' });
  });
  afterEach(async () => {
    await console.closePages();
    vendors.reset();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await console.stop();
    await vendors.stop();
  });

  async function open(sheet: TestSheet, query = '', options: { dark?: boolean; width?: number } = {}): Promise<Page> {
    const page = await console.openSigned(`${pathOf(sheet)}${query}`, options);
    await page.getByRole('grid', { name: 'Cells' }).waitFor();
    return page;
  }

  const addButton = (page: Page) => page.getByRole('button', { name: 'Add a column' });
  const choose = (dialog: Locator, type: string) =>
    dialog.locator('label').getByText(type, { exact: true }).first().click();
  const recalculate = (page: Page) => page.getByRole('button', { name: 'Recalculate', exact: true });

  it('comes from a prompt and from a judge, which are added in forms made of their JSON Schema', async () => {
    vendors.reply = ({ text, body }) =>
      body.response_format
        ? { text: JSON.stringify({ reasoning: 'It greets.', citation: 'Hello', value: true }) }
        : text.includes('Grace')
          ? cutOff(text)
          : { text: `You said: ${text}` };
    const sheet = await newSheet(console.app.client, ['Ada', 'Grace']);
    const page = await open(sheet);
    await addButton(page).click();
    const dialog = page.getByRole('dialog', { name: 'Add a column' });
    await dialog.getByLabel('Title').fill('Greeting');
    await choose(dialog, 'Prompt');
    await dialog.getByRole('group', { name: 'Template', exact: true }).getByLabel('Prompt').fill('greeting');
    await dialog
      .getByLabel('Prompt template variable mappings: name', { exact: true })
      .selectOption({ label: 'Column A' });
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add and compute 2 rows' }).click();
    await shows(page, [1, 2], 'You said: Hello Ada!');
    await addButton(page).click();
    await dialog.getByLabel('Title').fill('Polite');
    await choose(dialog, 'LLM judge');
    await dialog.getByRole('button', { name: 'Add and compute' }).click();
    // The browser asks for the source, which is required.
    expect(await dialog.getByLabel('Source required').evaluate(isMissing)).toBe(true);
    await dialog.getByLabel('Source required').selectOption({ label: 'Greeting' });
    await dialog.getByRole('textbox', { name: 'Prompt', exact: true }).fill('Is it polite?');
    await dialog.getByRole('button', { name: 'Add and compute' }).click();
    await cell(page, 2, 3).getByText('✓ yes · It greets.').waitFor();
    await goTo(page, 1, 2);
    await page.keyboard.press('Space');
    const panel = page.getByRole('complementary', { name: 'Cell' });
    await panel.getByText('12 in, 5 out').waitFor();
    await goTo(page, 2, 2);
    await panel.getByText('The model stopped at its limit').waitFor();
    await goTo(page, 1, 3);
    await panel.getByRole('heading', { name: '✓ yes · Is it polite?' }).waitFor();
    expect(await panel.getByText('It greets.').textContent()).toBe('It greets.');
    expect(await panel.getByRole('blockquote').textContent()).toBe('Hello');
    expect(await page.getByRole('group', { name: 'Selected cell' }).textContent()).toContain('✓ yes · It greets.');
    await expectAccessible(page);
    // A column of the same prompt has the answers that are known, and says since when.
    const { data } = (await console.app.client.get(`${sheet.path}/columns`)) as { data: Column[] };
    const { type, config } = data.find(({ title }) => title === 'Greeting')!;
    await addColumn(console.app.client, sheet, { title: 'Again', type, config });
    await settled(console.app.client, sheet);
    await page.reload();
    await goTo(page, 2, 4);
    await panel.getByText(/^computed .* from the same inputs$/).waitFor();
    await panel.getByText('The model stopped at its limit').waitFor();
  });

  it('comes from types of extensions, whose refusals are shown in the form', async () => {
    vendors.reply = () => ({ text: 'x' });
    const sheet = await newSheet(console.app.client, ['fail']);
    const page = await open(sheet);
    await addButton(page).click();
    const dialog = page.getByRole('dialog', { name: 'Add a column' });
    await dialog.getByLabel('Title').fill('Code');
    await choose(dialog, 'Ask');
    await dialog.getByLabel('Source required').selectOption({ label: 'Column A' });
    await dialog.getByLabel('Url required').fill(`${vendors.url}/ask`);
    await dialog.getByRole('button', { name: 'Add and compute' }).click();
    await cell(page, 1, 2).getByText('failed').waitFor();
    await goTo(page, 1, 2);
    await page.keyboard.press('Space');
    await page.getByText('The service does not know.').waitFor();
    await addButton(page).click();
    await dialog.getByLabel('Title').fill('Prompt');
    await choose(dialog, 'Prompt');
    await dialog.getByRole('button', { name: 'Add and compute' }).click();
    await dialog.getByRole('alert').getByText('give either template or inline_template').waitFor();
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Prompt');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('has a plan, is confirmed, followed, cancelled and resumed', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['a', 'b', 'c', 'd', 'e', 'f']);
    const config = {
      template: { name: 'greeting' },
      prompt_template_variable_mappings: { name: 'Column A' },
    };
    const { id } = await addColumn(client, sheet, { title: 'Greeting', type: 'PROMPT_TEMPLATE', config });
    await settled(client, sheet);
    const edits = (await cellsOf(client, sheet, sheet.columnId)).map((each) => ({
      cell_id: each.id,
      value: `run ${each.row_index}`,
    }));
    await client.patch(`${sheet.path}/cells`, { cells: edits });
    vendors.reply = ({ text }) => (text.includes('run 5') ? 'hang' : { text: `Done: ${text}` });
    const page = await open(sheet);
    await page.getByRole('button', { name: '6 stale' }).waitFor();
    await recalculate(page).click();
    const dialog = page.getByRole('dialog', { name: 'Recalculate' });
    await dialog.getByRole('row', { name: /^Greeting 6 \$/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    // Only what is not in the plan that somebody has seen is asked about once more.
    await page.route('**/operations', async (route) => {
      const isPlan = route.request().postData()?.includes('dry_run') === true;
      if (!isPlan) return route.continue();
      const answer = await route.fetch();
      return route.fulfill({ response: answer, json: { ...((await answer.json()) as object), cell_count: 5 } });
    });
    await recalculate(page).click();
    await dialog.getByRole('button', { name: 'Compute 5 cells' }).click();
    await dialog.getByText('The sheet has changed. Recalculate 6 cells?').waitFor();
    await page.keyboard.press('Escape');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await dialog.waitFor({ state: 'detached' });
    expect((await cellsOf(client, sheet, id)).map(({ status }) => status)).toEqual(Array(6).fill('stale'));
    await recalculate(page).click();
    await dialog.getByRole('button', { name: 'Compute 6 cells' }).waitFor();
    await page.keyboard.press('Enter');
    const bar = page.getByRole('group', { name: 'Recalculation' });
    await bar.getByText('Recalculating: 5 of 6 cells').waitFor();
    await cell(page, 6, 2).getByText('running').waitFor({ state: 'attached' });
    // Users who come later see it, too.
    await page.reload();
    await bar.getByText('Recalculating: 5 of 6 cells').waitFor();
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled after 5 of 6 cells.').waitFor();
    await cell(page, 6, 2).getByText('stale').waitFor({ state: 'attached' });
    vendors.reset();
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByRole('button', { name: 'Compute 1 cell' }).waitFor();
    await page.keyboard.press('Enter');
    await shows(page, [6, 2], 'You said: Hello run 5!');
    await bar.waitFor({ state: 'detached' });
    const calls = vendors.calls.length;
    await recalculate(page).click();
    await dialog.getByLabel('Which cells').selectOption('All cells');
    await dialog.getByLabel('Reuse known results of 6 cells instead of calling again').check();
    await dialog.getByText('Estimated: $0, known results left out.').waitFor();
    await dialog.getByRole('button', { name: 'Compute 6 cells' }).click();
    await dialog.waitFor({ state: 'detached' });
    await settled(client, sheet);
    expect(vendors.calls.length).toBe(calls);
  });

  it('goes on in many operations, of which one has a stream, so that other requests find a connection', async () => {
    const { client } = console.app;
    const texts = Array.from({ length: 8 }, (_, row) => `waits ${row}`);
    vendors.reply = () => 'hang';
    const sheet = await unansweredSheet(client, `${vendors.url}/ask`, texts);
    for (const row of texts.keys()) {
      await client.post(
        `${sheet.path}/cells/recalculations`,
        { row_indices: [row], column_ids: [sheet.column.id] },
        202,
      );
    }
    const page = await console.openSigned('/console/tables');
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/events')) streams.push(request.url());
    });
    await page.goto(pathOf(sheet));
    const bars = page.getByRole('group', { name: 'Recalculation' });
    await bars
      .nth(texts.length - 1)
      .getByRole('button', { name: 'Cancel' })
      .click();
    await bars.nth(texts.length - 1).waitFor({ state: 'detached' });
    // One running operation and the cancelled one.
    expect(streams).toHaveLength(2);
  });

  it('fails in some rows, which are shown alone, and say why', async () => {
    const sheet = await newSheet(console.app.client, ['good', 'bad', 'good', 'bad']);
    const code = 'if (data["Column A"] === "bad") throw new Error("It is bad."); return 1';
    await addColumn(console.app.client, sheet, {
      title: 'Check',
      type: 'CODE_EXECUTION',
      config: { language: 'JAVASCRIPT', code },
    });
    await settled(console.app.client, sheet);
    const page = await open(sheet);
    await page.getByRole('button', { name: '2 failed' }).click();
    await page.getByText('2 of 4 rows × 2 columns').waitFor();
    await shows(page, [2, 1], 'bad');
    await goTo(page, 2, 2);
    await page.keyboard.press('Space');
    await page.getByText('Error: It is bad.').waitFor();
    expect(await page.locator('.value-bar .place').innerText()).toBe('Check · 4');
    await goTo(page, 2, 1);
    await page.keyboard.type('good');
    await page.keyboard.press('Enter');
    await until(async () => (await valuesOf(console.app.client, sheet))[3]![0] === 'good');
  });

  it('has columns that are renamed, changed and deleted', async () => {
    const sheet = await newSheet(console.app.client, ['one two']);
    await addCount(console.app.client, sheet, 'Length');
    await settled(console.app.client, sheet);
    const page = await open(sheet);
    await shows(page, [1, 2], '7');
    await page.getByRole('columnheader', { name: 'Length' }).getByRole('button').first().click();
    const dialog = page.getByRole('dialog', { name: 'Column' });
    await dialog.getByLabel('Title').fill('Words');
    await dialog.getByLabel('Type', { exact: false }).last().selectOption('words');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('columnheader', { name: 'Words' }).waitFor();
    await cell(page, 1, 2).getByText('stale').waitFor({ state: 'attached' });
    await page.getByRole('columnheader', { name: 'Words' }).getByRole('button').first().click();
    await dialog.getByRole('button', { name: 'Delete the column' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('1 row × 1').waitFor();
  });

  it('has versions that are named, compared, looked at and restored', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['before', 'same']);
    const page = await open(sheet, '?side=versions');
    await page.getByLabel('Name of this version').fill('My version');
    await page.getByRole('button', { name: 'Save' }).click();
    const versions = page.getByRole('complementary', { name: 'Versions' });
    await versions.getByText('My version').waitFor();
    const [first] = await cellsOf(client, sheet, sheet.columnId);
    await editCell(client, sheet, first!, { value: 'after' });
    await addCount(client, sheet, 'Length');
    await settled(client, sheet);
    const mine = versions.getByRole('listitem').filter({ hasText: 'My version' });
    await mine.getByRole('button', { name: 'Compare with now' }).click();
    const changes = versions.getByRole('region', { name: 'Differences' });
    await changes.getByText('“Length”').waitFor();
    await changes.locator('del', { hasText: 'before' }).waitFor();
    await changes.locator('ins', { hasText: 'after' }).waitFor();
    await expectAccessible(page);
    await changes.getByRole('button', { name: 'All versions' }).click();
    await mine.getByRole('button', { name: 'Open' }).click();
    await shows(page, [1, 1], 'before');
    expect(await addButton(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await shows(page, [1, 1], 'after');
    await mine.getByRole('button', { name: 'Restore' }).click();
    await page.keyboard.press('Enter');
    await shows(page, [1, 1], 'before');
    await page.getByText('2 rows × 1 column').waitFor();
    expect(await valuesOf(client, sheet)).toEqual([['before'], ['same']]);
  });

  it('has a score and its history', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['1234', '12345678']);
    await addCount(client, sheet, 'Length');
    await settled(client, sheet);
    const page = await open(sheet, '?side=score');
    const score = page.getByRole('complementary', { name: 'Score' });
    await score.getByText('This sheet has no score yet.').waitFor();
    await score.getByRole('button', { name: 'Calculate' }).click();
    await score.locator('.big-score', { hasText: '6' }).waitFor();
    await score.getByRole('img', { name: /^Score over 1 versions: from 6 to 6/ }).waitFor();
    await expectAccessible(page);
  });

  it('finds the version at which the score fell', async () => {
    const { client } = console.app;
    const rows = Array.from({ length: 8 }, (_, row) => row);
    const sheet = await newSheet(
      client,
      rows.map(() => '5'),
    );
    await configureScore(client, sheet, { score_type: 'numeric', column_names: ['Column A'] });
    await calculateScore(client, sheet);
    const write = (value: string) =>
      client.patch(`${sheet.path}/cells`, {
        cells: rows.map((row_index) => ({ row_index, column: 'Column A', value })),
      });
    await write('6');
    await write('1');
    const fell = await versionOf(client, sheet);
    await write('2');
    await calculateScore(client, sheet);
    const page = await open(sheet, '?side=score');
    const search = page.getByRole('region', { name: 'Where the score fell' });
    await search.getByRole('button', { name: 'Find where the score fell' }).click();
    await search.getByText(`The score fell at version ${fell}; version ${fell - 1} was still good.`).waitFor();
    await search.getByText(`Version ${fell} is lower`).waitFor();
    await expectAccessible(page);
    await search.getByRole('button', { name: `Open version ${fell}` }).click();
    await shows(page, [1, 1], '1');
  });

  it.each([
    ['column', true],
    ['recalculate', true],
    ['versions', true],
  ])('is accessible in the dark: %s', async (what) => {
    const sheet = await newSheet(console.app.client, ['a']);
    const page = await open(sheet, what === 'versions' ? '?side=versions' : '', { dark: true, width: 1024 });
    if (what === 'column') await addButton(page).click();
    if (what === 'recalculate') await recalculate(page).click();
    await page
      .getByText(what === 'versions' ? 'cell changed' : what === 'column' ? 'required' : 'No matching cells')
      .first()
      .waitFor();
    await expectAccessible(page);
  });
});
