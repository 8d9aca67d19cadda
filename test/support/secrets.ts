import pg from 'pg';
import { ConsoleSessions } from '../../src/console/index.js';
import { storedSecrets } from '../../src/composition.js';
import { Secrets, type SecretsKeys } from '../../src/platform/secrets/secrets.js';
import { readSecrets } from '../../src/platform/secrets/stored-secrets.js';
import type { TestApp } from './test-app.js';
import { createWebhook } from './webhooks.js';

const url = '/api/admin/v1/workspaces/1';

/** Requests that store an encrypted value, by its kind. `name` must be different every time. */
export const SECRETS: Record<string, (app: TestApp, name: string) => Promise<unknown>> = {
  'secrets of webhooks': (app) => createWebhook(app.client, 1, { url: 'https://hooks.example/a' }),
  'credentials of models': ({ client }, name) =>
    client.post(`${url}/model-credentials`, { provider: 'openai', name, secret: 'sk-0123456789abcdef' }, 201),
  'environment variables': ({ client }, key) => client.post('/api/public/v2/env-vars', { key, value: 'x' }, 201),
  'secrets of MCP servers': ({ client }, name) =>
    client.post(
      `${url}/mcp-servers`,
      {
        name,
        url: 'https://mcp.example/mcp',
        transport: 'streamable_http',
        auth: { type: 'bearer', token: 'secret-0123456789' },
      },
      201,
    ),
  'client secrets of identity providers': (app, name) => {
    const provider = {
      slug: name.toLowerCase().replace('_', '-'),
      name,
      issuer: 'https://id.example',
      client_id: 'me',
    };
    return app.operator().post('/api/admin/v1/identity-providers', { ...provider, client_secret: 'secret' }, 201);
  },
  // Signing in with a provider stores one.
  'ID tokens of sessions': async (app, name) => {
    const [{ id: keyId }] = (await app.sql('SELECT min(id) AS id FROM api_keys WHERE workspace_id = 1')) as [
      { id: number },
    ];
    const origin = { providerId: null, providerSid: null, idToken: `header.${name}.signature` };
    const browser = { address: '127.0.0.1', userAgent: undefined, token: undefined };
    await app.app.get(ConsoleSessions).start({ workspaceId: 1, keyId, requestId: name, origin }, browser);
  },
  'erasures under way': ({ client }, user_id) => client.post(`${url}/erasures`, { user_id }, 202),
};

/** The texts of all encrypted values, by their kind and place. Throws for a value that none of the keys decrypts. */
export async function decryptAll({ config }: TestApp, keys: SecretsKeys): Promise<Map<string, string>> {
  const secrets = new Secrets(keys);
  const texts = new Map<string, string>();
  for (const { what, value, place, row } of await storedValues(config.databaseUrl)) {
    texts.set(`${what} ${place} ${String(row.id)}`, secrets.decrypt(value, place));
  }
  return texts;
}

export async function storedValues(databaseUrl: string): ReturnType<typeof readSecrets> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    return await readSecrets(client, storedSecrets(), null);
  } finally {
    await client.end();
  }
}

export async function deleteSecrets(app: TestApp, { keepsKey = false } = {}): Promise<void> {
  if (!keepsKey) await app.sql('DELETE FROM secrets_check');
  for (const { table, column } of storedSecrets())
    if (table !== 'erasures') await app.sql(`DELETE FROM ${table} WHERE ${column} IS NOT NULL`);
  await app.sql('DELETE FROM erasures');
}
