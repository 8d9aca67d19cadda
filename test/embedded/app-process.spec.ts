import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { APP_ENTRIES, type AppName } from '../../src/app-entries.js';
import { AppProcess, type AppProcessOptions, type RestartPolicy } from '../../src/embedded/app-process.js';
import { isAlive, waitUntilGone } from '../../src/embedded/processes.js';

const QUICK: RestartPolicy = { firstPauseMs: 5, longestPauseMs: 60_000, limit: 2, healthyAfterMs: 60_000 };
const READY = 'process.send({ ready: true });';
const STAY = 'setInterval(() => {}, 1000);';

let folder: string;
let app: AppProcess | null;
let said: string[];
let gaveUp: string[];

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-app-'));
  app = null;
  said = [];
  gaveUp = [];
});

afterEach(async () => {
  await app?.stop(0);
  rmSync(folder, { recursive: true, force: true });
});

/** A process that runs the given code after it has added its pid as a line to `pids`. */
function appRunning(code: string, { restarts = QUICK, nodeOptions }: Partial<AppProcessOptions> = {}): AppProcess {
  const file = path.join(folder, 'app.mjs');
  const log = JSON.stringify(path.join(folder, 'pids'));
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
    appendFileSync(${log}, process.pid + '\\n');
    const starts = readFileSync(${log}, 'utf8').split('\\n').length - 1;
    ${code}`,
  );
  app = new AppProcess({
    name: 'api',
    file,
    nodeOptions,
    env: process.env,
    say: (text) => said.push(text),
    onGiveUp: (message) => gaveUp.push(message),
    restarts,
  });
  return app;
}

const pids = () => readFileSync(path.join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);

describe('a process of the product', () => {
  it('fails the start when it ends before it was ready', async () => {
    await expect(appRunning('process.exit(3);').start()).rejects.toThrow('ended while it was starting (exit code 3)');
    expect(gaveUp).toEqual([]);
  });

  it.each(Object.keys(APP_ENTRIES) as AppName[])('is started as its script in package.json says: %s', async (name) => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    const { file, nodeOptions } = APP_ENTRIES[name];
    expect(scripts[`start:${name}`]).toBe(['node', ...nodeOptions, `dist/src/${file}`].join(' '));
    await appRunning(
      `writeFileSync(${JSON.stringify(path.join(folder, 'options'))}, process.execArgv.join(' ')); ${READY} ${STAY}`,
      {
        nodeOptions,
      },
    ).start();
    expect(readFileSync(path.join(folder, 'options'), 'utf8')).toBe(nodeOptions.join(' '));
  });

  it('is started again when it crashes', async () => {
    await appRunning(`${READY} ${STAY} if (starts === 1) setTimeout(() => process.exit(1), 5);`).start();
    await vi.waitFor(() => expect(said.at(-1)).toBe('The api process is back.'), 3000);
    expect(pids()).toHaveLength(2);
    expect(isAlive(pids()[1])).toBe(true);
  });

  it('is given up after too many crashes in a row, also when it dies before it is ready', async () => {
    await appRunning(
      `if (starts === 1) { ${READY} setTimeout(() => process.exit(1), 5); } else process.exit(4);`,
    ).start();
    await vi.waitFor(() => expect(gaveUp).toHaveLength(1), 5000);
    expect(gaveUp[0]).toContain('crashed 3 times in a row');
    expect(pids()).toHaveLength(3);
  });

  it('is asked to finish and gets the time for it', async () => {
    const done = path.join(folder, 'done');
    const finish = `process.on('SIGTERM', () => setTimeout(() => { appendFileSync(${JSON.stringify(done)}, 'yes'); process.exit(0); }, 50));`;
    const started = appRunning(`${finish} ${STAY} ${READY}`);
    await started.start();
    await started.stop(5000);
    expect(readFileSync(done, 'utf8')).toBe('yes');
    expect(said).toEqual([]);
  });

  it('is killed with everything it started when it does not finish in time', async () => {
    const helper = path.join(folder, 'helper');
    const child = `const { spawn } = await import('node:child_process');
      appendFileSync(${JSON.stringify(helper)}, String(spawn('sleep', ['60']).pid));`;
    const started = appRunning(`process.on('SIGTERM', () => {}); ${child} ${STAY} ${READY}`);
    await started.start();
    await started.stop(50);
    expect(isAlive(pids()[0])).toBe(false);
    expect(await waitUntilGone(Number(readFileSync(helper, 'utf8')), 60_000)).toBe(true);
  });

  it('stays stopped when it is stopped while waiting for its restart', async () => {
    const started = appRunning(`${READY} setTimeout(() => process.exit(1), 5);`, {
      restarts: { ...QUICK, firstPauseMs: 60_000 },
    });
    await started.start();
    await expect.poll(() => said).toHaveLength(1);
    await started.stop(0);
    expect(pids()).toHaveLength(1);
  });
});
