import { existsSync } from 'node:fs';
import path from 'node:path';
import type { SecretsKeys } from '../platform/secrets/secrets.js';
import { LaunchError } from './launch-error.js';
import { type LauncherState, loadState } from './state.js';

const KEY_BYTES = 32;

/** The key in a SECRETS_KEY; null where none is given. */
export function keyOf(base64: string | null | undefined, name = 'SECRETS_KEY'): Buffer | null {
  if (!base64) return null;
  const key = Buffer.from(base64, 'base64');
  if (key.length !== KEY_BYTES) throw new LaunchError(`${name} should be ${KEY_BYTES} bytes in base64.`);
  return key;
}

/** The keys of a command: those that `npm start` gives to its processes with the same environment. */
export function keysIn(env: NodeJS.ProcessEnv): SecretsKeys {
  const isKept = keepsKey(env) || !(env.SECRETS_KEY || env.DATABASE_URL);
  const kept = isKept ? loadState(path.resolve(env.DATA_DIR || '.data')) : null;
  const { SECRETS_KEY, SECRETS_KEY_PREVIOUS } = keyVariables(env, kept);
  const previous = SECRETS_KEY_PREVIOUS.split(',');
  const secretsKeyPrevious = previous.flatMap((each) => keyOf(each.trim(), 'SECRETS_KEY_PREVIOUS') ?? []);
  return { secretsKey: keyOf(SECRETS_KEY), secretsKeyPrevious };
}

/** Whether the key is that of the data folder. `npm start` makes one there for a database of the operator, too. */
export function keepsKey(env: NodeJS.ProcessEnv): boolean {
  return !env.SECRETS_KEY && existsSync(path.join(path.resolve(env.DATA_DIR || '.data'), 'state.json'));
}

type KeptKeys = Pick<LauncherState, 'secretsKey' | 'previousSecretsKeys'>;

/** The keys of the environment. Without a SECRETS_KEY in it, those that are kept in the data folder come first. */
export function keyVariables(
  { SECRETS_KEY, SECRETS_KEY_PREVIOUS = '' }: NodeJS.ProcessEnv,
  kept: KeptKeys | null,
): { SECRETS_KEY?: string; SECRETS_KEY_PREVIOUS: string } {
  if (SECRETS_KEY || !kept) return { SECRETS_KEY, SECRETS_KEY_PREVIOUS };
  const previous = [...(kept.previousSecretsKeys ?? []), SECRETS_KEY_PREVIOUS];
  return { SECRETS_KEY: kept.secretsKey, SECRETS_KEY_PREVIOUS: previous.filter(Boolean).join(',') };
}
