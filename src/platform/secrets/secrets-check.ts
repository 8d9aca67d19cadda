import type { ClientBase } from 'pg';
import { ifStorable } from '../database/if-storable.js';
import { withDatabase } from '../database/readiness.js';
import { StartError } from '../start-error.js';
import { Secrets } from './secrets.js';

/** A column of encrypted values. */
export interface StoredSecret {
  /** The name of its values, in the plural. */
  what: string;
  table: string;
  column: string;
  /** The encryption context of a row's value. */
  placeOf(row: Record<string, unknown>): string;
}

const VALUE = 'SECRETS_KEY';
const PLACE = 'check of SECRETS_KEY';
/** Values tried per column. If the key was changed before the check existed, not all of them are readable. */
const SAMPLES = 50;

/**
 * Compares SECRETS_KEY with the key of the database's secrets. The first process with a key stores a value
 * that only this key decrypts. Without that value the secrets themselves are tried; without any secret, every key is accepted.
 * Returns a warning for the log when the database has secrets and this process has no key, which is harmless.
 * @throws StartError for another key: no other process could decrypt its secrets
 */
export function checkSecretsKey(
  { databaseUrl, secretsKey }: { databaseUrl: string; secretsKey: Buffer | null },
  stored: readonly StoredSecret[],
): Promise<string | null> {
  return withDatabase(databaseUrl, 1, async (client) => {
    const check = await readCheck(client);
    if (check && secretsKey && isReadable(check, PLACE, secretsKey)) return null;
    const samples = await readSecrets(client, stored, SAMPLES);
    if (!secretsKey) return samples.length === 0 ? null : missing(samples);
    const isFirst = samples.length === 0 || samples.some(({ value, place }) => isReadable(value, place, secretsKey));
    if (check || !isFirst) throw new StartError(another(samples));
    await ifStorable(keepCheck(client, secretsKey));
    return null;
  });
}

/**
 * For commands that encrypt: throws where the database is known to belong to another key.
 * @throws StartError
 */
export async function assertSecretsKey(databaseUrl: string, secretsKey: Buffer | null): Promise<void> {
  await withDatabase(databaseUrl, 1, async (client) => {
    const check = await readCheck(client);
    if (check && secretsKey && !isReadable(check, PLACE, secretsKey)) throw new StartError(another([]));
  });
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
      if (!isReadable(value, place, secretsKey)) lost.set(what, (lost.get(what) ?? 0) + 1);
    await client.query('DELETE FROM secrets_check');
    await keepCheck(client, secretsKey);
    return lost;
  });
}

interface Sample {
  what: string;
  value: Buffer;
  place: string;
}

async function readCheck(client: ClientBase): Promise<Buffer | null> {
  const { rows } = await client.query<{ value: Buffer }>('SELECT value FROM secrets_check');
  return rows[0]?.value ?? null;
}

async function readSecrets(
  client: ClientBase,
  stored: readonly StoredSecret[],
  most: number | null,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (const { what, table, column, placeOf } of stored) {
    const { rows } = await client.query<Record<string, unknown>>(
      `SELECT * FROM ${table} WHERE ${column} IS NOT NULL LIMIT $1`,
      [most],
    );
    samples.push(...rows.map((row) => ({ what, value: row[column] as Buffer, place: placeOf(row) })));
  }
  return samples;
}

/** When two processes with different keys start at once, the later one is refused. */
async function keepCheck(client: ClientBase, secretsKey: Buffer): Promise<void> {
  const value = new Secrets({ secretsKey }).encrypt(VALUE, PLACE);
  await client.query('INSERT INTO secrets_check (id, value) VALUES (1, $1) ON CONFLICT DO NOTHING', [value]);
  const kept = await readCheck(client);
  if (kept && !isReadable(kept, PLACE, secretsKey)) throw new StartError(another([]));
}

function isReadable(value: Buffer, place: string, secretsKey: Buffer): boolean {
  try {
    new Secrets({ secretsKey }).decrypt(value, place);
    return true;
  } catch {
    return false;
  }
}

const kinds = (samples: readonly Sample[]): string => [...new Set(samples.map(({ what }) => what))].join(', ');

function another(samples: readonly Sample[]): string {
  const found = samples.length === 0 ? '' : ` (${kinds(samples)})`;
  return (
    `SECRETS_KEY is not the key that the secrets in this database are encrypted with${found}. Start with that key; with this one they ` +
    'cannot be read. If it is lost, `npm run admin -- accept-secrets-key` takes this one: the secrets then have to be entered again.'
  );
}

function missing(samples: readonly Sample[]): string {
  return `SECRETS_KEY is not set, but the database has secrets that are encrypted with it (${kinds(samples)}). This process cannot read them, and nothing that needs a secret can be created.`;
}
