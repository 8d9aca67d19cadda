import type { ClientBase } from 'pg';
import { withDatabase } from '../database/readiness.js';
import { StartError } from '../start-error.js';
import { assertKnownKey, replaceCheck } from './secrets-check.js';
import { Secrets, type SecretsKeys } from './secrets.js';
import { isReadable, type RowKey, rowKeyOf, type StoredSecret } from './stored-secrets.js';

/** Rows per statement that reads them. */
const AT_ONCE = 500;
/** Processes that still have the old key may write values meanwhile: they are found by another pass. */
const MOST_PASSES = 10;

export interface RotatedSecrets {
  what: string;
  /** Values that were re-encrypted. */
  rotated: number;
  /** Values that had the current key already. */
  current: number;
  /** Values that none of the given keys can decrypt. */
  lost: number;
}

/**
 * Re-encrypts all stored values with SECRETS_KEY, in small steps while the server runs. Each value is replaced only if it is still the
 * one that was read, so a change at the same moment is kept. It can be stopped and repeated at any time.
 * @throws StartError without a SECRETS_KEY_PREVIOUS, and when the database belongs to a key that is not given
 */
export function rotateSecrets(
  databaseUrl: string,
  keys: SecretsKeys,
  stored: readonly StoredSecret[],
): Promise<RotatedSecrets[]> {
  if (!keys.secretsKey || !keys.secretsKeyPrevious?.length) {
    throw new StartError(
      'Set SECRETS_KEY to the new key and SECRETS_KEY_PREVIOUS to the one before, also for all processes of the server.',
    );
  }
  return withDatabase(databaseUrl, 1, async (client) => {
    await assertKnownKey(client, keys);
    const results: RotatedSecrets[] = [];
    for (const secret of stored) results.push(await rotateColumn(client, secret, keys));
    // Values that none of the keys can decrypt stay: a later rotation with their key can still re-encrypt them.
    await replaceCheck(client, keys.secretsKey!);
    return results;
  });
}

async function rotateColumn(client: ClientBase, secret: StoredSecret, keys: SecretsKeys): Promise<RotatedSecrets> {
  const rowKey = await rowKeyOf(client, secret.table);
  const result: RotatedSecrets = { what: secret.what, rotated: 0, current: 0, lost: 0 };
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const { rotated, current, lost, missed } = await passOver(client, secret, { keys, rowKey });
    Object.assign(result, { current: pass === 0 ? current : result.current, lost });
    result.rotated += rotated;
    if (rotated === 0 && missed === 0) return result;
  }
  throw new StartError(
    `Some process writes ${secret.what} with another SECRETS_KEY. Restart every process with the new one, then repeat the command.`,
  );
}

type Pass = Omit<RotatedSecrets, 'what'> & {
  /** Values that were changed after they were read. */
  missed: number;
};

async function passOver(
  client: ClientBase,
  secret: StoredSecret,
  { keys, rowKey }: { keys: SecretsKeys; rowKey: RowKey },
): Promise<Pass> {
  const secrets = new Secrets(keys);
  const pass: Pass = { rotated: 0, current: 0, lost: 0, missed: 0 };
  for (let after: string[] | null = null; ;) {
    const rows = await readRows(client, secret, { rowKey, after });
    for (const { key, row } of rows) {
      const value = row[secret.column] as Buffer;
      const place = secret.placeOf(row);
      if (!isReadable(value, place, keys)) pass.lost++;
      else if (secrets.isCurrent(value)) pass.current++;
      else {
        const replaced = secrets.encrypt(secrets.decrypt(value, place), place);
        pass[(await replace(client, secret, { rowKey, key, value, replaced })) ? 'rotated' : 'missed']++;
      }
    }
    if (rows.length < AT_ONCE) return pass;
    after = rows.at(-1)!.key;
  }
}

interface KeyedRow {
  /** The values of the primary key, as text. */
  key: string[];
  row: Record<string, unknown>;
}

/** The next rows in the order of the primary key. */
async function readRows(
  client: ClientBase,
  { table, column }: StoredSecret,
  { rowKey, after }: { rowKey: RowKey; after: string[] | null },
): Promise<KeyedRow[]> {
  const { columns } = rowKey;
  const key = columns.join(', ');
  const position = after ? `AND (${key}) > (${placeholders(rowKey, 1)})` : '';
  const { rows } = await client.query<Record<string, unknown> & { row_key: string[] }>(
    `SELECT *, ARRAY[${columns.map((name) => `${name}::text`).join(', ')}] AS row_key FROM ${table}
      WHERE ${column} IS NOT NULL ${position} ORDER BY ${key} LIMIT ${AT_ONCE}`,
    after ?? [],
  );
  return rows.map(({ row_key: values, ...row }) => ({ key: values, row }));
}

/** False when the row has another value by now. */
async function replace(
  client: ClientBase,
  { table, column }: StoredSecret,
  { rowKey, key, value, replaced }: { rowKey: RowKey; key: string[]; value: Buffer; replaced: Buffer },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE ${table} SET ${column} = $1
      WHERE ${column} = $2 AND (${rowKey.columns.join(', ')}) = (${placeholders(rowKey, 3)})`,
    [replaced, value, ...key],
  );
  return rowCount === 1;
}

const placeholders = ({ types }: RowKey, first: number): string =>
  types.map((type, at) => `$${first + at}::${type}`).join(', ');
