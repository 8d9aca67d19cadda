import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isBrowserMissing } from './support/chromium.js';
import { takePicture } from './support/console-app.js';
import { ScreenData } from './support/screen-data.js';
import { type Screen, screensOf } from './support/screens.js';

/** Widths at which people work: a window on a large screen, and half of one. */
const WIDTHS = [1440, 1024];
const SOME_MINUTES = 20 * 60_000;
const STREAM_MS = 2000;
/** Names of the screens: all, unless `SCREENS` is an expression that matches some. */
const WANTED = new RegExp(process.env.SCREENS ?? '');
const ON_ITS_WAY = '.waiting.on, .cell.coming';

/** Pictures of every screen for people to look at, in the folder that `PICTURES` names. Without one there is nothing to do. */
describe.skipIf(!process.env.PICTURES || isBrowserMissing())('every screen', () => {
  let data: ScreenData;
  beforeAll(async () => {
    data = await ScreenData.start();
  });
  afterEach(() => data.console.closePages());
  afterAll(() => data.stop());

  it.each(WIDTHS)(
    'has a picture at %d px',
    async (width) => {
      const missing: string[] = [];
      for (const screen of screensOf(data).filter(({ name }) => WANTED.test(name))) {
        await picture(screen, width).catch((error: unknown) => missing.push(`${screen.name}: ${String(error)}`));
        await data.console.closePages();
      }
      expect(missing).toEqual([]);
      expect(data.console.complaints.splice(0)).toEqual([]);
    },
    SOME_MINUTES,
  );

  async function picture(screen: Screen, width: number): Promise<void> {
    const page = await open(screen, width);
    // A stream of progress never ends.
    await page.waitForLoadState('networkidle', { timeout: STREAM_MS }).catch(() => undefined);
    await screen.act?.(page);
    await page.locator(ON_ITS_WAY).first().waitFor({ state: 'detached' });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await takePicture(page, `${screen.name}-${width}-${colorScheme}`);
    }
  }

  function open({ path, by }: Screen, width: number): Promise<Page> {
    const { console, keys } = data;
    if (by === 'nobody') return console.open(path, { width });
    return console.openSigned(path, { width, ...(by && { key: keys[by] }) });
  }
});
