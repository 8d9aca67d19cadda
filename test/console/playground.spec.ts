import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newSheet } from '../support/factories.js';
import { chatStream } from '../support/fake-streams.js';
import { FakeVendors } from '../support/fake-vendors.js';
import { addCredential } from '../support/model-credentials.js';
import { llmSpan, send, spanId, traceId } from '../support/otlp.js';
import { publishPrompt, readPrompt, textsOf } from '../support/prompts.js';
import { createTool } from '../support/tools.js';
import { until } from '../support/until.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

const ECHO = { provider: 'tracesheet', name: 'echo', parameters: { temperature: 0.5, max_tokens: 99 } };

describe.skipIf(isBrowserMissing())('the playground', () => {
  let console: ConsoleApp;
  let vendors: FakeVendors;
  let viewer: string;
  let prompt: number;
  beforeAll(async () => {
    vendors = await FakeVendors.start();
    console = await ConsoleApp.start({ env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
    const { client } = console.app;
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    viewer = ((await client.post(keys, { role: 'viewer' }, 201)) as { secret: string }).secret;
    await addCredential(client, { provider: 'openai', base_url: `${vendors.url}/v1` });
    const published = await publishPrompt(client, 'support/reply', {
      message: 'Answer {question} kindly.',
      version: { metadata: { model: ECHO } },
    });
    prompt = published.id;
  });
  afterEach(async () => {
    vendors.reset();
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await console.stop();
    await vendors.stop();
  });

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const variant = (page: Page, letter: string) => page.getByRole('region', { name: `Variant ${letter}` });
  const answer = (page: Page, letter: string, row = 1) => page.getByLabel(`Answer of ${letter} to case ${row}`);
  const type = async (page: Page, letter: string, values: Record<string, string>) => {
    for (const [label, text] of Object.entries(values)) {
      await variant(page, letter).getByLabel(label, { exact: true }).first().fill(text);
    }
  };

  it('runs two variants of a version with two cases, shows what differs, and publishes one', async () => {
    const { client } = console.app;
    const page = await console.openSigned(`/console/prompts/${prompt}`);
    await page.getByRole('link', { name: 'Open in the playground' }).click();
    await page.getByRole('link', { name: 'support/reply v1' }).waitFor();
    expect(await variant(page, 'A').getByLabel('Max tokens').inputValue()).toBe('99');
    await variant(page, 'B').getByText('Same as A').waitFor();
    await page.keyboard.press('Alt+2');
    await page.keyboard.press('End');
    await page.keyboard.type(' Name the policy.');
    await variant(page, 'B').getByText('1 line differs from A').click();
    await variant(page, 'B').locator('.diff .added', { hasText: 'Name the policy.' }).waitFor();
    await page.getByLabel('question of case 1').fill('one');
    await button(page, '+ a case').click();
    await page.getByLabel('question of case 2').fill('two');
    await page.keyboard.press('Control+Enter');
    await answer(page, 'A').getByText('Answer one kindly.').waitFor();
    await answer(page, 'B', 2).getByText('Answer two kindly. Name the policy.').waitFor();
    await answer(page, 'B', 2)
      .getByText(/first token/)
      .waitFor();
    await expectAccessible(page);
    await takePicture(page, 'playground');
    // The draft outlives the page.
    await page.reload();
    expect(await page.getByLabel('question of case 2').inputValue()).toBe('two');
    await button(page, 'More about variant B').click();
    await page.getByRole('menuitem', { name: 'Publish as a version' }).click();
    await page.getByLabel('Commit message').fill('Names the policy');
    await page.getByLabel('Release label').fill('staging');
    await expectAccessible(page);
    await button(page, 'Publish the version').click();
    await page.getByRole('link', { name: 'support/reply, version 2' }).waitFor();
    const second = await readPrompt(client, 'support/reply');
    expect(textsOf(second)).toEqual(['Answer {question} kindly. Name the policy.']);
    expect(second).toMatchObject({ version: 2, commit_message: 'Names the policy', metadata: { model: ECHO } });
  });

  it('opens as a sheet that computes the same answers', async () => {
    const page = await console.openSigned(`/console/playground?prompt=${prompt}&version=1`);
    await page.getByLabel('question of case 1').fill('one');
    await button(page, '+ a case').click();
    await page.getByLabel('question of case 2').fill('two');
    await type(page, 'B', { Model: '' });
    await button(page, 'Open as a sheet').click();
    await button(page, 'Create the sheet').click();
    await page.getByRole('alert').getByText('Choose a provider and a model for variant B.').waitFor();
    await button(page, 'Cancel').click();
    await type(page, 'B', { Model: 'echo' });
    await button(page, 'Open as a sheet').click();
    await expectAccessible(page);
    await button(page, 'Create the sheet').click();
    await page.waitForURL(/\/tables\//);
    await page.getByRole('columnheader', { name: /^B echo/ }).waitFor();
    const [, table, sheet] = /tables\/([^/]+)\/([^/?]+)/.exec(page.url())!;
    const path = `/api/public/v2/tables/${table}/sheets/${sheet}`;
    const { columns } = (await console.app.client.get(`${path}/rows?include_columns=true`)) as {
      columns: { id: string; title: string; type: string }[];
    };
    expect(columns.map(({ title, type: kind }) => [title, kind])).toEqual([
      ['question', 'TEXT'],
      ['A echo', 'PROMPT_TEMPLATE'],
      ['B echo', 'PROMPT_TEMPLATE'],
    ]);
    const cells = { column_ids: columns.slice(1).map(({ id }) => id), row_indices: [0, 1] };
    await console.app.client.post(`${path}/cells/recalculations`, cells, 202);
    await page.getByText('Answer two kindly.').first().waitFor();
  });

  it('leaves no table behind when one of its columns is refused', async () => {
    const count = async () => {
      const { data } = (await console.app.client.get('/api/public/v2/tables?limit=100')) as { data: unknown[] };
      return data.length;
    };
    const before = await count();
    const page = await console.openSigned(`/console/playground?prompt=${prompt}&version=1`);
    await page.getByRole('link', { name: 'support/reply v1' }).waitFor();
    await type(page, 'B', { Model: 'x'.repeat(300) });
    await button(page, 'Open as a sheet').click();
    await button(page, 'Create the sheet').click();
    await page.getByRole('alert').getByText('at most 255 characters').waitFor();
    expect(await count()).toBe(before);
  });

  it('logs a version that was not changed under its name', async () => {
    const page = await console.openSigned(`/console/playground?prompt=${prompt}&version=1`);
    await page.getByLabel('question of case 1').fill('me');
    await button(page, /^Run 1 × 2/).click();
    const link = answer(page, 'A').getByRole('link', { name: /^Request \d+$/ });
    await link.waitFor();
    const id = (await link.textContent())!.slice('Request '.length);
    expect(await console.app.client.get(`/api/public/v2/requests/${id}`)).toMatchObject({
      origin: 'trial',
      prompt_id: prompt,
      prompt_version_number: 1,
    });
  });

  it('asks about rows of a sheet', async () => {
    const sheet = await newSheet(console.app.client, ['Where is it?', 'Too late.', 'How long?']);
    const page = await console.openSigned(`/console/playground?prompt=${prompt}&version=1`);
    await page.getByRole('link', { name: 'support/reply v1' }).waitFor();
    await button(page, 'Fill cases from a sheet').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Table').selectOption('Test');
    await dialog.getByLabel('Sheet required').selectOption({ index: 1 });
    await dialog.getByLabel('Column of question').selectOption('Column A');
    await dialog.getByRole('checkbox', { name: '1', exact: true }).check();
    await dialog.getByRole('checkbox', { name: '3', exact: true }).check();
    await expectAccessible(page);
    await takePicture(page, 'playground-rows');
    await button(page, 'Fill 2 cases').click();
    expect(await page.getByLabel('question of case 2').inputValue()).toBe('How long?');
    const link = page.getByRole('link', { name: /^Test › / });
    expect(await link.getAttribute('href')).toContain(sheet.id);
    await button(page, /^Run 2 × 2/).click();
    await answer(page, 'B', 2).getByText('How long?').waitFor();
    await expectAccessible(page);
  });

  it('shows the rows of a sheet again that was chosen before', async () => {
    const { client } = console.app;
    const [first, second] = [await newSheet(client, ['First row']), await newSheet(client, ['Second row'])];
    const page = await console.openSigned(`/console/playground?prompt=${prompt}&version=1`);
    await page.getByRole('link', { name: 'support/reply v1' }).waitFor();
    await button(page, 'Fill cases from a sheet').click();
    const dialog = page.getByRole('dialog');
    const choose = async ({ tableId, id }: { tableId: string; id: string }, text: string) => {
      await dialog.getByLabel('Table').selectOption(tableId);
      await dialog.getByLabel('Sheet required').selectOption(id);
      await dialog.getByLabel('Column of question').waitFor();
      await dialog.getByRole('cell', { name: text }).waitFor();
    };
    await choose(first, 'First row');
    await choose(second, 'Second row');
    // By now the first sheet is read from the cache.
    await choose(first, 'First row');
    await button(page, 'Cancel').click();
  });

  it('asks with the fields of messages that it does not show, about the variables that the server finds', async () => {
    const { client } = console.app;
    const part = (text: string) => [{ type: 'text', text }];
    const called = { id: 'c1', type: 'function', function: { name: 'find', arguments: '{}' } };
    const { id, prompt_template: template } = await publishPrompt(client, 'support/calls', {
      template: {
        type: 'chat',
        messages: [
          { role: 'placeholder', name: 'history' },
          { role: 'user', name: 'Ada', content: part('{ a b } {c[0]} {größe} {d-e!r:>5} {{f}}') },
          { role: 'assistant', content: null, tool_calls: [called] },
          { role: 'tool', tool_call_id: 'c1', content: part('It is there.') },
          {
            role: 'user',
            template_format: 'jinja2',
            content: part('{% set n = m %}{% for x in y %}{{ x }}{{ n }}{% endfor %}'),
          },
        ],
      },
      version: { metadata: { model: ECHO } },
    });
    const page = await console.openSigned(`/console/playground?prompt=${id}`);
    await page.getByRole('link', { name: 'support/calls v1' }).waitFor();
    const names = await page.getByLabel(/ of case 1$/).evaluateAll((fields) => fields.map((field) => field.ariaLabel));
    expect(names).toEqual(template.input_variables.map((name) => `${name} of case 1`));
    await type(page, 'A', { 'Message of tool': 'It is here.' });
    await button(page, /^Run 1 × 2/).click();
    await answer(page, 'A')
      .getByText(/tokens$/)
      .waitFor();
    await button(page, 'More about variant A').click();
    await page.getByRole('menuitem', { name: 'Publish as a version' }).click();
    await button(page, 'Publish the version').click();
    await page.getByRole('link', { name: 'support/calls, version 2' }).waitFor();
    const { prompt_template: second } = await readPrompt(client, id);
    expect(second).toEqual({
      ...template,
      messages: template.messages!.with(3, {
        ...template.messages![3],
        content: [expect.objectContaining({ text: 'It is here.' })],
      }),
    });
    await button(page, 'Close').click();
    await button(page, 'Open as a sheet').click();
    await button(page, 'Create the sheet').click();
    await page.waitForURL(/\/tables\//);
  });

  it('publishes under the name of its source without flattening what is stored', async () => {
    const { client } = console.app;
    await publishPrompt(client, 'support/rules', { text: 'Be kind.', isSnippet: true });
    const tool = { type: 'registry', tool_registry_id: await createTool(client, 'find_order') };
    const message = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
    const model = { ...ECHO, base_model: 'base', parameters: { ...ECHO.parameters, stream: true } };
    const { id } = await publishPrompt(client, 'support/stored', {
      template: {
        type: 'chat',
        messages: [message('@@@support/rules@@@'), message('Answer {question}.')],
        tools: [tool],
        tool_choice: 'auto',
      },
      version: { metadata: { model, team: 'support' } },
    });
    const read = () => readPrompt(client, id, '?resolve_snippets=false');
    const first = await read();
    const page = await console.openSigned(`/console/playground?prompt=${id}`);
    await page.getByRole('link', { name: 'support/stored v1' }).waitFor();
    const messages = variant(page, 'A').getByLabel('Message of user');
    expect(await messages.first().inputValue()).toBe('Be kind.');
    await messages.last().fill('Answer {question} briefly.');
    await type(page, 'A', { 'Max tokens': '' });
    const publish = async () => {
      await button(page, 'More about variant A').click();
      await page.getByRole('menuitem', { name: 'Publish as a version' }).click();
      await button(page, 'Publish the version').click();
    };
    await publish();
    await page.getByRole('link', { name: 'support/stored, version 2' }).waitFor();
    const second = await read();
    expect(textsOf(second)).toEqual(['@@@support/rules@@@', 'Answer {question} briefly.']);
    expect(second.prompt_template).toMatchObject({ tools: [tool], tool_choice: 'auto' });
    const { max_tokens: _, ...kept } = first.metadata!.model!.parameters;
    expect(second.metadata).toEqual({
      ...first.metadata,
      model: { ...first.metadata!.model, parameters: kept },
    });
    await button(page, 'Close').click();
    await type(page, 'A', { Model: '' });
    await publish();
    await page.getByRole('alert').getByText('A version cannot lose its model.').waitFor();
  });

  it('writes answers as they come, and stops without losing text', async () => {
    vendors.reply = ({ body }) => ({ events: chatStream(body, 'Hello there').slice(0, 6), after: 'hang' });
    const page = await console.openSigned('/console/playground');
    for (const letter of ['A', 'B']) await type(page, letter, { Provider: 'openai', Model: 'gpt-4.1-mini' });
    await type(page, 'A', { 'Message of user': 'Say hello' });
    await page.keyboard.press('Control+Enter');
    await answer(page, 'A').getByText('Hello', { exact: true }).waitFor();
    await answer(page, 'A').getByText('writing… Esc stops').waitFor();
    await page.keyboard.press('Escape');
    await answer(page, 'A').getByText('stopped').waitFor();
    await answer(page, 'A').getByText('Hello', { exact: true }).waitFor();
    await until(() => Promise.resolve(vendors.open === 0));
    await button(page, /^Run 1 × 2/).waitFor();
  });

  it('shows failures where the answer would be, with a link where a credential is missing', async () => {
    vendors.reply = () => ({ status: 500, message: 'Out of order <b>' });
    const page = await console.openSigned('/console/playground');
    await type(page, 'A', { Provider: 'openai', Model: 'gpt-4.1-mini', 'Message of user': 'a' });
    await type(page, 'B', { Provider: 'cohere', Model: 'command-a', 'Message of user': 'b' });
    await button(page, /^Run 1 × 2/).click();
    await answer(page, 'A').getByRole('alert').getByText('Out of order <b>').waitFor();
    const settings = answer(page, 'B').getByRole('link', { name: 'Models in Settings' });
    expect(await settings.getAttribute('href')).toBe('/console/settings/models');
    await variant(page, 'A').getByText('More: tools').click();
    await type(page, 'A', { 'Tools, as a JSON list': '[{' });
    await button(page, /^Run 1 × 2/).click();
    await answer(page, 'A').getByText('The tools: this is no valid JSON.').waitFor();
    await expectAccessible(page);
  });

  it('opens a request with its messages, and keeps the earlier draft', async () => {
    const ids = { traceId: traceId(), spanId: spanId() };
    await send(console.app.client, [llmSpan({ input: 'Is {"a": 1} JSON?', output: 'Yes' }, ids)]);
    const page = await console.openSigned('/console/playground');
    await type(page, 'A', { 'Message of user': 'An earlier draft' });
    await page.goto(`/console/traces/${ids.traceId}?span=${ids.spanId}`);
    await page.getByRole('link', { name: 'Open in the playground' }).click();
    await page.getByRole('link', { name: /^request \d+$/ }).waitFor();
    const message = variant(page, 'A').getByLabel('Message of user').first();
    expect(await message.inputValue()).toBe('Is {"a": 1} JSON?');
    await page.getByText('No variables').waitFor();
    await button(page, 'Restore the earlier draft').click();
    expect(await message.inputValue()).toBe('An earlier draft');
    await page.getByRole('link', { name: /^request \d+$/ }).waitFor({ state: 'detached' });
    await button(page, 'Restore the earlier draft').click();
    await page.getByRole('link', { name: /^request \d+$/ }).click();
    await page.getByRole('complementary').getByRole('link', { name: 'Open in the playground' }).waitFor();
  });

  it('names the permissions that a viewer needs', async () => {
    const page = await console.openSigned('/console/playground', { key: viewer });
    await page.getByText('To ask models, you need the permission').waitFor();
    expect(await button(page, /^Run 1 × 2/).isDisabled()).toBe(true);
    await expectAccessible(page);
  });
});
