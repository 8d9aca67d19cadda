import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { acceptSecretsKey } from '../platform/secrets/secrets-check.js';
import { rotateSecrets } from '../platform/secrets/rotate-secrets.js';
import { nameOfKey } from '../platform/secrets/stored-secrets.js';
import { onDatabase, type Surroundings } from './backup-commands.js';
import { LaunchError } from './launch-error.js';
import { assertMigrated } from './migrated.js';
import { recordCommand } from './record-command.js';
import { acquireLock, isLocked } from './lock.js';
import { keepsKey, keysIn } from './secrets-key.js';
import { loadState, saveState } from './state.js';

/**
 * Makes the SECRETS_KEY of the installation, which the environment or the data folder gives, the one that its database belongs to.
 * @throws StartError with a sentence for the user of the command
 */
export async function acceptKey({ env, say }: Surroundings): Promise<void> {
  const { secretsKey } = keysIn(env);
  if (!secretsKey) throw new LaunchError('Set SECRETS_KEY to the key that the installation is to have from now on.');
  const { storedSecrets } = await import('../composition.js');
  await onDatabase(env, { mayBeNew: false }, async (url) => {
    await assertMigrated(url, env);
    const lost = await acceptSecretsKey(url, secretsKey, storedSecrets());
    const details = { lost: Object.fromEntries(lost) };
    await recordCommand(url, { action: 'secrets_key.accept', entityId: nameOfKey(secretsKey), details });
    say('The installation has this SECRETS_KEY from now on.');
    for (const [what, count] of lost) say(`${count} ${what} cannot be read with it: enter them again.`);
  });
}

/**
 * Re-encrypts all secrets with SECRETS_KEY. The key of a data folder is replaced by a new one first; a command that was ended in the
 * middle continues with that.
 * @throws StartError with a sentence for the user of the command
 */
export async function rotateKey({ env, say }: Surroundings): Promise<void> {
  if (env.SECRETS_KEY || (env.DATABASE_URL && !keepsKey(env))) {
    return onDatabase(env, { mayBeNew: false }, async (url) => {
      await assertMigrated(url, env);
      await rotate(url, { env, say });
      say('Remove SECRETS_KEY_PREVIOUS when all processes have the new key.');
    });
  }
  const folder = path.resolve(env.DATA_DIR || '.data');
  if (isLocked(folder)) {
    throw new LaunchError(
      'The key is in the data folder, and the running product knows only that one. Stop it, run this command, and start it again.',
    );
  }
  // The embedded database takes the lock itself.
  const lock = env.DATABASE_URL ? await acquireLock(folder) : null;
  await onDatabase(env, { mayBeNew: false }, (url) => rotateKept(url, folder, { env, say })).finally(() =>
    lock?.release(),
  );
}

async function rotateKept(url: string, folder: string, { env, say }: Surroundings): Promise<void> {
  await assertMigrated(url, env);
  const state = loadState(folder);
  if (!state.previousSecretsKeys?.length) {
    const secretsKey = randomBytes(32).toString('base64');
    saveState(folder, { ...state, secretsKey, previousSecretsKeys: [state.secretsKey] });
  }
  await rotate(url, { env, say });
  const { previousSecretsKeys: _, ...rotated } = loadState(folder);
  saveState(folder, rotated);
  say('The data folder has the new key. Backups that were made before need the old one.');
}

async function rotate(url: string, { env, say }: Surroundings): Promise<void> {
  const keys = keysIn(env);
  const { storedSecrets } = await import('../composition.js');
  const rotations = await rotateSecrets(url, keys, storedSecrets());
  const key = nameOfKey(keys.secretsKey!);
  const details = { rotated: Object.fromEntries(rotations.map(({ what, rotated }) => [what, rotated])) };
  await recordCommand(url, { action: 'secrets_key.rotate', entityId: key, details });
  for (const { what, rotated, current, lost } of rotations) {
    const left = lost > 0 ? `, ${lost} cannot be read with any of the keys and were left` : '';
    say(`${what}: ${rotated} re-encrypted, ${current} had the key already${left}`);
  }
  say(`The secrets of the installation have the key ${key} from now on.`);
}
