import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { llmSpan, send, spanId, traceId } from '../support/otlp.js';
import { labelsOf, publishPrompt, readPrompt, textsOf } from '../support/prompts.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible } from './support/console-app.js';

const HOSTILE = '<img src=x onerror="document.title=1"> {question}';

describe.skipIf(isBrowserMissing())('prompts', () => {
  let console: ConsoleApp;
  let viewer: string;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    viewer = ((await client.post(keys, { role: 'viewer' }, 201)) as { secret: string }).secret;
    const model = { provider: 'openai', name: 'gpt-4o-mini', parameters: { temperature: 1, top_p: 1 } };
    await publishPrompt(client, 'support/answer', {
      message: 'Answer the question.\n{question}\nBe brief.',
      version: { metadata: { model } },
    });
    await publishPrompt(client, 'support/answer', {
      message: 'Answer the question.\n{question}\nBe brief and kind.',
      labels: ['production'],
      version: { commit_message: 'Kinder', metadata: { model } },
    });
    await publishPrompt(client, 'hostile', { message: HOSTILE });
    const more = { 'promptlayer.prompt.name': 'support/answer', 'promptlayer.prompt.version': '2' };
    const ids = () => ({ traceId: traceId(), spanId: spanId() });
    await send(client, [
      llmSpan({ more }, ids()),
      llmSpan({ more }, { ...ids(), status: { code: 2, message: 'Overloaded' } }),
    ]);
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const dialog = (page: Page) => page.getByRole('dialog');
  const labelRow = (page: Page, label: string) => dialog(page).getByRole('row').filter({ hasText: label });
  const openPrompt = async (name = 'support/answer', path = '/console/prompts', key?: string) => {
    const page = await console.openSigned(path, { key });
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    return page;
  };

  it('lists prompts with their labels, finds them by name and by label', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('link', { name: 'Prompts', exact: true }).click();
    await row(page, 'support/answer').getByText('production v2').waitFor();
    await page.getByLabel('Search prompts').fill('host');
    await page.waitForURL(/q=host/);
    await page.getByText('1 prompt', { exact: true }).waitFor();
    await page.getByLabel('Search prompts').fill('nobody');
    await page.getByText('only prompts with “nobody” in the name').waitFor();
    await button(page, 'Show all prompts').click();
    await button(page, 'production v2').click();
    await page.waitForURL(/label=production/);
    await page.getByText('1 prompt', { exact: true }).waitFor();
    await page.goBack();
    await row(page, 'hostile').waitFor();
  });

  it('puts versions side by side with what their calls add up to, and shows what changed', async () => {
    const page = await openPrompt();
    const second = row(page, 'Kinder');
    await second.getByRole('link', { name: '2', exact: true }).waitFor();
    await second.getByText('1 (50.0 %)').waitFor();
    expect(await second.getByRole('link').getAttribute('href')).toMatch(/\/console\/logs\?.*support%2Fanswer/);
    expect(await row(page, 'v1').getByText('none').count()).toBe(1);
    await page.getByLabel('Compare with').selectOption('Compared with version 1');
    await page.waitForURL(/against=1/);
    await page.locator('.diff .added', { hasText: 'Be brief and kind.' }).waitFor();
    await page.locator('.diff .removed', { hasText: 'Be brief.' }).waitFor();
    expect(await page.locator('.diff .added, .diff .removed').count()).toBe(2);
    await expectAccessible(page);
    await page.reload();
    await page.locator('.diff .added').waitFor();
    await button(page, 'v1').click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await page.goBack();
    await page.locator('.diff .added').waitFor();
  });

  it('publishes a version, tries it with variables and moves a label to it', async () => {
    const { client } = console.app;
    const page = await openPrompt();
    await button(page, 'Edit as a new version').click();
    await page.getByLabel('Message of user').fill('Answer in one sentence: {question}');
    await button(page, 'Add a message').click();
    await page.getByLabel('Message of user').last().fill('Sign as {name}.');
    await page.getByLabel('Parameters of the model').fill('[1]');
    await button(page, 'Publish').click();
    await dialog(page).getByRole('alert').getByText('Parameters are a JSON object').waitFor();
    await page.getByLabel('Parameters of the model').fill('{"top_p": 0.5}');
    await page.getByLabel('Commit message').fill('One sentence');
    await page.getByLabel('Model', { exact: true }).fill('gpt-4.1-mini');
    await page.getByLabel('Tools, as a JSON list').fill('[{');
    await button(page, 'Publish').click();
    await dialog(page).getByRole('alert').getByText('The tools: this is no valid JSON.').waitFor();
    await page
      .getByLabel('Tools, as a JSON list')
      .fill(JSON.stringify([{ type: 'function', function: { name: 'find' } }]));
    await page.getByLabel('Release label').fill('next');
    await dialog(page).getByText('lines differ').click();
    await dialog(page).locator('.diff .added', { hasText: 'openai/gpt-4.1-mini' }).waitFor();
    await expectAccessible(page);
    await button(page, 'Publish').click();
    await page.getByRole('heading', { name: 'Version 3', exact: true }).waitFor();
    expect(await labelsOf(client, 'support/answer')).toEqual({ production: 2, next: 3 });
    const published = await readPrompt(client, 'support/answer');
    expect(textsOf(published)).toEqual(['Answer in one sentence: {question}', 'Sign as {name}.']);
    expect(published).toMatchObject({
      version: 3,
      commit_message: 'One sentence',
      prompt_template: { tools: [{ type: 'function', function: { name: 'find' } }] },
      metadata: { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: { top_p: 0.5 } } },
    });
    expect(published.metadata!.model!.parameters).toEqual({ top_p: 0.5 });

    await button(page, 'Try').click();
    await page.getByLabel('question').fill('Where is my parcel?');
    await button(page, 'Show the messages').click();
    await dialog(page).getByText('Answer in one sentence: Where is my parcel?').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');

    await button(page, 'Labels').click();
    await labelRow(page, 'production').getByRole('button', { name: 'Move to v3' }).click();
    await labelRow(page, 'production').getByRole('cell', { name: 'v3', exact: true }).waitFor();
    await page.getByLabel('New label').fill('canary');
    await button(page, 'Add label to v3').click();
    await labelRow(page, 'canary').waitFor();
    await expectAccessible(page);
    expect(await labelsOf(client, 'support/answer')).toEqual({ production: 3, canary: 3, next: 3 });
    await button(page, 'Add label to v3').click();
    await dialog(page).getByText('already has a release label canary').waitFor();
    await labelRow(page, 'canary').getByRole('button', { name: 'Remove' }).click();
    await dialog(page).getByText('Applications that ask for it fail').waitFor();
    await expectAccessible(page);
    expect(await labelsOf(client, 'support/answer')).toMatchObject({ canary: 3 });
    await button(page, 'Remove').click();
    await labelRow(page, 'canary').waitFor({ state: 'detached' });
  });

  it('keeps the other fields of messages when one is removed, and the model when it is emptied', async () => {
    const { client } = console.app;
    const part = (text: string) => [{ type: 'text', text }];
    const called = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } };
    const { prompt_template: first } = await publishPrompt(client, 'support/calls', {
      template: {
        type: 'chat',
        messages: [
          { role: 'user', name: 'Ada', content: part('Find it') },
          { role: 'assistant', content: null, tool_calls: [called] },
          { role: 'tool', tool_call_id: 'c1', content: part('Found') },
          { role: 'user', content: part('{{ a }}'), template_format: 'jinja2' },
        ],
      },
    });
    const page = await openPrompt('support/calls');
    await button(page, 'Edit as a new version').click();
    await button(page, 'Remove').first().click();
    await page.getByLabel('Model', { exact: true }).fill('');
    await button(page, 'Publish').click();
    await dialog(page).getByRole('alert').getByText('A version cannot lose its model.').waitFor();
    await page.getByLabel('Model', { exact: true }).fill('gpt-4o-mini');
    await button(page, 'Publish').click();
    await page.getByRole('heading', { name: 'Version 2', exact: true }).waitFor();
    const { prompt_template: second } = await readPrompt(client, 'support/calls');
    expect(second.messages).toEqual(first.messages!.slice(1));
  });

  it('calls versions identical only when nothing in them differs', async () => {
    const { client } = console.app;
    const publish = (more: object) =>
      publishPrompt(client, 'support/hidden', {
        template: { type: 'chat', messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], ...more },
      });
    for (const more of [{}, {}, { tool_choice: 'auto' }]) await publish(more);
    const page = await openPrompt('support/hidden');
    await page.getByLabel('Compare with').selectOption('Compared with version 2');
    await page.locator('.diff .added', { hasText: '"tool_choice": "auto"' }).waitFor();
    await button(page, 'v2').click();
    await page.getByLabel('Compare with').selectOption('Compared with version 1');
    await page.getByText('Versions 1 and 2 are identical.').waitFor();
  });

  it('creates a prompt', async () => {
    const page = await console.openSigned('/console/prompts');
    await button(page, 'New prompt').click();
    await page.getByLabel('Name').fill('greeting');
    await page.getByLabel('User message').fill('Greet {name}');
    await button(page, 'Publish').click();
    await page.getByRole('heading', { name: 'greeting' }).waitFor();
    await page.getByText('No model').waitFor();
  });

  it('shows text of strangers as text', async () => {
    const page = await openPrompt('hostile');
    await page.getByText(HOSTILE).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });

  it('lets a key without permissions read and try, and names the missing permissions', async () => {
    const page = await openPrompt('hostile', '/console/prompts', viewer);
    for (const [name, permission] of [
      ['Edit as a new version', 'PROMPT_EDIT'],
      ['Labels', 'PROMPT_DEPLOY'],
    ] as const) {
      expect(await button(page, name).isDisabled()).toBe(true);
      expect(await button(page, name).getAttribute('title')).toBe(`This needs the permission ${permission}.`);
    }
    await button(page, 'Try').click();
    await button(page, 'Show the messages').click();
    await dialog(page).getByLabel('Messages sent to the model').waitFor();
  });

  it('says that a prompt is not there', async () => {
    const page = await console.openSigned('/console/prompts/4711');
    await page.getByRole('alert').getByText('Prompt 4711 was not found in this workspace.').first().waitFor();
    await expectAccessible(page);
  });

  it.each([
    [false, 1440],
    [true, 1024],
  ])('is accessible, dark: %s, at %d px', async (dark, width) => {
    const page = await console.openSigned('/console/prompts', { dark, width });
    await row(page, 'support/answer').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'support/answer' }).click();
    await page.getByRole('heading', { name: /^Version / }).waitFor();
    await row(page, 'Kinder').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Compare with').selectOption('Compared with version 1');
    await page.locator('.diff').waitFor();
    await expectAccessible(page);
  });
});
