import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storedSecrets } from '../../src/composition.js';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import { freePort } from '../../src/embedded/ports.js';
import { checkSecretsKey } from '../../src/platform/secrets/secrets-check.js';
import { deleteSecrets, SECRETS } from '../support/secrets.js';
import { testFolder } from '../support/services.js';
import { TestApp } from '../support/test-app.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ANOTHER = Buffer.alloc(32, 2);
const REFUSED = /SECRETS_KEY is not the key that the secrets in this database are encrypted with/;

/** With secrets of every kind. */
let app: TestApp;
let key: Buffer;
let folder: string;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
  key = app.config.secretsKey!;
  folder = testFolder();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.stop();
});
beforeEach(async () => {
  await deleteSecrets(app);
});

const check = (secretsKey: Buffer | null) =>
  checkSecretsKey({ databaseUrl: app.config.databaseUrl, secretsKey }, storedSecrets());

describe('the SECRETS_KEY of a process', () => {
  it.each(storedSecrets().map(({ what }) => what))(
    'is compared with %s where none was compared before',
    async (what) => {
      await SECRETS[what]!(app, 'MINE');
      await expect(check(ANOTHER)).rejects.toThrow(`${REFUSED.source} (${what})`);
      expect(await check(null)).toContain(
        `SECRETS_KEY is not set, but the database has secrets that are encrypted with it (${what})`,
      );
      expect(await check(key)).toBeNull();
    },
  );

  it('is the one of the installation once a process has started with it, before there are secrets', async () => {
    expect(await check(null)).toBeNull();
    expect(await check(key)).toBeNull();
    expect(await check(key)).toBeNull();
    await expect(check(ANOTHER)).rejects.toThrow(REFUSED);
    expect(await check(null)).toBeNull();
  });

  it('is that of one of two processes that start at once with different keys', async () => {
    const ends = await Promise.allSettled([check(key), check(ANOTHER)]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('with another SECRETS_KEY', () => {
  const env = (secretsKey: Buffer) => ({
    DATABASE_URL: app.config.databaseUrl,
    REDIS_URL: app.config.redisUrl,
    SECRETS_KEY: secretsKey.toString('base64'),
  });

  it.each(['main', 'worker', 'embedded/launcher'])('%s does not start, and says why', async (name) => {
    await check(key);
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, `dist/src/${name}.js`)], {
      env: { PATH: process.env.PATH, PORT: String(await freePort()), DATA_DIR: folder, ...env(ANOTHER) },
      encoding: 'utf8',
      timeout: 280_000,
    });
    expect(stdout + stderr).toMatch(REFUSED);
    expect(stdout + stderr).not.toMatch(/^\s+at .*:\d+/m);
    expect(status).toBe(1);
  });

  async function admin(secretsKey: Buffer, ...args: string[]): Promise<string> {
    let output = '';
    const say = (line: string) => void (output += `${line}\n`);
    const readSecret = () => Promise.resolve('sk-test-0123456789');
    try {
      await runAdminCommand(args, { env: env(secretsKey), say, readSecret });
    } catch (error) {
      output += describeFailure(error);
    }
    return output;
  }

  it('the command line encrypts nothing', async () => {
    await check(key);
    expect(await admin(ANOTHER, 'credentials', 'add', '1', 'openai', 'Theirs')).toMatch(REFUSED);
    expect(await admin(ANOTHER, 'erase', '1', '--user', 'somebody')).toMatch(REFUSED);
    expect(await app.sql('SELECT FROM model_credentials')).toEqual([]);
    expect(await admin(key, 'credentials', 'add', '1', 'openai', 'Mine')).toContain('Added credential');
  });

  it('an installation goes on when it is accepted, which says what is lost', async () => {
    await check(key);
    for (const what of ['credentials of models', 'secrets of webhooks']) await SECRETS[what]!(app, 'MINE');
    expect(await admin(ANOTHER, 'accept-secrets-key')).toBe(
      'The installation has this SECRETS_KEY from now on.\n' +
        '1 credentials of models cannot be read with it: enter them again.\n' +
        '1 secrets of webhooks cannot be read with it: enter them again.\n',
    );
    expect(await check(ANOTHER)).toMatch(
      /cannot be read .*: at least 1 credentials of models, at least 1 secrets of webhooks/,
    );
    await deleteSecrets(app, { keepsKey: true });
    expect(await check(ANOTHER)).toBeNull();
    await expect(check(key)).rejects.toThrow(REFUSED);
  });
});
