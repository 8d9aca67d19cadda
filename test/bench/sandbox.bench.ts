import { afterAll, it } from 'vitest';
import { CodeRunner } from '../../src/platform/sandbox/code-runner.js';
import { JinjaSandbox } from '../../src/platform/sandbox/jinja-sandbox.js';
import { Sandbox } from '../../src/platform/sandbox/sandbox.js';
import type { TurnOwner } from '../../src/platform/turns.js';
import { median, printTable } from './report.js';

const CALLS = Number(process.env.BENCH_CALLS ?? 40);
/** More than processes are kept for, so that every call finds those of others. */
const WORKSPACES = 12;

const sandbox = new Sandbox({ processes: 3 });
const runner = new CodeRunner(sandbox);
const jinja = new JinjaSandbox(sandbox);
afterAll(() => sandbox.onApplicationShutdown());

const never = new AbortController().signal;
const KINDS: Record<string, (owner: TurnOwner) => Promise<unknown>> = {
  template: (owner) => jinja.render(['Hello {{ name }}'], { name: 'Ada' }, owner),
  JavaScript: (owner) => runner.run({ language: 'JAVASCRIPT', code: 'return 1' }, {}, owner, never),
  Python: (owner) => runner.run({ language: 'PYTHON', code: 'return 1' }, {}, owner, never),
};

it('runs short calls of one workspace, and of many in turn', async () => {
  const rows: string[][] = [];
  for (const [kind, call] of Object.entries(KINDS)) {
    const first = await timeOf(() => call({ workspaceId: 1, keyId: null }));
    const alone = await times(() => call({ workspaceId: 1, keyId: null }));
    const inTurn = await times((n) => call({ workspaceId: (n % WORKSPACES) + 1, keyId: null }));
    rows.push([kind, first.toFixed(0), median(alone).toFixed(1), median(inTurn).toFixed(0)]);
  }
  printTable(`Short calls of the sandbox, one after the other; ${CALLS} of each, milliseconds on the clock`, [
    ['kind', 'first call', 'of one workspace', `of ${WORKSPACES} workspaces in turn`],
    ...rows,
  ]);
});

async function times(call: (n: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < CALLS; n++) all.push(await timeOf(() => call(n)));
  return all;
}

async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}
