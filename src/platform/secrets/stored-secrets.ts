import pg from 'pg';
import type { ClientBase } from 'pg';
import { KEY_ID_BYTES, keyIdOf } from './key-id.js';
import { Secrets, type SecretsKeys } from './secrets.js';

/** A column of encrypted values. */
export interface StoredSecret {
  /** The name of its values, in the plural. */
  what: string;
  table: string;
  column: string;
  /** The encryption context of a row's value. */
  placeOf(row: Record<string, unknown>): string;
}

/** A value with its row. */
export interface FoundSecret {
  what: string;
  value: Buffer;
  place: string;
  row: Record<string, unknown>;
}

/** Up to `most` values of each column, all without it; those of a workspace, if one is given. */
export async function readSecrets(
  client: ClientBase,
  stored: readonly StoredSecret[],
  most: number | null,
  workspaceId: number | null = null,
): Promise<FoundSecret[]> {
  const [ofWorkspace, parameters] = workspaceId === null ? ['', []] : ['AND workspace_id = $2', [workspaceId]];
  const found: FoundSecret[] = [];
  for (const { what, table, column, placeOf } of stored) {
    const { rows } = await client.query<Record<string, unknown>>(
      `SELECT * FROM ${table} WHERE ${column} IS NOT NULL ${ofWorkspace} LIMIT $1`,
      [most, ...parameters],
    );
    found.push(...rows.map((row) => ({ what, value: row[column] as Buffer, place: placeOf(row), row })));
  }
  return found;
}

export function isReadable(value: Buffer, place: string, keys: SecretsKeys): boolean {
  try {
    new Secrets(keys).decrypt(value, place);
    return true;
  } catch {
    return false;
  }
}

/** The text of the id of a key. */
export const nameOfKey = (key: Buffer): string => keyIdOf(key).toString('hex');

/** The ids of keys that values name, with the number of such values, by the name of their kind. */
export async function countNamedKeys(
  client: ClientBase,
  stored: readonly StoredSecret[],
): Promise<{ what: string; keyId: string; count: number }[]> {
  const found: { what: string; keyId: string; count: number }[] = [];
  for (const { what, table, column } of stored) {
    const { rows } = await client.query<{ keyId: string; count: number }>(
      `SELECT encode(substring(${column} FROM 2 FOR ${KEY_ID_BYTES}), 'hex') AS "keyId", count(*)::int AS count
         FROM ${table} WHERE substring(${column} FROM 1 FOR 1) = '\\x02' GROUP BY 1`,
    );
    found.push(...rows.map((row) => ({ what, ...row })));
  }
  return found;
}

/** The ids of the keys that the values of a workspace name; null among them for values that name none. */
export async function namedKeysIn(
  client: ClientBase,
  stored: readonly StoredSecret[],
  workspaceId: number,
): Promise<Set<string | null>> {
  const found = new Set<string | null>();
  for (const { table, column } of stored) {
    const { rows } = await client.query<{ keyId: string | null }>(
      `SELECT DISTINCT CASE WHEN substring(${column} FROM 1 FOR 1) = '\\x02'
                            THEN encode(substring(${column} FROM 2 FOR ${KEY_ID_BYTES}), 'hex') END AS "keyId"
         FROM ${table} WHERE workspace_id = $1 AND ${column} IS NOT NULL`,
      [workspaceId],
    );
    for (const { keyId } of rows) found.add(keyId);
  }
  return found;
}

/** A primary key and the types of its columns. */
export interface RowKey {
  columns: string[];
  types: string[];
}

export async function rowKeyOf(client: ClientBase, table: string): Promise<RowKey> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
       FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
       JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
      WHERE i.indrelid = $1::regclass AND i.indisprimary ORDER BY k.place`,
    [table],
  );
  return { columns: rows.map(({ name }) => pg.escapeIdentifier(name)), types: rows.map(({ type }) => type) };
}
