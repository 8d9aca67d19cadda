import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Possible paths of a browser, in order. */
const PROGRAMS = [
  process.env.CHROMIUM,
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

const FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Chromium has no sandbox for root.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

/** The path of an installed browser that can be started; null where there is none. Nothing is ever downloaded. */
export function findChromium(): string | null {
  for (const program of PROGRAMS) {
    const path = program && locate(program);
    if (path && starts(path)) return path;
  }
  return null;
}

function locate(program: string): string | null {
  if (program.includes('/')) return existsSync(program) ? program : null;
  const folders = (process.env.PATH ?? '').split(':').filter((folder) => folder !== '');
  return folders.map((folder) => `${folder}/${program}`).find((path) => existsSync(path)) ?? null;
}

function starts(path: string): boolean {
  try {
    execFileSync(path, ['--version'], { stdio: 'pipe', timeout: 30_000 });
    return true;
  } catch {
    return false;
  }
}

/** Skips these tests with one line when there is no browser, unless one is required. */
export function isBrowserMissing(): boolean {
  if (findChromium() !== null) return false;
  const message = 'No Chromium was found: install chromium or name one in CHROMIUM to test the console.';
  if (process.env.CI || process.env.REQUIRE_BROWSER === '1') throw new Error(message);
  process.stderr.write(`Skipped. ${message}\n`);
  return true;
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: findChromium()!, args: FLAGS, headless: true });
}
