import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../src/platform/version.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const COMMAND = 'scripts/tracesheet.mjs';

/** Files that `npm pack` puts into the package, as far as they have been built. */
let files: Set<string>;
beforeAll(() => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const [{ files: packed }] = JSON.parse(output) as [{ files: { path: string }[] }];
  files = new Set(packed.map((file) => file.path));
});

/** A script with all that it imports. */
function importedBy(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name] of readFileSync(path.join(ROOT, file), 'utf8').matchAll(/from '(\.[^']+)'/g))
    importedBy(path.join(path.dirname(file), name!), found);
  return found;
}

describe('the package', () => {
  it('has everything that runs', () => {
    const needed = [
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'dist/src/embedded/launcher.js',
      'dist/src/embedded/admin.js',
      'dist/src/main.js',
      'dist/src/worker.js',
      'dist/src/migrate.js',
      'dist/src/extension.js',
      'dist/migrations/index.js',
      'dist/python/snapshot.bin',
      ...(existsSync(path.join(ROOT, 'dist/console/index.html')) ? ['dist/console/index.html'] : []),
      ...importedBy(COMMAND),
    ];
    expect(needed.filter((file) => !files.has(file))).toEqual([]);
  });

  it('has nothing that only tests, builds and people who change it need', () => {
    const known =
      /^(?:dist\/(?:console|migrations|src|types)\/|dist\/python\/snapshot\.bin$|scripts\/(?:lib\/[\w-]+|tracesheet)\.mjs$|[A-Z]+(?:\.md)?$|package\.json$)/;
    const unwanted = /\.map$|\.spec\.|\.fixture\.|\.tsbuildinfo$|(?<!\.d)\.ts$/;
    expect([...files].filter((file) => !known.test(file) || unwanted.test(file))).toEqual([]);
    const scripts = [...files].filter((file) => file.startsWith('scripts/'));
    expect(scripts.sort()).toEqual([...importedBy(COMMAND)].sort());
  });
});

describe('its command', () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [COMMAND, ...args], { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });

  it('can be run and says its version', () => {
    expect(statSync(path.join(ROOT, COMMAND)).mode & 0o111).toBeGreaterThan(0);
    expect(run('--version')).toBe(`${VERSION}\n`);
  });

  it.each(['help', 'constructor'])('says what there is when it is asked for "%s"', (word) => {
    expect(() => run(word)).toThrow('Usage: tracesheet [COMMAND]');
  });
});
