import type { ClientBase } from 'pg';
import { ifStorable } from '../database/if-storable.js';
import { withDatabase } from '../database/readiness.js';
import { StartError } from '../start-error.js';
import { namedKeyOf, Secrets, type SecretsKeys } from './secrets.js';
import {
  countNamedKeys,
  type FoundSecret,
  isReadable,
  namedKeysIn,
  nameOfKey,
  readSecrets,
  type StoredSecret,
} from './stored-secrets.js';

const VALUE = 'SECRETS_KEY';
const PLACE = 'check of SECRETS_KEY';
/** Values tried per column. If the key was changed before the check existed, not all of them are readable. */
const SAMPLES = 50;

/**
 * Compares the keys of a process with the key of the database's secrets. The first process with a key stores a value that only this key
 * decrypts. Without that value the secrets themselves are tried; without any secret, every key is accepted. Returns a warning for the
 * log when the process cannot decrypt some secrets, or when they wait for a rotation.
 * @throws StartError for another key: no other process could decrypt its secrets
 */
export function checkSecretsKey(
  { databaseUrl, ...keys }: { databaseUrl: string } & SecretsKeys,
  stored: readonly StoredSecret[],
): Promise<string | null> {
  return withDatabase(databaseUrl, 1, async (client) => {
    const check = await readCheck(client);
    const { secretsKey } = keys;
    if (check && secretsKey && isReadable(check.value, PLACE, keys)) {
      const key = await nameCheck(client, check, keys);
      return (await unreadable(client, stored, keys)) ?? (key.equals(secretsKey) ? null : waiting(key));
    }
    const samples = await readSecrets(client, stored, SAMPLES);
    if (!secretsKey) return samples.length === 0 ? null : missing(samples);
    const isFirst = samples.length === 0 || samples.some(({ value, place }) => isReadable(value, place, keys));
    if (check || !isFirst) throw new StartError(another(samples, keys, check));
    await ifStorable(keepCheck(client, secretsKey));
    return unreadable(client, stored, keys);
  });
}

/**
 * For commands that encrypt: throws where the database is known to belong to another key.
 * @throws StartError
 */
export async function assertSecretsKey(databaseUrl: string, keys: SecretsKeys): Promise<void> {
  await withDatabase(databaseUrl, 1, (client) => assertKnownKey(client, keys));
}

export async function assertKnownKey(client: ClientBase, keys: SecretsKeys): Promise<void> {
  const check = await readCheck(client);
  if (check && keys.secretsKey && !isReadable(check.value, PLACE, keys)) {
    throw new StartError(another([], keys, check));
  }
}

/** Makes this key the one of the installation. Returns how many secrets of each kind it cannot decrypt. */
export function acceptSecretsKey(
  databaseUrl: string,
  secretsKey: Buffer,
  stored: readonly StoredSecret[],
): Promise<Map<string, number>> {
  return withDatabase(databaseUrl, 1, async (client) => {
    const secrets = await readSecrets(client, stored, null);
    const lost = new Map<string, number>();
    for (const { what, value, place } of secrets)
      if (!isReadable(value, place, { secretsKey })) lost.set(what, (lost.get(what) ?? 0) + 1);
    await replaceCheck(client, secretsKey);
    return lost;
  });
}

/** Makes a key the one of the installation, in one statement: a process that starts meanwhile finds one or the other. */
export async function replaceCheck(client: ClientBase, secretsKey: Buffer): Promise<void> {
  await client.query(
    `INSERT INTO secrets_check (id, value, key_id) VALUES (1, $1, $2)
     ON CONFLICT (id) DO UPDATE SET value = excluded.value, key_id = excluded.key_id`,
    [newCheck(secretsKey), nameOfKey(secretsKey)],
  );
}

/**
 * The ids of the keys that a database needs: of the key of the installation, and of those that values name. A backup is also made of an
 * older schema, which lacks some columns of secrets.
 */
