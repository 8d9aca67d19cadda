import { LaunchError } from './launch-error.js';

const KEY_BYTES = 32;

/** The key in a SECRETS_KEY; null where none is given. */
export function keyOf(base64: string | null): Buffer | null {
  if (!base64) return null;
  const key = Buffer.from(base64, 'base64');
  if (key.length !== KEY_BYTES) throw new LaunchError(`SECRETS_KEY should be ${KEY_BYTES} bytes in base64.`);
  return key;
}
