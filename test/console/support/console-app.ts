import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, ConsoleMessage, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { TestApp, type TestAppOptions } from '../../support/test-app.js';
import { launchChromium } from './chromium.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Ends a step that hangs sooner than the test as a whole would. */
const STEP_MS = 150_000;

interface AxeResults {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** With `TEST_JITTER=1` scripts of pages run this many times slower, so that a test also meets what is shown for a moment only. */
const SLOWER = 6;

/** Appearance of a page; the width is in pixels. */
interface Look {
  dark?: boolean;
  width?: number;
}

/** A server that listens and a browser that looks at it. */
export class ConsoleApp {
  /** Errors that the browser has logged. A test that leaves any here fails. */
  readonly complaints: string[] = [];
  /** Browsers of this test alone. */
  private readonly contexts: BrowserContext[] = [];
  /** Browsers that are signed in, by their keys. They are kept from test to test: a new one takes longer than most tests. */
  private readonly signedIn = new Map<string, BrowserContext>();

  private constructor(
    readonly app: TestApp,
    private readonly browser: Browser,
    readonly url: string,
  ) {}

  static async start(options: TestAppOptions = {}): Promise<ConsoleApp> {
    const app = await TestApp.own(options);
    await app.listen();
    return new ConsoleApp(app, await launchChromium(), await app.app.getUrl());
  }

  /** A page of a new browser without cookies. */
  async open(path = '/console/', look: Look = {}): Promise<Page> {
    const context = await this.newContext();
    this.contexts.push(context);
    return pageOf(context, path, look);
  }

  /** A page of a browser that is signed in, with the first key or another one. */
  async openSigned(
    path = '/console/',
    { key = this.app.apiKey, ...look }: Look & { key?: string } = {},
  ): Promise<Page> {
    const context = this.signedIn.get(key) ?? (await this.newContext());
    this.signedIn.set(key, context);
    const page = await pageOf(context, path, look);
    const form = page.getByLabel('API key');
    await form.or(screens(page)).first().waitFor();
    if (await form.isVisible()) await signIn(page, key);
    return page;
  }

  /** Closes all pages and clears their local storage. Sessions stay. */
  async closePages(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
    for (const page of [...this.signedIn.values()].flatMap((context) => context.pages())) {
      await page.evaluate('localStorage.clear()');
      await page.close();
    }
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.app.stop();
  }

  private async newContext(): Promise<BrowserContext> {
    const context = await this.browser.newContext({ baseURL: this.url, timezoneId: 'UTC' });
    context.setDefaultTimeout(STEP_MS);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    context.on('console', (message) => this.listen(message));
    context.on('weberror', (error) => this.complaints.push(String(error.error())));
    return context;
  }

  private listen(message: ConsoleMessage): void {
    // The browser notes every answer that is a refusal, also those that a page expects.
    const isRefusal = message.text().startsWith('Failed to load resource: the server responded with a status of 4');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) this.complaints.push(message.text());
  }
}

async function pageOf(context: BrowserContext, path: string, { dark = false, width = 1440 }: Look): Promise<Page> {
  const page = await context.newPage();
  if (process.env.TEST_JITTER) {
    const debuggerOf = await context.newCDPSession(page);
    await debuggerOf.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  }
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  await page.setViewportSize({ width, height: 900 });
  await page.goto(path);
  return page;
}

const screens = (page: Page) => page.getByRole('navigation', { name: 'Screens' });

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await screens(page).waitFor();
}

/** Fails for whatever axe finds in the page as it is, once its screen is there. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  // The headers allow no script of a page: it is evaluated by the debugger, which is no part of it.
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  expect(
    violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary])),
  ).toEqual([]);
}

/** Presses the second key at once after the first: on a busy machine an answer in between takes longer than the keys may lie apart. */
export async function pressBoth(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}

/** Clicks after the session has ended. The page may have found out by itself, and covers everything with a dialog then. */
export async function clickBehindDialog(what: Locator): Promise<void> {
  await what.dispatchEvent('click');
}

/** Keeps a picture of the page in the folder that `PICTURES` names, for people to look at; nothing without it. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}