export async function neededKeys(client: ClientBase, stored: readonly StoredSecret[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = current_schema()`,
  );
  const columns = new Set(rows.map(({ name }) => name));
  const check = columns.has('secrets_check.value') ? await readCheck(client) : null;
  const existing = stored.filter(({ table, column }) => columns.has(`${table}.${column}`));
  const named = await countNamedKeys(client, existing);
  return [...new Set([...(check?.keyId ? [check.keyId] : []), ...named.map(({ keyId }) => keyId)])];
}

/** The same for the values of one workspace, which are in tables with a `workspace_id`. */
export async function keysNeededBy(
  client: ClientBase,
  stored: readonly StoredSecret[],
  workspaceId: number,
): Promise<string[]> {
  const named = await namedKeysIn(client, stored, workspaceId);
  const check = named.has(null) ? await readCheck(client) : null;
  return [...new Set([...named, check?.keyId ?? null])].filter((keyId) => keyId !== null).sort();
}

interface Check {
  value: Buffer;
  keyId: string | null;
}

async function readCheck(client: ClientBase): Promise<Check | null> {
  // A backup is also made of a database whose schema lacks the column.
  const { rows } = await client.query<Check>(
    `SELECT value, to_jsonb(c) ->> 'key_id' AS "keyId" FROM secrets_check AS c`,
  );
  return rows[0] ?? null;
}

/** Without the id of the key, so that processes of version 0.2 can read it. */
const newCheck = (secretsKey: Buffer): Buffer => new Secrets({ secretsKey }).encrypt(VALUE, PLACE);

/** When two processes with different keys start at once, the later one is refused. */
async function keepCheck(client: ClientBase, secretsKey: Buffer): Promise<void> {
  await client.query('INSERT INTO secrets_check (id, value, key_id) VALUES (1, $1, $2) ON CONFLICT DO NOTHING', [
    newCheck(secretsKey),
    nameOfKey(secretsKey),
  ]);
  const kept = await readCheck(client);
  if (kept && !isReadable(kept.value, PLACE, { secretsKey })) throw new StartError(another([], { secretsKey }, kept));
}

/** Returns the key of the check, and stores its id if an earlier release has written the check. */
async function nameCheck(client: ClientBase, check: Check, keys: SecretsKeys): Promise<Buffer> {
  const given = givenKeys(keys);
  const key = given.find((secretsKey) => isReadable(check.value, PLACE, { secretsKey }))!;
  if (check.keyId === null) {
    const values = [nameOfKey(key), check.value];
    await ifStorable(client.query('UPDATE secrets_check SET key_id = $1 WHERE id = 1 AND value = $2', values));
  }
  return key;
}

const givenKeys = ({ secretsKey, secretsKeyPrevious = [] }: SecretsKeys): Buffer[] => [
  ...(secretsKey ? [secretsKey] : []),
  ...secretsKeyPrevious,
];

/**
 * A warning about values that no given key decrypts; null when there are none. Values that name their key are counted, of the others
 * some are tried.
 */
async function unreadable(
  client: ClientBase,
  stored: readonly StoredSecret[],
  keys: SecretsKeys,
): Promise<string | null> {
  const given = new Set(givenKeys(keys).map(nameOfKey));
  const named = (await countNamedKeys(client, stored)).filter(({ keyId }) => !given.has(keyId));
  const unnamed = (await readSecrets(client, stored, SAMPLES)).filter(
    ({ value, place }) => !namedKeyOf(value) && !isReadable(value, place, keys),
  );
  const parts = [
    ...named.map(({ what, keyId, count }) => `${count} ${what} (key ${keyId})`),
    ...[...new Set(unnamed.map(({ what }) => what))].map(
      (what) => `at least ${unnamed.filter((each) => each.what === what).length} ${what}`,
    ),
  ];
  if (parts.length === 0) return null;
  return `Some secrets in this database cannot be read with the keys of this process: ${parts.join(', ')}. Add the key they were encrypted with to SECRETS_KEY_PREVIOUS, or enter them again.`;
}

const kinds = (samples: readonly FoundSecret[]): string => [...new Set(samples.map(({ what }) => what))].join(', ');

function another(samples: readonly FoundSecret[], keys: SecretsKeys, check: Check | null): string {
  const found = samples.length === 0 ? '' : ` (${kinds(samples)})`;
  const needed = check?.keyId
    ? ` They need the key ${check.keyId}; given: ${givenKeys(keys).map(nameOfKey).join(', ')}.`
    : '';
  return (
    `SECRETS_KEY is not the key that the secrets in this database are encrypted with${found}.${needed} Start with that key; with this one they ` +
    'cannot be read. To replace it by a new one, set SECRETS_KEY_PREVIOUS to it and run `npm run admin -- rotate-secrets`. If it is lost, ' +
    '`npm run admin -- accept-secrets-key` takes this one: the secrets then have to be entered again.'
  );
}

const waiting = (key: Buffer): string =>
  `The secrets in this database are encrypted with the key ${nameOfKey(key)} of SECRETS_KEY_PREVIOUS. Run \`npm run admin -- rotate-secrets\` when all processes have the new key, and keep SECRETS_KEY_PREVIOUS until then.`;

function missing(samples: readonly FoundSecret[]): string {
  return `SECRETS_KEY is not set, but the database has secrets that are encrypted with it (${kinds(samples)}). This process cannot read them, and nothing that needs a secret can be created.`;
}
