import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { backUp } from '../platform/backup/back-up.js';
import { restoreBackup } from '../platform/backup/restore-backup.js';
import { verifyBackup } from '../platform/backup/verify-backup.js';
import { acceptSecretsKey } from '../platform/secrets/secrets-check.js';
import { LaunchError } from './launch-error.js';
import { acquireLock, isLocked } from './lock.js';
import { startDatabase } from './services.js';
import { loadState, saveState } from './state.js';

const MIGRATED = (count: number) => `Brought the schema up to date with ${count} migration${count === 1 ? '' : 's'}.`;

interface Surroundings {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

/** Each gets the URL of the database. */
export const BACKUP_COMMANDS: Record<string, (say: Surroundings['say'], url: string, folder: string) => Promise<void>> =
  {
    backup: async (say, url, folder) => {
      const { tables } = await backUp(url, folder);
      const sums = tables.flatMap((table) => Object.values(table.sums));
      const rows = sums.reduce((sum, table) => sum + table.rows, 0);
      say(
        `Backed up ${rows} rows of ${tables.length} tables into ${folder}. Keep SECRETS_KEY beside it, in another place.`,
      );
    },
    restore: async (say, url, folder) => {
      const { manifest, applied } = await restoreBackup(url, folder);
      say(`Restored the backup of ${manifest.madeAt}; every row is as it was.`);
      if (applied.length > 0) say(MIGRATED(applied.length));
      say(
        'Start the server with the SECRETS_KEY of then: with another one, credentials and variables that are encrypted cannot be read.',
      );
    },
    verify: async (say, url, folder) => {
      const differences = await verifyBackup(url, folder);
      if (differences.length > 0) throw new LaunchError(differences.join('\n'));
      say('The database has exactly what the backup has.');
    },
  };

/** @throws StartError with a sentence for the user of the command */
export async function runBackupCommand(name: string, folder: string, { env, say }: Surroundings): Promise<void> {
  const run = (url: string) => BACKUP_COMMANDS[name]!(say, url, inCallersFolder(folder, env));
  await onDatabase(env, { mayBeNew: name === 'restore' }, run);
}

/**
 * Makes the SECRETS_KEY of the installation, which the environment or the data folder gives, the one that its database belongs to.
 * @throws StartError with a sentence for the user of the command
 */
export async function acceptKey(key: Buffer | null, { env, say }: Surroundings): Promise<void> {
  if (!key) throw new LaunchError('Set SECRETS_KEY to the key that the installation is to have from now on.');
  const { storedSecrets } = await import('../composition.js');
  await onDatabase(env, { mayBeNew: false }, async (url) => {
    const lost = await acceptSecretsKey(url, key, storedSecrets());
    say('The installation has this SECRETS_KEY from now on.');
    for (const [what, count] of lost) say(`${count} ${what} cannot be read with it: enter them again.`);
  });
}

/** Gives the URL of the database of DATABASE_URL, or of the embedded one, which is started for it where the product does not run. */
async function onDatabase(
  env: NodeJS.ProcessEnv,
  { mayBeNew }: { mayBeNew: boolean },
  run: (url: string) => Promise<void>,
): Promise<void> {
  if (env.DATABASE_URL) return run(env.DATABASE_URL);
  const dataDir = path.resolve(env.DATA_DIR || '.data');
  const isNew = !existsSync(path.join(dataDir, 'state.json'));
  if (isNew && !mayBeNew) throw new LaunchError(`There is no installation in ${dataDir}.`);
  mkdirSync(dataDir, { recursive: true });
  if (isLocked(dataDir)) {
    const { postgresPassword, postgresPort } = loadState(dataDir);
    return run(`postgres://tracesheet:${postgresPassword}@127.0.0.1:${postgresPort}/tracesheet`);
  }
  const lock = await acquireLock(dataDir);
  try {
    const state = { ...loadState(dataDir), ...(isNew && env.SECRETS_KEY && { secretsKey: env.SECRETS_KEY }) };
    const database = await startDatabase({ dataDir }, state, new AbortController().signal);
    saveState(dataDir, { ...state, postgresPort: database.port });
    await run(database.url).finally(() => database.stop());
  } finally {
    lock.release();
  }
}

/** npm runs scripts in the folder of the checkout and passes the caller's folder in INIT_CWD. */
const inCallersFolder = (folder: string, env: NodeJS.ProcessEnv) => path.resolve(env.INIT_CWD || '.', folder);
