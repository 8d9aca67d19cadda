import { hkdfSync } from 'node:crypto';

export const KEY_ID_BYTES = 8;

/** The fingerprint of a key, which reveals nothing of it: values in the database, backups and messages name keys by it. */
export function keyIdOf(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'id of a SECRETS_KEY', KEY_ID_BYTES));
}
