import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { code, edge, nodesOf, saveWorkflow, startRun, when } from '../support/workflow-runs.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

const HOSTILE = '<img src=x onerror="document.title=1">';
const inputs = { question: 'string', limit: 'integer', options: 'object' };
const nodes = [
  code('Words', 'return data.question.split(" ")', ['question']),
  code('Count', 'return data.Words.length', ['Words']),
  code('Long', `return { answer: "${HOSTILE.replaceAll('"', '\\"')}", count: data.Count, options: data.options }`, [
    'Count',
    'options',
  ]),
  code('Short', 'return "short"', ['Count']),
].map((node) => ({ ...node, is_output_node: node.name === 'Long' || node.name === 'Short' }));
const first = { ...nodes[0]!, is_output_node: true };
const edges = [
  edge('Count', 'Long', when({ of: 'Count' }, '>', { of: 'limit' })),
  edge('Count', 'Short', when({ of: 'Count' }, '<=', { of: 'limit' })),
];

describe.skipIf(isBrowserMissing())('workflows', () => {
  let console: ConsoleApp;
  let triage: number;
  let run: number;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    await saveWorkflow(client, { name: 'triage', inputs: { question: 'string' }, nodes: [first] });
    const graph = { workflow_name: 'triage', inputs, nodes, edges, release_labels: ['production'] };
    triage = (await saveWorkflow(client, graph)).id;
    await saveWorkflow(client, { name: 'nothing else', nodes: [code('One', 'return 1')] });
    run = await startRun(
      client,
      triage,
      { question: 'Where is it?', limit: 5, options: {} },
      { metadata: { by: 'me' } },
    );
    await nodesOf(client, run);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const box = (page: Page, name: string) => page.locator('.graph-box', { hasText: name });
  const dialog = (page: Page) => page.getByRole('dialog');
  const panel = (page: Page, name: string) => page.getByRole('complementary', { name, exact: true });

  it('lists workflows with labels and the newest run, and finds them by name, also from the palette', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('link', { name: 'Workflows', exact: true }).click();
    const listed = row(page, 'triage');
    await listed.getByText('production').waitFor();
    expect(await listed.innerText()).toMatch(/v2/);
    await listed.getByRole('link', { name: /^finished/ }).waitFor();
    await row(page, 'nothing else').getByText('never').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Search workflows').fill('TRI');
    await page.getByText('1 workflow', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Where to').fill('else');
    await page.getByRole('option', { name: /nothing else/ }).click();
    await page.getByRole('heading', { name: 'nothing else' }).waitFor();
    await page.getByText('This workflow was never run.').waitFor();
  });

  it('shows the graph of a version with its guards, and a run with the states of its nodes', async () => {
    const page = await console.openSigned(`/console/workflows/${triage}`);
    await page.getByRole('heading', { name: 'Version 2', exact: true }).waitFor();
    await box(page, 'Long').getByText('Code · output').waitFor();
    await box(page, 'question').getByText('input · string').waitFor();
    await page.locator('.graph-arrow', { hasText: 'Count <= limit' }).waitFor();
    await box(page, 'Long').click();
    await panel(page, 'Node').getByText('Count > limit').waitFor();
    await panel(page, 'Node').getByText('count: data.Count').waitFor();
    await expectAccessible(page);
    await button(page, String(run)).click();
    await page.waitForURL(new RegExp(`run=${run}`));
    await box(page, 'Long').getByText('skipped').waitFor();
    await box(page, 'Short').getByText('done').waitFor();
    await panel(page, 'Run').getByText('Where is it?').waitFor();
    await panel(page, 'Run').getByRole('heading', { name: 'Short' }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'workflow-run');
    await page.reload();
    await box(page, 'Count').focus();
    await page.keyboard.press('Space');
    await panel(page, 'Node').getByText('[ 3 ]').waitFor();
    await panel(page, 'Node').getByRole('heading', { name: 'output' }).waitFor();
    await page.keyboard.press('Escape');
    await panel(page, 'Run').waitFor();
    await page.keyboard.press('Escape');
    await panel(page, 'Run').waitFor({ state: 'detached' });
    await button(page, 'v1').click();
    await page.getByRole('heading', { name: 'Version 1', exact: true }).waitFor();
    expect(await box(page, 'Long').count()).toBe(0);
  });

  it('runs a version with inputs, follows it to its end, and runs it again', async () => {
    const page = await console.openSigned(`/console/workflows/${triage}`);
    await button(page, 'Run with inputs').click();
    await page.getByLabel('question').fill('one two three');
    await page.getByLabel('limit').fill('two');
    await page.getByRole('textbox', { name: 'options' }).fill('{"a": 1}');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Run version 2' }).click();
    await dialog(page).getByRole('alert').getByText('The input limit is an integer.').waitFor();
    await page.getByLabel('limit').fill('2.5');
    await dialog(page).getByRole('button', { name: 'Run version 2' }).click();
    await dialog(page).getByRole('alert').getByText('should be an integer').waitFor();
    await page.getByLabel('limit').fill('2');
    await dialog(page).getByRole('button', { name: 'Run version 2' }).click();
    await panel(page, 'Run').getByText(HOSTILE).waitFor();
    await box(page, 'Short').getByText('skipped').waitFor();
    await panel(page, 'Run').getByText('finished').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    const trace = panel(page, 'Run').getByRole('link', { name: 'Open its trace' });
    expect(await trace.getAttribute('href')).toMatch(/\/console\/traces\/[0-9a-f]{32}$/);
    await button(page, 'Run again').click();
    expect(await page.getByLabel('question').inputValue()).toBe('one two three');
    expect(JSON.parse(await page.getByRole('textbox', { name: 'options' }).inputValue())).toEqual({ a: 1 });
    await page.getByLabel('limit').fill('9');
    await dialog(page).getByRole('button', { name: 'Run version 2' }).click();
    await box(page, 'Long').getByText('skipped').waitFor();
  });

  it('cancels a run that goes on', async () => {
    const { client } = console.app;
    const endless = await saveWorkflow(client, { name: 'endless', nodes: [code('Loop', 'while (true) {}')] });
    const id = await startRun(client, endless.id);
    const page = await console.openSigned(`/console/workflows/${endless.id}?run=${id}`);
    await button(page, 'Cancel the run').click();
    await dialog(page).getByText('Nodes that are not computed yet fail.').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Cancel the run' }).click();
    await panel(page, 'Run').getByText('cancelled', { exact: true }).waitFor();
    await box(page, 'Loop').getByText('failed').waitFor();
  });

  it('are written in forms or as JSON, with errors of the server at their nodes', async () => {
    const page = await console.openSigned('/console/workflows');
    await button(page, 'New workflow').click();
    const part = (name: string) =>
      page.getByRole('navigation', { name: 'Parts of the workflow' }).getByRole('button', { name });
    const add = (type: string) => page.getByLabel('Add a node', { exact: true }).selectOption(type);
    await page.getByLabel('Name of input 1').fill('text');
    await page.keyboard.press('Enter');
    await add('COUNT');
    await box(page, 'text').waitFor();
    const node = page.getByRole('region', { name: 'Node Count' });
    await node.getByLabel('Name').fill('Words');
    await page.keyboard.press('Enter');
    await box(page, 'Words').waitFor();
    await add('CODE_EXECUTION');
    const second = page.getByRole('region', { name: /^Node (?!Words)/ });
    await second.getByLabel('Name').fill('Long');
    await page.keyboard.press('Enter');
    await second.getByLabel('Code').fill('return data.Words + " words"');
    await second.getByLabel('Language').selectOption('JAVASCRIPT');
    await second.getByRole('checkbox', { name: 'Words' }).check();
    await second.getByLabel('Add conditions').selectOption('After Words, only when…');
    await second.getByLabel('Comparison').selectOption('is more than');
    await second.getByLabel('With: value').fill('2');
    await page.locator('.graph-arrow', { hasText: 'Words > 2' }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'workflow-editor');
    await button(page, 'Review and publish').click();
    const publish = page.getByRole('region', { name: 'Publish' });
    await publish.getByLabel('Name').fill('counting');
    await publish.getByLabel('Commit message').fill('Begun');
    await button(page, 'Create the workflow').click();
    await publish.getByRole('list', { name: 'What does not fit' }).getByRole('button', { name: 'Words' }).click();
    await page.getByRole('region', { name: 'Node Words' }).getByRole('alert').getByText('source').waitFor();
    await box(page, 'Words').getByText('does not fit').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'workflow-faults');
    await page.getByRole('region', { name: 'Node Words' }).getByLabel('Source').selectOption('text');
    await page.getByRole('region', { name: 'Node Words' }).getByLabel('Type').selectOption('words');
    await box(page, 'Words').getByText('COUNT').waitFor();
    await page.getByLabel('Edit as').selectOption('JSON');
    const json = page.getByLabel('The version as JSON');
    const text = await json.inputValue();
    expect(JSON.parse(text)).toMatchObject({ nodes: [{ dependencies: ['text'] }, { dependencies: ['Words'] }] });
    await json.fill(text.slice(1));
    await page.getByRole('alert').getByText('This is no valid JSON').waitFor();
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await button(page, 'Keep editing').click();
    await json.fill(text.replace('"is_output_node": false', '"is_output_node": true'));
    await expectAccessible(page);
    await part('Long').click();
    await page.getByRole('checkbox', { name: 'Its value is a result' }).waitFor();
    await button(page, 'Review and publish').click();
    expect(await publish.getByLabel('Commit message').inputValue()).toBe('Begun');
    await button(page, 'Create the workflow').click();
    await page.getByRole('heading', { name: 'Version 1', exact: true }).waitFor();
    await box(page, 'Long').getByText('output').waitFor();
    await page.getByRole('link', { name: 'Edit as a new version' }).click();
    await part('Long').click();
    await button(page, 'Delete the node').click();
    await button(page, 'Review and publish').click();
    await publish.getByText(/lines differ/).click();
    await publish.getByLabel('Release label').fill('live');
    await expectAccessible(page);
    await button(page, 'Publish the version').click();
    await row(page, 'v2').getByText('live').waitFor();
    await button(page, 'v1').click();
    await page.getByRole('heading', { name: 'Version 1', exact: true }).waitFor();
    await button(page, 'Labels').click();
    await dialog(page).getByRole('button', { name: 'Move to v1' }).click();
    await dialog(page).getByRole('cell', { name: 'v1', exact: true }).waitFor();
  });

  /** A workflow with a node whose empty text is a value, and one with a field for JSON. */
  async function openEditor(): Promise<Page> {
    const kept = [
      { name: 'Any', node_type: 'CONTAINS', configuration: { source: 'question', value: '' } },
      { name: 'Fits', node_type: 'STRUCTURE', configuration: { schema: {}, source: 'question' } },
    ].map((node) => ({ ...node, dependencies: ['question'] }));
    const { id } = await saveWorkflow(console.app.client, { inputs: { question: 'string' }, nodes: kept });
    const page = await console.openSigned(`/console/workflows/${id}`);
    await page.getByRole('link', { name: 'Edit as a new version' }).click();
    await part(page, 'Any').waitFor();
    return page;
  }
  const part = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Parts of the workflow' }).getByRole('button', { name });

  it('are not published while a field holds invalid JSON, and untouched nodes stay as they were', async () => {
    const page = await openEditor();
    await part(page, 'Fits').click();
    const schema = page.getByLabel('Schema');
    await schema.fill('{"type": ');
    await page.getByRole('alert').getByText('Schema: This is not JSON.').waitFor();
    await expectAccessible(page);
    expect(await button(page, 'Review and publish').isDisabled()).toBe(true);
    expect(await part(page, 'Any').isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await button(page, 'Keep editing').click();
    expect(await schema.inputValue()).toBe('{"type": ');
    await schema.fill('{"type": "array"}');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await button(page, 'Review and publish').click();
    await button(page, 'Publish the version').click();
    await page.getByRole('heading', { name: 'Version 2', exact: true }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const { nodes: published } = (await console.app.client.get(`/workflows/${id}`)) as { nodes: object[] };
    expect(published).toMatchObject([
      { name: 'Any', configuration: { source: 'question', value: '' } },
      { name: 'Fits', configuration: { source: 'question', schema: { type: 'array' } } },
    ]);
  });

  it('keep JSON that was typed when the browser goes back', async () => {
    const page = await openEditor();
    await page.getByLabel('Edit as').selectOption('JSON');
    await page.getByLabel('The version as JSON').fill('{"nodes": ');
    await page.goBack();
    await button(page, 'Keep editing').click();
    expect(await page.getByLabel('The version as JSON').inputValue()).toBe('{"nodes": ');
  });

  it('refuse integers in conditions that would be rounded', async () => {
    const page = await openEditor();
    await part(page, 'Fits').click();
    await page.getByLabel('Add conditions').selectOption('After question, only when…');
    await page.getByLabel('Comparison').selectOption('is more than');
    const value = page.getByLabel('With: value');
    await value.fill('9007199254740993');
    await page.getByRole('alert').getByText('9007199254740993 would be rounded').waitFor();
    await expectAccessible(page);
    expect(await button(page, 'Review and publish').isDisabled()).toBe(true);
    await value.fill('"9007199254740993"');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.locator('.graph-arrow', { hasText: 'question > "9007' }).waitFor();
    await value.fill('-9007199254740993');
    await button(page, 'Remove condition 1').click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await button(page, 'Review and publish').isDisabled()).toBe(false);
  });

  it('show the end of a run in the list', async () => {
    const { client } = console.app;
    const { id } = await saveWorkflow(client, { name: 'slow', nodes: [code('Loop', 'while (true) {}')] });
    const going = await startRun(client, id);
    const page = await console.openSigned('/console/workflows?q=slow');
    await row(page, 'slow')
      .getByRole('link', { name: /^running/ })
      .waitFor();
    await client.post(`/workflow-version-executions/${going}/cancel`, {}, 200);
    await row(page, 'slow')
      .getByRole('link', { name: /^cancelled/ })
      .waitFor();
  });

  it('says that a workflow is not there', async () => {
    const page = await console.openSigned('/console/workflows/4711');
    await page.getByRole('alert').first().getByText('not found').first().waitFor();
    await expectAccessible(page);
  });

  it('is accessible in the dark, in half a window', async () => {
    const look = { dark: true, width: 1024 };
    const page = await console.openSigned(`/console/workflows/${triage}?run=${run}`, look);
    await panel(page, 'Run').getByText('Where is it?').waitFor();
    await expectAccessible(page);
  });
});
