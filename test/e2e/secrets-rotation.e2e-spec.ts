import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storedSecrets } from '../../src/composition.js';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import type { BackupManifest } from '../../src/platform/backup/backup-folder.js';
import type { Caller } from '../../src/access/index.js';
import { LiveTokens } from '../../src/live/live-tokens.js';
import { rotateSecrets } from '../../src/platform/secrets/rotate-secrets.js';
import { checkSecretsKey } from '../../src/platform/secrets/secrets-check.js';
import { Secrets, type SecretsKeys } from '../../src/platform/secrets/secrets.js';
import { nameOfKey } from '../../src/platform/secrets/stored-secrets.js';
import { emptyDatabase } from '../support/database.js';
import { decryptAll, deleteSecrets, SECRETS, storedValues } from '../support/secrets.js';
import { testFolder } from '../support/services.js';
import { sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { createWebhook, IMPATIENT, NEWS, Receiver, signatureOf } from '../support/webhooks.js';

const NEXT = randomBytes(32);
const LATER = randomBytes(32);
const text = (key: Buffer) => key.toString('base64');

/** A server with the first key, and one of the same installation that has the next key, too. */
let before: TestApp;
let rotating: TestApp;
let FIRST: Buffer;
let folder: string;
beforeAll(async () => {
  folder = testFolder();
  before = await TestApp.own({ works: false, env: IMPATIENT });
  FIRST = before.config.secretsKey!;
  const installation = { url: before.config.databaseUrl, apiKey: before.apiKey, close: () => Promise.resolve() };
  const keys = { SECRETS_KEY: text(NEXT), SECRETS_KEY_PREVIOUS: ` ${text(LATER)}, ${text(FIRST)} ` };
  rotating = await TestApp.own({ installation, env: { ...IMPATIENT, ...keys } });
});
afterAll(async () => {
  await rotating.stop();
  await before.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await deleteSecrets(before);
  await check({ secretsKey: FIRST });
});

const BOTH = (): SecretsKeys => ({ secretsKey: NEXT, secretsKeyPrevious: [FIRST] });
const check = (keys: SecretsKeys) =>
  checkSecretsKey({ databaseUrl: before.config.databaseUrl, ...keys }, storedSecrets());
const rotate = (keys: SecretsKeys, stored = storedSecrets()) => rotateSecrets(before.config.databaseUrl, keys, stored);

async function admin(env: Record<string, string>, ...args: string[]): Promise<string> {
  let output = '';
  const say = (line: string) => void (output += `${line}\n`);
  try {
    const environment = { DATABASE_URL: before.config.databaseUrl, INIT_CWD: folder, ...env };
    await runAdminCommand(args, { env: environment, say, readSecret: () => Promise.resolve('sk-0123456789abcdef') });
  } catch (error) {
    output += `refused: ${describeFailure(error)}`;
  }
  return output;
}

/** A value of every kind. */
async function storeAll(app: TestApp, name: string): Promise<void> {
  for (const store of Object.values(SECRETS)) await store(app, name);
}

describe('a rotation', () => {
  it('re-encrypts every kind of secret, says how many, and changes none of the texts', async () => {
    await storeAll(before, 'ONE');
    await SECRETS['environment variables']!(rotating, 'TWO');
    const texts = await decryptAll(before, BOTH());
    const keys = { SECRETS_KEY: text(NEXT), SECRETS_KEY_PREVIOUS: text(FIRST) };
    const said = await admin(keys, 'rotate-secrets');
    for (const { what } of storedSecrets()) expect(said).toMatch(new RegExp(`^${what}: 1 re-encrypted, [01] had`, 'm'));
    expect(said).toContain('environment variables: 1 re-encrypted, 1 had the key already');
    expect(said).toContain(`have the key ${nameOfKey(NEXT)} from now on.\nRemove SECRETS_KEY_PREVIOUS`);
    expect(await decryptAll(before, { secretsKey: NEXT })).toEqual(texts);
    expect(await admin(keys, 'rotate-secrets')).toContain('environment variables: 0 re-encrypted, 2 had');
  });

  it('goes on where another one was ended, and loses no value that is written meanwhile', async () => {
    await storeAll(before, 'ONE');
    const [one, ...others] = storedSecrets();
    await rotate(BOTH(), [one!]);
    await expect(decryptAll(before, { secretsKey: NEXT })).rejects.toThrow();
    const writes = Array.from({ length: 40 }, (_, n) => SECRETS['environment variables']!(rotating, `KEY_${n}`));
    const results = await Promise.all([rotate(BOTH()), rotate(BOTH()), ...writes]);
    expect(results.slice(0, 2).flat()).not.toContainEqual(expect.objectContaining({ lost: 1 }));
    expect(others.length).toBeGreaterThan(0);
    const texts = await decryptAll(before, { secretsKey: NEXT });
    expect([...texts.values()].filter((value) => value === 'x').length).toBe(41);
  });

  it('covers more rows than one batch', async () => {
    const secrets = new Secrets({ secretsKey: FIRST });
    const stored = storedSecrets().find(({ table }) => table === 'model_credentials')!;
    await SECRETS['credentials of models']!(before, 'Template');
    const value = secrets.encrypt('sk-many', stored.placeOf({ workspace_id: 1 }));
    await before.sql(
      `INSERT INTO model_credentials (workspace_id, provider, name, secret, last_four, options)
       SELECT 1, 'openai', 'n' || n, $1, 'many', '{}' FROM generate_series(1, 1200) AS n`,
      [value],
    );
    const [result] = await rotate(BOTH(), [stored]);
    expect(result).toEqual({ what: stored.what, rotated: 1201, current: 0, lost: 0 });
    expect((await decryptAll(before, { secretsKey: NEXT })).size).toBe(1201);
  });

  it('leaves values that no key decrypts, and a later one can still re-encrypt them', async () => {
    await storeAll(before, 'ONE');
    await before.sql('DELETE FROM secrets_check');
    await check({ secretsKey: LATER, secretsKeyPrevious: [FIRST] });
    const lost = await rotate({ secretsKey: NEXT, secretsKeyPrevious: [LATER] });
    expect(lost.map(({ lost: count }) => count)).toEqual(storedSecrets().map(() => 1));
    expect(await check({ secretsKey: NEXT })).toMatch(/cannot be read with the keys of this process: at least 1 /);
    await rotate(BOTH());
    expect(await check({ secretsKey: NEXT })).toBeNull();
    expect((await decryptAll(before, { secretsKey: NEXT })).size).toBe(storedSecrets().length);
  });

  it('refuses without a previous key, and for a database of another key', async () => {
    expect(await admin({ SECRETS_KEY: text(NEXT) }, 'rotate-secrets')).toContain(
      'refused: Set SECRETS_KEY to the new key',
    );
    expect(await admin({ SECRETS_KEY: text(NEXT), SECRETS_KEY_PREVIOUS: text(LATER) }, 'rotate-secrets')).toContain(
      `They need the key ${nameOfKey(FIRST)}; given: ${nameOfKey(NEXT)}, ${nameOfKey(LATER)}.`,
    );
    expect(await admin({ SECRETS_KEY: text(NEXT), SECRETS_KEY_PREVIOUS: 'short' }, 'rotate-secrets')).toContain(
      'SECRETS_KEY_PREVIOUS should be 32 bytes in base64',
    );
  });
});

describe('a server with the next key and the previous one', () => {
  it('reads secrets of both before and after the rotation: webhooks are signed as before', async () => {
    const receiver = await Receiver.start();
    try {
      const { secret } = await createWebhook(before.client, 1, { url: receiver.url });
      const delivered = async (name: string) => {
        const count = receiver.requests.length;
        const prompt = { prompt_template: { type: 'completion', content: [{ type: 'text', text: 'Hi' }] } };
        await rotating.client.post(
          '/rest/prompt-templates',
          { prompt_template: { prompt_name: name }, prompt_version: prompt },
          201,
        );
        await sweepUntil(rotating, NEWS, () => Promise.resolve(receiver.requests.length > count));
        const { headers, body } = receiver.requests.at(-1)!;
        expect(JSON.stringify(headers)).toContain(signatureOf(body, secret));
      };
      await delivered('before the rotation');
      await rotate(BOTH());
      await delivered('after the rotation');
    } finally {
      await receiver.stop();
    }
  });

  it('asks for a rotation, and needs only the next key afterwards; the previous key alone is then rejected', async () => {
    await storeAll(before, 'ONE');
    expect(await check(BOTH())).toContain(`with the key ${nameOfKey(FIRST)} of SECRETS_KEY_PREVIOUS. Run`);
    await expect(check({ secretsKey: NEXT })).rejects.toThrow(`They need the key ${nameOfKey(FIRST)}`);
    // A key that is to come is known to all processes first, so that none meets a value it cannot read.
    expect(await check({ secretsKey: FIRST, secretsKeyPrevious: [NEXT] })).toBeNull();
    await rotate(BOTH());
    expect(await check(BOTH())).toBeNull();
    expect(await check({ secretsKey: NEXT })).toBeNull();
    await expect(check({ secretsKey: FIRST })).rejects.toThrow(`They need the key ${nameOfKey(NEXT)}`);
  });

  it('stores values that name their key, and one with a single key does not', async () => {
    await SECRETS['environment variables']!(before, 'UNNAMED');
    await SECRETS['environment variables']!(rotating, 'NAMED');
    const values = await storedValues(before.config.databaseUrl);
    expect(values.map(({ row, value }) => [row.key, value[0]])).toEqual(
      expect.arrayContaining([
        ['UNNAMED', 1],
        ['NAMED', 2],
      ]),
    );
    expect(await check({ secretsKey: FIRST })).toContain(`1 environment variables (key ${nameOfKey(NEXT)})`);
  });

  it('accepts tokens of the live channel that were issued before', async () => {
    const issuer = { workspaceId: 1, keyId: 1 } as Caller;
    const { token } = await before.app.get(LiveTokens, { strict: false }).issue(issuer, 'channel');
    const verifier = rotating.app.get(LiveTokens, { strict: false });
    expect(await verifier.verify(token)).toMatchObject({ workspaceId: 1, channel: 'channel' });
    const { token: next } = await verifier.issue(issuer, 'channel');
    expect(await verifier.verify(next)).toMatchObject({ channel: 'channel' });
    expect(await before.app.get(LiveTokens, { strict: false }).verify(next)).toBe('invalid');
  });
});

describe('a backup', () => {
  it('names the keys it needs, and its restoration says which one is missing', async () => {
    await SECRETS['environment variables']!(before, 'UNNAMED');
    await SECRETS['environment variables']!(rotating, 'NAMED');
    const name = 'of-two-keys';
    const needed = [nameOfKey(FIRST), nameOfKey(NEXT)];
    expect(await admin({}, 'backup', name)).toContain(`It needs the key ${needed.join(' and ')}.`);
    const file = path.join(folder, name, 'backup.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as BackupManifest;
    expect(manifest.secretsKeys).toEqual(needed);

    const restored = async (env: Record<string, string>) => {
      const copy = await emptyDatabase();
      try {
        return await admin({ DATABASE_URL: copy.url, ...env }, 'restore', name);
      } finally {
        await copy.close();
      }
    };
    expect(await restored({ SECRETS_KEY: text(LATER), SECRETS_KEY_PREVIOUS: text(FIRST) })).toContain(
      `Its secrets need the SECRETS_KEY ${nameOfKey(NEXT)}, which is not given (given: ${nameOfKey(LATER)}, ${nameOfKey(FIRST)}).`,
    );
    expect(await restored({})).toContain(
      `need the SECRETS_KEY ${needed.join(' and ')}, which is not given (given: none)`,
    );
    expect(await restored({ SECRETS_KEY: text(NEXT), SECRETS_KEY_PREVIOUS: text(FIRST) })).toContain(
      'can be read with',
    );
    const { secretsKeys: _, ...old } = manifest;
    writeFileSync(file, JSON.stringify(old));
    expect(await restored({ SECRETS_KEY: text(NEXT) })).toContain('Start the server with the SECRETS_KEY of then');
  });
});
