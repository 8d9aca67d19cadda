import { unzipSync } from 'fflate';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSkills, filesOf, saveSkills } from '../support/skills.js';
import { isBrowserMissing } from './support/chromium.js';
import { ConsoleApp, expectAccessible, takePicture } from './support/console-app.js';

const HOSTILE = '<img src=x onerror="document.title=1">';

describe.skipIf(isBrowserMissing())('skill collections', () => {
  let console: ConsoleApp;
  beforeAll(async () => {
    console = await ConsoleApp.start();
    const { client } = console.app;
    const files = { 'refunds/SKILL.md': `# Refunds\nAsk for the order.\n${HOSTILE}`, 'old.md': 'Old' };
    const { skill_collection: collection } = await createSkills(client, 'support skills', files, {
      description: 'How to answer',
    });
    await saveSkills(client, collection.id, {
      file_updates: filesOf({ 'refunds/SKILL.md': `# Refunds\nAsk for the receipt.\n${HOSTILE}`, 'new.md': 'New' }),
      deletes: ['old.md'],
      commit_message: 'Receipts',
      release_label: 'production',
    });
    await createSkills(client, 'empty skills');
  });
  afterEach(async () => {
    await console.closePages();
    expect(console.complaints.splice(0)).toEqual([]);
  });
  afterAll(() => console.stop());

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const open = async () => {
    const page = await console.openSigned('/console/skills');
    await page.getByRole('link', { name: 'support skills' }).click();
    await page.getByRole('heading', { name: 'Version 2' }).waitFor();
    return page;
  };

  it('lists collections, finds them by name, also from the palette', async () => {
    const page = await console.openSigned('/console/');
    await page.getByRole('link', { name: 'Skills', exact: true }).click();
    await page.getByText('2 skill collections').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Control+k');
    await page.getByLabel('Where to').fill('empty sk');
    await page.getByRole('option', { name: /empty skills/ }).click();
    await page.getByText('This collection has no files yet.').waitFor();
    await expectAccessible(page);
  });

  it('shows the files of a version as text', async () => {
    const page = await open();
    await button(page, 'refunds/SKILL.md').click();
    await page.waitForURL(/file=/);
    await page.getByText(HOSTILE).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    await expectAccessible(page);
    await takePicture(page, 'skill');
    await button(page, 'v1').click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await page.getByText('Ask for the order.').waitFor();
    await button(page, 'old.md').waitFor();
  });

  it('are created, get a new version of their files, and an old one back', async () => {
    const page = await console.openSigned('/console/skills');
    await button(page, 'New skill collection').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name required').fill('returns');
    await dialog.getByLabel('Path').fill('returns/SKILL.md');
    await dialog.getByLabel('Text').fill('# Returns\nWithin 30 days.\n');
    await button(page, 'Add a file').click();
    await dialog.getByLabel('Path').fill('notes.md');
    await dialog.getByLabel('Text').fill('Notes');
    await expectAccessible(page);
    await button(page, 'Create the collection').click();
    await page.getByRole('heading', { name: 'Version 1' }).waitFor();
    await button(page, 'returns/SKILL.md').click();
    await page.getByText('Within 30 days.').waitFor();
    await button(page, 'Edit as a new version').click();
    await dialog.getByRole('button', { name: 'notes.md' }).click();
    await button(page, 'Delete the file').click();
    await page.keyboard.press('Escape');
    await button(page, 'Keep editing').click();
    await dialog.getByLabel('Path').fill('returns/POLICY.md');
    await dialog.getByLabel('Text').fill('# Returns\nWithin 14 days.\n');
    await dialog.getByText('Changes').click();
    await dialog.getByText('3 text files changed.').waitFor();
    await dialog.getByLabel('Commit message').fill('Shorter');
    await dialog.getByLabel('Release label').fill('live');
    await expectAccessible(page);
    await takePicture(page, 'skill-edit');
    await button(page, 'Publish').click();
    await page.getByRole('row').filter({ hasText: 'v2' }).getByText('live').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Within 14 days.').waitFor();
    await button(page, 'v1').click();
    await button(page, 'Restore as a new version').click();
    await dialog.getByRole('button', { name: 'Restore as a new version' }).click();
    await page.getByRole('heading', { name: 'Version 3' }).waitFor();
    await page.getByText('Within 30 days.').waitFor();
    await expectAccessible(page);
    await button(page, 'Delete').click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 skill collections').waitFor();
  });

  it('shows what changed between two versions, and downloads one', async () => {
    const page = await open();
    await page.getByLabel('Compare with').selectOption('Compared with version 1');
    await page.getByText('3 text files changed.').waitFor();
    await page.locator('.diff .added', { hasText: 'Ask for the receipt.' }).waitFor();
    await page.getByRole('region', { name: 'old.md' }).getByText('removed', { exact: true }).waitFor();
    await expectAccessible(page);
    await takePicture(page, 'skill-compared');
    await page.reload();
    await page.getByText('3 text files changed.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as ZIP' }).click(),
    ]);
    const names = Object.keys(unzipSync(await readFile(await download.path())));
    expect(names.some((name) => name.endsWith('new.md'))).toBe(true);
  });
});
