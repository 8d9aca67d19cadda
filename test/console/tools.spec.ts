import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTool, executionOf, TOOLS } from '../support/tools.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Where to look.' },
    days: { type: 'integer' },
    level: { enum: [1, 2] },
  },
  required: ['city'],
};
const definition = {
  type: 'function',
  function: { name: 'forecast', description: 'The weather of some days.', parameters },
};
const CODE =
  'console.log("asked for", args.city); return { city: args.city, days: args.days ?? 1, level: typeof args.level }';

describe.skipIf(isBrowserMissing())('tools', () => {
  let console: ConsoleApp;
  let viewer: string;
  let id: number;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    viewer = ((await client.post(keys, { role: 'viewer' }, 201)) as { secret: string }).secret;
    const body = { tool_definition: definition, description: 'Weather', commit_message: 'First' };
    id = await createTool(client, 'forecast', { ...body, execution: executionOf('javascript', CODE) });
    const failing = executionOf('javascript', `${CODE.split(';')[0]};\nthrow new Error("It rains.")`);
    await client.post(`${TOOLS}/${id}/versions`, { tool_definition: definition, execution: failing }, 201);
    await client.put(`/api/admin/v1/workspaces/1/tools/${id}/labels/stable`, { version_number: 1 });
    await client.post(`${TOOLS}/${id}/env-vars`, { key: 'WEATHER_KEY', value: 'secret-1234' }, 201);
    await createTool(client, 'bare', { execution: executionOf('javascript', CODE) });
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  const open = async (key?: string) => {
    const page = await console.openSigned(`/console/tools/${id}`, { key });
    await page.getByRole('heading', { name: 'Version 2' }).waitFor();
    return page;
  };

  it('lists tools, finds them by name, also from the palette', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await page.getByText('2 tools').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Search tools').fill('nobody');
    await page.getByText('only tools with “nobody” in the name').waitFor();
    await button(page, 'Show all tools').click();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Where to').fill('forec');
    await page
      .getByRole('option', { name: /forecast/ })
      .first()
      .waitFor();
    await page.getByLabel('Where to').dispatchEvent('keydown', { key: 'Enter', isComposing: true });
    expect(await page.getByLabel('Where to').inputValue()).toBe('forec');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'forecast' }).waitFor();
  });

  it('shows versions with labels, definition and code, and what changed', async () => {
    const page = await open();
    await page.getByRole('row').filter({ hasText: 'v1' }).getByText('stable').waitFor();
    await page.getByText('throw new Error("It rains.")').waitFor();
    await page.getByRole('row').filter({ hasText: 'WEATHER_KEY' }).getByText('…1234').waitFor();
    await expectAccessible(page);
    await takePicture(page, 'tool');
    await page.getByLabel('Compare with').selectOption('Compared with version 1');
    await page.waitForURL(/against=1/);
    await page.locator('.diff .added', { hasText: 'It rains.' }).waitFor();
    await expectAccessible(page);
    await button(page, 'v1').click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await page.getByText('First').waitFor();
  });

  it('tests a version with arguments, and shows the result and the output', async () => {
    const page = await open();
    await button(page, 'v1').click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await button(page, 'Test').click();
    await dialog(page).getByLabel('City').fill('Kyiv <b>');
    await dialog(page).getByLabel('Days').fill('3');
    await dialog(page).getByLabel('Level').selectOption('2');
    await button(page, 'Run the code').click();
    const result = dialog(page).getByRole('status', { name: 'Result of the test' });
    await result.getByText('Done').waitFor();
    await result.getByText('asked for Kyiv <b>').waitFor();
    await result.getByText('days:').waitFor();
    await result.getByText('number', { exact: true }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'tool-test');
    await button(page, 'Close').click();
    await button(page, 'v2').click();
    await page.getByRole('heading', { name: 'Version 2' }).waitFor();
    await button(page, 'Test').click();
    await dialog(page).getByLabel('City').fill('Kyiv');
    await button(page, 'Run the code').click();
    await result.getByText('It rains.').waitFor();
    await expectAccessible(page);
  });

  it('explains arguments that cannot be sent, and takes others afterwards', async () => {
    const page = await console.openSigned('/console/tools');
    await page.getByRole('link', { name: 'bare' }).click();
    await button(page, 'Test').click();
    const run = async (text: string, answer: string) => {
      await dialog(page).getByLabel('Arguments').fill(text);
      await button(page, 'Run the code').click();
      await dialog(page).getByText(answer).waitFor();
    };
    await run('city: Kyiv', 'Arguments are a JSON object');
    await run('{"city": 9007199254740993}', '9007199254740993 would be rounded');
    await run('{"city": "Kyiv"}', 'asked for Kyiv');
    const open = await console.openSigned(`/console/tools/${id}`);
    await button(open, 'Test').click();
    const days = dialog(open).getByLabel('Days');
    await days.pressSequentially('9007199254740993');
    expect(await days.evaluate((input) => (input as HTMLInputElement).validationMessage)).toContain('rounded');
    expect(await days.inputValue()).toBe('9007199254740993');
  });

  it('are created, get a new version with a label after its difference was shown, and are deleted', async () => {
    const page = await console.openSigned('/console/tools');
    await button(page, 'New tool').click();
    await dialog(page).getByLabel('Name required').fill('Order status');
    await dialog(page).getByLabel('Description for models').fill('Where an order is.');
    await dialog(page).getByLabel('Parameters, as a JSON Schema').fill('{"type": ');
    await dialog(page).getByRole('button', { name: 'Create the tool' }).click();
    await dialog(page).getByRole('alert').getByText('The parameters: this is no valid JSON.').waitFor();
    await dialog(page).getByLabel('Parameters, as a JSON Schema').fill(JSON.stringify(parameters));
    await expectAccessible(page);
    await takePicture(page, 'tool-new');
    await dialog(page).getByRole('button', { name: 'Create the tool' }).click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await page.getByText('Order_status').waitFor();
    await button(page, 'Edit as a new version').click();
    await dialog(page).getByText('No changes yet.').waitFor();
    await dialog(page).getByLabel('Run by').selectOption('This server, in JavaScript');
    await dialog(page).getByLabel('Code').fill('return { city: args.city }');
    await dialog(page).getByText('3 lines differ').click();
    await dialog(page).locator('.diff .added', { hasText: 'return { city: args.city }' }).waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Keep editing').click();
    await dialog(page).getByLabel('Commit message').fill('Runs here');
    await dialog(page).getByLabel('Release label').fill('beta');
    await expectAccessible(page);
    await takePicture(page, 'tool-edit');
    await dialog(page).getByRole('button', { name: 'Publish' }).click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'v2' }).getByText('beta').waitFor();
    await page.getByText('Runs here').waitFor();
    await button(page, 'v1').click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await button(page, 'Labels').click();
    await dialog(page).getByRole('button', { name: 'Move to v1' }).click();
    await dialog(page).getByRole('cell', { name: 'v1', exact: true }).waitFor();
    await expectAccessible(page);
    await button(page, 'Close').click();
    await page.getByRole('row').filter({ hasText: 'v1' }).getByText('beta').waitFor();
    await button(page, 'Edit name and description').click();
    await dialog(page).getByLabel('Description').fill('For support');
    await button(page, 'Save').click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.getByText('For support').waitFor();
    await button(page, 'Delete').click();
    await dialog(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 tools').waitFor();
  });

  it('lets a key without the permission read, and names the permission that a test needs', async () => {
    const page = await open(viewer);
    const needed = {
      Test: 'TOOL_EDIT',
      'Edit as a new version': 'TOOL_EDIT',
      Labels: 'TOOL_DEPLOY',
      Delete: 'TOOL_DELETE',
    };
    for (const [name, permission] of Object.entries(needed)) {
      expect(await button(page, name).getAttribute('title')).toBe(`This needs the permission ${permission}.`);
    }
  });
});
