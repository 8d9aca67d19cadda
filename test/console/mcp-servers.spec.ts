import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { McpServerProcess } from '../support/mcp-servers.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('MCP servers', () => {
  let console: ConsoleApp;
  let server: McpServerProcess;
  let viewer: string;
  beforeAll(async () => {
    console = await ConsoleApp.start({ env: { OUTBOUND_ALLOW_PRIVATE: 'on' } });
    server = await McpServerProcess.start({ transport: 'streamable_http', token: 'a-token-1234' });
    const keys = '/api/admin/v1/workspaces/1/api-keys';
    viewer = ((await console.app.client.post(keys, { role: 'viewer' }, 201)) as { secret: string }).secret;
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await server.stop();
    await console.stop();
  });

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (page: Page) => page.getByRole('dialog');
  const row = (page: Page) => page.getByRole('row').filter({ hasText: 'Search tools' });
  const path = '/console/settings/mcp-servers';

  it('adds a server, tests it, shows its tools, and deletes it', async () => {
    const page = await console.openSigned(path);
    await page.getByText('There are no MCP servers yet.').waitFor();
    await expectAccessible(page);
    await button(page, 'New MCP server').click();
    await page.getByLabel('Name').fill('Search tools');
    await page.getByLabel('URL').fill(server.url);
    await page.getByLabel('Bearer token').fill('a-token-1234');
    await page.getByLabel('Headers').fill('X-Team');
    await button(page, 'Add the server').click();
    await dialog(page).getByRole('alert').getByText('is no header').waitFor();
    await page.getByLabel('Headers').fill('X-Team: search');
    await expectAccessible(page);
    await button(page, 'Add the server').click();
    await dialog(page).getByText('test tools').waitFor();
    expect(await dialog(page).getByRole('list', { name: 'Tools' }).getByRole('listitem').count()).toBeGreaterThan(1);
    await expectAccessible(page);
    await takePicture(page, 'mcp-server-tested');
    await button(page, 'Close').click();
    await row(page).getByText('…1234').waitFor();
    await server.stop();
    await row(page).getByRole('button', { name: 'Test' }).click();
    await dialog(page).getByRole('status').filter({ hasNotText: 'Connecting' }).waitFor();
    expect(await dialog(page).getByRole('list', { name: 'Tools' }).count()).toBe(0);
    await button(page, 'Close').click();
    await row(page).getByRole('button', { name: 'Delete' }).click();
    await dialog(page).getByText('fail from then on').waitFor();
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('There are no MCP servers yet.').waitFor();
  });

  it('says which permission it needs', async () => {
    const page = await console.openSigned(path, { key: viewer });
    await page.getByText('To see and change MCP servers').waitFor();
    expect(await button(page, 'New MCP server').isDisabled()).toBe(true);
  });
});
