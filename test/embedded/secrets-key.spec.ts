import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storedSecrets } from '../../src/composition.js';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import { freePort } from '../../src/embedded/ports.js';
import { keysIn } from '../../src/embedded/secrets-key.js';
import { loadState, saveState } from '../../src/embedded/state.js';
import { checkSecretsKey } from '../../src/platform/secrets/secrets-check.js';
import { testDatabase } from '../support/database.js';
import { deepIt } from '../support/depth.js';
import { deleteSecrets, SECRETS } from '../support/secrets.js';
import { testFolder } from '../support/services.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

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

async function runCommand(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  let output = '';
  const say = (line: string) => void (output += `${line}\n`);
  const readSecret = () => Promise.resolve('sk-test-0123456789');
  try {
    await runAdminCommand(args, { env, say, readSecret });
  } catch (error) {
    output += describeFailure(error);
  }
  return output;
}

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

  const admin = (secretsKey: Buffer, ...args: string[]) => runCommand(env(secretsKey), ...args);

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

describe('the key of a data folder', () => {
  const KEYS = [3, 4, 5].map((fill) => Buffer.alloc(32, fill)) as [Buffer, Buffer, Buffer];
  const [KEPT, EARLIER, GIVEN] = KEYS.map((each) => each.toString('base64')) as [string, string, string];

  it('has the previous keys of the environment beside its own', () => {
    saveState(folder, { ...loadState(folder), secretsKey: KEPT, previousSecretsKeys: [EARLIER] });
    const kept = { secretsKey: KEYS[0], secretsKeyPrevious: [KEYS[1], KEYS[2]] };
    expect(keysIn({ DATA_DIR: folder, SECRETS_KEY_PREVIOUS: GIVEN })).toEqual(kept);
    expect(keysIn({ DATA_DIR: folder, SECRETS_KEY_PREVIOUS: GIVEN, DATABASE_URL: 'x' })).toEqual(kept);
    const given = { SECRETS_KEY: GIVEN, SECRETS_KEY_PREVIOUS: EARLIER };
    expect(keysIn({ DATA_DIR: folder, ...given })).toEqual({ secretsKey: KEYS[2], secretsKeyPrevious: [KEYS[1]] });
    const none = { DATA_DIR: path.join(folder, 'none'), DATABASE_URL: 'x' };
    expect(keysIn(none)).toEqual({ secretsKey: null, secretsKeyPrevious: [] });
  });

  deepIt('is announced when npm start makes it for a database of the operator, and used by commands', async () => {
    const database = await testDatabase();
    const dataDir = path.join(folder, 'of-operator');
    const services = { DATABASE_URL: database.url, REDIS_URL: app.config.redisUrl, DATA_DIR: dataDir };
    const env = { PATH: process.env.PATH, PORT: String(await freePort()), DEMO: 'off', ...services };

    /** Starts the product and stops it; gives its output. */
    async function launch(more: NodeJS.ProcessEnv): Promise<string> {
      const launcher = path.join(ROOT, 'dist/src/embedded/launcher.js');
      const child = spawn(process.execPath, [launcher], { env: { ...env, ...more } });
      let output = '';
      let hasEnded = false;
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
      const ended = once(child, 'exit').then(() => (hasEnded = true));
      await until(() => Promise.resolve(hasEnded || output.includes('Press Ctrl-C')));
      child.kill('SIGTERM');
      await ended;
      return output;
    }

    const made = `Made a SECRETS_KEY in ${dataDir}/state.json. Keep a copy`;
    expect(await launch({})).toMatch(new RegExp(`${made}[^]*Press Ctrl-C`));
    expect(await runCommand(services, 'credentials', 'add', '1', 'openai', 'Mine')).toContain('Added credential');
    const { secretsKey: first } = loadState(dataDir);
    expect(await runCommand(services, 'rotate-secrets')).toContain('The data folder has the new key.');
    const { secretsKey: second, ...state } = loadState(dataDir);
    expect(second).not.toBe(first);

    saveState(dataDir, { ...state, secretsKey: KEPT });
    expect(await launch({})).toMatch(REFUSED);
    const again = await launch({ SECRETS_KEY_PREVIOUS: second });
    expect(again).toContain('Press Ctrl-C');
    expect(again).not.toContain('Made a SECRETS_KEY');
    await database.close();
  });
});
