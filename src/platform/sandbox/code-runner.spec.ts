import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readStat } from '../process-stat.js';
import { CodeRunner, type Language } from './code-runner.js';
import { Sandbox } from './sandbox.js';

let sandbox: Sandbox;
let runner: CodeRunner;
beforeAll(() => {
  sandbox = new Sandbox({ processes: 1 });
  runner = new CodeRunner(sandbox);
});
afterAll(() => sandbox.onApplicationShutdown());

const never = new AbortController().signal;
const owner = { workspaceId: 1, keyId: null };
const run = (language: Language, code: string, data: object = {}, signal = never) =>
  runner.run({ language, code }, data, owner, signal);

const LANGUAGES = [
  ['PYTHON', 'while data["endless"]: pass\nreturn data["n"]', 'return "x" * data["length"]', 'import os\nreturn 1'],
  ['JAVASCRIPT', 'while (data.endless); return data.n', 'return "x".repeat(data.length)', 'return 1'],
] as const;

describe.each(LANGUAGES)('code in %s', (language, endless, long, short) => {
  it('is answered in the other rows when an endless one is aborted', async () => {
    const controller = new AbortController();
    const rows = Array.from({ length: 20 }, (_, n) => ({ n, endless: n === 9 }));
    const outcomes = rows.map((row) => run(language, endless, row, row.endless ? controller.signal : never));
    const aborted = expect(outcomes[9]).rejects.toThrow('nobody wants it');
    // Rows go in slices that grow, so the last ones before it may be in its slice.
    await Promise.all(outcomes.slice(0, 3));
    controller.abort(new Error('nobody wants it'));
    await aborted;
    const expected = rows.filter((row) => !row.endless).map(({ n }) => ({ value: n }));
    expect(await Promise.all(outcomes.filter((_, n) => n !== 9))).toEqual(expected);
  });

  it('goes to another process when the one that waited for it has died', async () => {
    expect(await run(language, short)).toEqual({ value: 1 });
    for (const pid of children()) process.kill(pid, 'SIGKILL');
    expect(await run(language, short)).toEqual({ value: 1 });
  });

  it('may give 10,000,000 characters of JSON and no more', async () => {
    const longest = (await run(language, long, { length: 9_999_900 })) as { value: string };
    expect(longest.value).toHaveLength(9_999_900);
    const tooLong = { error: 'The result is longer than 10000000 characters.' };
    expect(await run(language, long, { length: 10_000_000 })).toEqual(tooLong);
    expect(await run(language, long, { length: 1 })).toEqual({ value: 'x' });
  });

  it('gets 10 MiB of data and no more', async () => {
    const text = 'é'.repeat(5 << 20);
    expect(await run(language, short, { text: text.slice(20) })).toEqual({ value: 1 });
    expect(await run(language, short, { text })).toEqual({ error: 'The data of the row is larger than 10 MiB.' });
  });
});

it('starts with the modules that code often imports', async () => {
  const code =
    'import sys\nreturn [name in sys.modules for name in ("asyncio", "json", "xml.etree.ElementTree", "sqlite3")]';
  expect(await run('PYTHON', code)).toEqual({ value: [true, true, true, false] });
});

/** Processes started by this one. */
function children(): number[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? Number(name) : []));
  return all.filter((pid) => readStat(pid)?.parent === process.pid);
}
