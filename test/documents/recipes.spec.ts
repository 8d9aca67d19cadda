import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from './pages.js';

const PAGE = 'CONTRIBUTING.md';
const execute = promisify(execFile);

/** A project of somebody else, beside the packed server that is installed in it. */
let project: string;
beforeAll(async () => {
  project = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-recipes-'));
  cpSync(path.join(ROOT, 'examples/extension'), project, { recursive: true });
  await execute('npm', ['run', '--silent', 'build:types'], { cwd: ROOT });
  const { stdout } = await execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
    cwd: ROOT,
    maxBuffer: 1 << 26,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const installed = path.join(project, 'node_modules/tracesheet');
  mkdirSync(installed, { recursive: true });
  await execute('tar', ['-xzf', path.join(project, filename), '--strip-components=1', '-C', installed]);
  const ours = path.join(ROOT, 'node_modules');
  symlinkSync(ours, path.join(installed, 'node_modules'));
  for (const tool of ['typescript', '@types', '.bin'])
    symlinkSync(path.join(ours, tool), path.join(project, 'node_modules', tool));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** The code of the page, by the line where it begins. */
function recipes(): [line: number, code: string][] {
  const text = readFileSync(path.join(ROOT, PAGE), 'utf8');
  return [...text.matchAll(/^```ts\n([^]*?)^```$/gm)].map(({ 1: code, index }) => [
    text.slice(0, index).split('\n').length + 1,
    code!,
  ]);
}

it('the example of an extension compiles under strict against the packed server, and passes its own test', async () => {
  const { stdout } = await execute('npm', ['test'], { cwd: project });
  expect(stdout).toMatch(/# pass [1-9]/);
  expect(stdout).toContain('# fail 0');
});

it(`every recipe in ${PAGE} compiles as it stands, from a project of somebody else`, async () => {
  const found = recipes();
  expect(found.length).toBeGreaterThan(4);
  for (const [line, code] of found) writeFileSync(path.join(project, `line-${line}.ts`), code);
  const compiled = await execute('npx', ['--no-install', 'tsc', '--noEmit'], { cwd: project }).then(
    () => 'compiled',
    ({ stdout, message }: { stdout: string; message: string }) => `${message}\n${stdout}`,
  );
  expect(compiled).toBe('compiled');
});
