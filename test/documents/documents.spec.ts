import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearsOut, type Block, blockBelow, blocksOf, pages, ROOT } from './pages.js';
import { Product } from './product.js';

/** Between the output of one block and that of the next. */
const DONE = '-- end of block --';
/** The product runs already, and `npm test` is what runs this. */
const NPM = `npm() { case "$1" in start | test) ;; *) command npm --prefix '${ROOT}' "$@" ;; esac; }`;

/** Pages that need no other. People paste what is on them more than once. */
const BEGINNINGS = ['README.md', 'docs/first-hour.md'];

let product: Product;
let folder: string;
beforeAll(async () => {
  product = await Product.start();
  folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-documents-'));
});
afterAll(async () => {
  await product?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs blocks in one shell, as when they are pasted one after the other. Gives what each printed. */
async function run(blocks: Block[]): Promise<string[]> {
  const script = ['set -eo pipefail', NPM, ...blocks.flatMap(({ commands }) => [commands, `echo; echo '${DONE}'`])];
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...product.env };
  const running = promisify(execFile)('bash', ['-c', script.join('\n')], { cwd: folder, env, maxBuffer: 1 << 26 });
  const { stdout } = await running.catch((error: { stdout: string; stderr: string }) => {
    const printed = error.stdout.split(`${DONE}\n`);
    const failed = blocks[printed.length - 1];
    throw new Error(`The block in line ${failed.line} failed:\n${printed.at(-1)!.slice(-2000)}\n${error.stderr}`);
  });
  return stdout.split(`${DONE}\n`);
}

/** Each answer is in a line of its own. */
function answersIn(output: string): unknown[] {
  return output.split('\n').flatMap((line) => {
    const json = line.replace(/^data: /, '');
    return json.startsWith('{') ? [JSON.parse(json) as unknown] : [];
  });
}

describe('commands on a page', () => {
  it.each(pages())('have no comments, which zsh takes for commands: %s', (page) => {
    for (const { commands, line } of blocksOf(page)) expect(commands, `from line ${line}`).not.toMatch(/^#|\s#\s/m);
  });
});

describe('an answer', () => {
  const long = JSON.stringify({
    items: Array.from({ length: 40 }, (_, id) => ({ id, text: 'x'.repeat(500) })),
    last: true,
  });
  const print = (input: string, env = {}) =>
    execFileSync(process.execPath, [path.join(ROOT, 'scripts/print.mjs')], { input, env, encoding: 'utf8' });

  it('fits a screen, and is whole in a pipe', () => {
    const shown = print(`${long}\n`, { PRINT: 'short' });
    expect(shown.split('\n').length).toBeLessThan(34);
    expect(shown).toContain('38 more items');
    expect(shown).toContain('last: true');
    expect(print(`${long}\n`)).toBe(`${long}\n`);
  });

  it('that is no JSON is shown line by line, cut to the screen', () => {
    const events = 'event: end\ndata: {"status":"completed"}\n';
    expect(print(events, { PRINT: 'short' })).toBe(events);
    expect(print(`data: ${'x'.repeat(500)}\n`, { PRINT: 'short' }).length).toBeLessThan(130);
  });
});

describe('commands that are pasted in order work, and answer what the page says', () => {
  it.each(pages())('%s', async (page) => {
    const names = BEGINNINGS.includes(page) ? [] : [blockBelow('docs/first-hour.md', '## First calls')];
    const pasted = BEGINNINGS.includes(page) ? blocksOf(page).flatMap((block) => [block, block]) : blocksOf(page);
    const blocks = [...names, ...pasted];
    const outputs = await run(blocks);
    for (const [index, { line, claims }] of blocks.entries()) {
      const answers = answersIn(outputs[index]);
      const unfounded = claims.filter((claim) => !answers.some((answer) => bearsOut(answer, claim)));
      expect(unfounded, `after line ${line}, of ${JSON.stringify(answers)}`).toEqual([]);
    }
  });
});
