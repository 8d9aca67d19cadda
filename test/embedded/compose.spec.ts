import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { settings } from '../../src/composition.js';

const text = readFileSync(path.resolve(import.meta.dirname, '../../deploy/docker/compose.yaml'), 'utf8');
const [product, services] = text.split(/^services:$/m) as [string, string];

/** The lines of each service. */
const bodies = new Map(
  [...services.matchAll(/^ {2}(\w+):\n((?: {4}.*\n|\n)+)/gm)].map(([, name, body]) => [name!, body!]),
);
const OURS = ['migrate', 'api', 'worker'];

describe('deploy/docker/compose.yaml', () => {
  it('passes every setting to the processes of Tracesheet, and to no other', () => {
    expect(product).toMatch(/^ {2}env_file: \[\{ path: \.env, required: false \}\]$/m);
    expect(text.match(/\benv_file:/g)).toHaveLength(1);
    // A service with an environment of its own would lose the common one.
    for (const name of OURS) expect(bodies.get(name)).toMatch(/^ {4}<<: \*product$/m);
    for (const name of OURS) expect(bodies.get(name)).not.toMatch(/^ {4}environment:/m);
    const merged = [...bodies].filter(([, body]) => body.includes('*product'));
    expect(merged.map(([name]) => name)).toEqual(OURS);
  });

  it('lists only settings that it works out or needs, each once', () => {
    const [, environment] = /^ {2}environment:\n((?: {4}.*\n)+)/m.exec(product)!;
    const listed = [...environment!.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name!);
    expect(listed).toEqual(['HOST', 'PORT', 'DATABASE_URL', 'REDIS_URL', 'SECRETS_KEY', 'ADMIN_TOKEN']);
    const known = Object.values(settings()).map(({ env }) => env);
    expect(listed.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('migrates only after PostgreSQL answers other containers', () => {
    expect(bodies.get('postgres')).toMatch(/pg_isready --host 127\.0\.0\.1/);
  });

  it('keeps .env out of the repository and of the image', () => {
    for (const file of ['.gitignore', 'deploy/docker/Dockerfile.dockerignore']) {
      const ignored = readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8').split('\n');
      expect(ignored, file).toContain('**/.env');
    }
  });
});

describe('deploy/systemd', () => {
  const folder = path.resolve(import.meta.dirname, '../../deploy/systemd');
  const unit = (name: string) => readFileSync(path.join(folder, `tracesheet-${name}.service`), 'utf8');

  it.each(['api', 'worker'])('keeps the %s running when a migration fails', (name) => {
    expect(unit(name)).toMatch(/^Wants=.*\btracesheet-migrate\.service$/m);
    expect(unit(name)).toMatch(/^After=.*\btracesheet-migrate\.service$/m);
    expect(unit(name)).not.toMatch(/^(Requires|BindsTo|PartOf)=/m);
  });

  it('starts every unit again until it succeeds', () => {
    const units = readdirSync(folder);
    expect(units).toHaveLength(3);
    for (const file of units) {
      const text = readFileSync(path.join(folder, file), 'utf8');
      expect(text, file).toMatch(/^Restart=(always|on-failure)$/m);
      expect(text, file).toMatch(/^StartLimitIntervalSec=0$/m);
    }
  });
});
