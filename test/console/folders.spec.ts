import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newSheet, TABLES } from '../support/factories.js';
import { publishPrompt } from '../support/prompts.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

describe.skipIf(isBrowserMissing())('folders', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  it('hold tables: a folder is created, filled, renamed, found by its name and deleted', async () => {
    const { client } = console.app;
    const sheet = await newSheet(client, ['x']);
    await client.patch(`${TABLES}/${sheet.tableId}`, { title: 'Refund cases' });
    const page = await console.openSigned('/console/tables');
    const dialog = page.getByRole('dialog');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('New folder').click();
    await dialog.getByLabel('Name').fill('Support');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create the folder' }).click();
    await page.getByRole('heading', { name: 'There is no table in this folder' }).waitFor();
    expect(page.url()).toMatch(/folder=\d+$/);
    await button('New folder').click();
    await dialog.getByLabel('Name').fill('Old');
    await dialog.getByRole('button', { name: 'Create the folder' }).click();
    await page.locator('strong').getByText('Support / Old').waitFor();
    await page.getByRole('link', { name: 'Top level' }).click();
    await page.getByLabel('Choose Refund cases').check();
    await button('Move 1 item').click();
    await dialog.getByLabel('Into the folder').selectOption('Support / Old');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('row', { name: 'Refund cases' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Support' }).first().click();
    await page.getByRole('link', { name: 'Old' }).first().click();
    await page.getByRole('row', { name: 'Refund cases' }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'folder');
    await button('Rename the folder').click();
    await dialog.getByLabel('Name').fill('Archive');
    await dialog.getByRole('button', { name: 'Rename the folder' }).click();
    await page.locator('strong').getByText('Support / Archive').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Where to').fill('archi');
    await page.getByRole('option', { name: /Archive.*Folder, prompts/ }).click();
    await page.waitForURL('**/console/prompts?folder=*');
    await button('Delete the folder').click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel(/^Delete what is in folders too/).check();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.locator('strong').getByText('Support', { exact: true }).waitFor();
    await client.get(`${TABLES}/${sheet.tableId}`, 404);
  });

  it('hold prompts, and are searched with the folders in them', async () => {
    const { client } = console.app;
    const { folder } = (await client.post('/api/public/v2/folders', { name: 'Mails' }, 201)) as {
      folder: { id: number };
    };
    const { id } = await publishPrompt(client, 'welcome mail');
    await client.post('/api/public/v2/folders/entities', {
      entities: [{ id, type: 'PROMPT' }],
      folder_id: folder.id,
    });
    const page = await console.openSigned('/console/prompts?folder=top');
    await page.getByLabel('Search prompts').fill('welcome');
    await page
      .getByRole('row', { name: /welcome mail/ })
      .getByText('Mails')
      .waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'welcome mail' }).click();
    await page.waitForURL(`**/console/prompts/${id}`);
  });

  it('leave nothing chosen when all chosen items were moved', async () => {
    const { client } = console.app;
    await client.post('/api/public/v2/folders', { name: 'Archive 2026' }, 201);
    const titles = ['Case one', 'Case two'];
    for (const title of titles) {
      const { tableId } = await newSheet(client, ['x']);
      await client.patch(`${TABLES}/${tableId}`, { title });
    }
    // A search stays in view: it has what is in folders too.
    const page = await console.openSigned('/console/tables?folder=top&q=case');
    const boxes = titles.map((title) => page.getByLabel(`Choose ${title}`));
    for (const box of boxes) await box.check();
    await page.getByRole('button', { name: 'Move 2 items' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Into the folder').selectOption('Archive 2026');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    for (const box of boxes) expect(await box.isChecked()).toBe(false);
  });

  it('says when a folder is not there', async () => {
    const page = await console.openSigned('/console/tables?folder=999999');
    await page.getByRole('heading', { name: 'Folder not found' }).waitFor();
    await expectAccessible(page);
  });
});
