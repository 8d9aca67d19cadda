import path from 'node:path';
import type { SecretsKeys } from '../platform/secrets/secrets.js';
import { LaunchError } from './launch-error.js';
import { loadState } from './state.js';

const KEY_BYTES = 32;

/** The key in a SECRETS_KEY; null where none is given. */
export function keyOf(base64: string | null | undefined, name = 'SECRETS_KEY'): Buffer | null {
  if (!base64) return null;
  const key = Buffer.from(base64, 'base64');
  if (key.length !== KEY_BYTES) throw new LaunchError(`${name} should be ${KEY_BYTES} bytes in base64.`);
  return key;
}

/** The keys that the environment gives, or the data folder of the embedded database. */
export function keysIn(env: NodeJS.ProcessEnv): SecretsKeys {
  if (env.SECRETS_KEY) return toKeys(env.SECRETS_KEY, (env.SECRETS_KEY_PREVIOUS ?? '').split(','));
  if (env.DATABASE_URL) return { secretsKey: null };
  const { secretsKey, previousSecretsKeys = [] } = loadState(path.resolve(env.DATA_DIR || '.data'));
  return toKeys(secretsKey, previousSecretsKeys);
}

function toKeys(current: string, previous: string[]): SecretsKeys {
  const secretsKeyPrevious = previous.flatMap((each) => keyOf(each.trim(), 'SECRETS_KEY_PREVIOUS') ?? []);
  return { secretsKey: keyOf(current), secretsKeyPrevious };
}
