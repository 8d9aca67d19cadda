import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import { acquireLock } from '../../src/embedded/lock.js';
import { keysIn } from '../../src/embedded/secrets-key.js';
import { loadState, saveState } from '../../src/embedded/state.js';
import { startDatabase } from '../../src/embedded/services.js';
import { bootstrap } from '../../src/access/index.js';
import { storedSecrets } from '../../src/composition.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { withDatabase } from '../../src/platform/database/readiness.js';
import { checkSecretsKey } from '../../src/platform/secrets/secrets-check.js';
import { Secrets } from '../../src/platform/secrets/secrets.js';
import { readSecrets } from '../../src/platform/secrets/stored-secrets.js';
import { testFolder } from '../support/services.js';

let folder: string;
beforeAll(() => {
  folder = testFolder();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function rotate(): Promise<string> {
  let output = '';
  const say = (line: string) => void (output += `${line}\n`);
  try {
    await runAdminCommand(['rotate-secrets'], {
      env: { DATA_DIR: folder },
      say,
      readSecret: () => Promise.resolve(''),
    });
  } catch (error) {
    output += `refused: ${describeFailure(error)}`;
  }
  return output;
}

/** Runs `use` with the database of the data folder. */
async function withEmbedded<T>(use: (url: string) => Promise<T>): Promise<T> {
  const database = await startDatabase({ dataDir: folder }, loadState(folder), new AbortController().signal);
  saveState(folder, { ...loadState(folder), postgresPort: database.port });
  return use(database.url).finally(() => database.stop());
}

/** The texts that the key of the data folder decrypts. */
const readAll = () =>
  withEmbedded(async (url) => {
    const keys = keysIn({ DATA_DIR: folder });
    expect(await checkSecretsKey({ databaseUrl: url, ...keys }, storedSecrets())).toBeNull();
    return withDatabase(url, 1, async (client) =>
      (await readSecrets(client, storedSecrets(), null)).map(({ value, place }) =>
        new Secrets(keys).decrypt(value, place),
      ),
    );
  });

it('replaces the key of the data folder, and continues when it was ended in the middle', async () => {
  expect(await rotate()).toContain(`refused: There is no installation in ${folder}`);
  const { secretsKey: first } = loadState(folder);
  const webhooks = storedSecrets().find(({ table }) => table === 'webhooks')!;
  await withEmbedded(async (url) => {
    await migrate(url);
    await bootstrap(url);
    const keys = keysIn({ DATA_DIR: folder });
    await checkSecretsKey({ databaseUrl: url, ...keys }, storedSecrets());
    const value = new Secrets(keys).encrypt('whsec_text', webhooks.placeOf({ workspace_id: 1 }));
    await withDatabase(url, 1, (client) =>
      client.query(`INSERT INTO webhooks (workspace_id, url, secret) VALUES (1, 'https://hooks.example', $1)`, [value]),
    );
  });

  const lock = await acquireLock(folder);
  expect(await rotate()).toContain('Stop it, run this command, and start it again.');
  lock.release();
  expect(loadState(folder).secretsKey).toBe(first);

  expect(await rotate()).toContain('secrets of webhooks: 1 re-encrypted, 0 had the key already');
  const recorded = await withEmbedded((url) =>
    withDatabase(url, 1, (client) =>
      client.query(`SELECT entity_id, details, request_id FROM audit_entries WHERE action = 'secrets_key.rotate'`),
    ),
  );
  expect(recorded.rows).toMatchObject([
    { request_id: 'command-line', details: { rotated: { 'secrets of webhooks': 1 } } },
  ]);
  const second = loadState(folder);
  expect(second.secretsKey).not.toBe(first);
  expect(second.previousSecretsKeys).toBeUndefined();
  expect(await readAll()).toEqual(['whsec_text']);

  const third = Buffer.alloc(32, 3).toString('base64');
  saveState(folder, { ...loadState(folder), secretsKey: third, previousSecretsKeys: [second.secretsKey] });
  expect(await rotate()).toContain('secrets of webhooks: 1 re-encrypted');
  expect(loadState(folder)).toMatchObject({ secretsKey: third });
  expect(loadState(folder).previousSecretsKeys).toBeUndefined();
  expect(await readAll()).toEqual(['whsec_text']);
});
