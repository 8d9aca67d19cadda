import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { backUp } from '../platform/backup/back-up.js';
import { countRows } from '../platform/backup/parts-in-database.js';
import { restoreBackup } from '../platform/backup/restore-backup.js';
import { verifyBackup } from '../platform/backup/verify-backup.js';
import type { SecretsKeys } from '../platform/secrets/secrets.js';
import { nameOfKey } from '../platform/secrets/stored-secrets.js';
import { interruptible, unlessAborted } from './interruptible.js';
import { LaunchError } from './launch-error.js';
import { acquireLock, isLocked } from './lock.js';
import { keysIn } from './secrets-key.js';
import { startDatabase } from './services.js';
import { loadState, saveState } from './state.js';

const MIGRATED = (count: number) => `Brought the schema up to date with ${count} migration${count === 1 ? '' : 's'}.`;
const NOT_OURS = (tables: string[]) =>
  `Not tables of Tracesheet: ${tables.join(', ')}. A restore leaves them out where the database does not have them.`;

export interface Surroundings {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

interface BackupCommand {
  say: Surroundings['say'];
  /** The URL of the database. */
  url: string;
  folder: string;
  /** The keys given now. */
  keys: SecretsKeys;
  /** Stores these keys for the next start, if the database is the embedded one. */
  keepKeys(): void;
}

export const BACKUP_COMMANDS: Record<string, (command: BackupCommand) => Promise<void>> = {
  backup: async ({ say, url, folder }) => {
    const { storedSecrets, tableNames } = await import('../composition.js');
    const { tables, secretsKeys } = await backUp(url, folder, storedSecrets());
    const rows = tables.reduce((sum, table) => sum + countRows(table), 0);
    const needed = secretsKeys?.length ? ` It needs the key ${secretsKeys.join(' and ')}.` : '';
    say(
      `Backed up ${rows} rows of ${tables.length} tables into ${folder}. Keep SECRETS_KEY beside it, in another place.${needed}`,
    );
    const own = new Set(tableNames());
    const others = tables.map(({ name }) => name).filter((name) => !own.has(name));
    if (others.length > 0) say(NOT_OURS(others));
  },
  restore: async ({ say, url, folder, keys, keepKeys }) => {
    const { manifest, applied, leftOut } = await restoreBackup(url, folder, keepKeys);
    const except = leftOut.length > 0 ? ', except in these parts, which the schema of Tracesheet does not have:' : '.';
    for (const line of [`Restored the backup of ${manifest.madeAt}; every row is as it was${except}`, ...leftOut])
      say(line);
    if (applied.length > 0) say(MIGRATED(applied.length));
    say(describeKeys(manifest.secretsKeys ?? [], keys));
  },
  verify: async ({ say, url, folder }) => {
    const differences = await verifyBackup(url, folder);
    if (differences.length > 0) throw new LaunchError(differences.join('\n'));
    say('The database has exactly what the backup has.');
  },
};

/** Which keys a restored backup needs, compared with those that are given. */
function describeKeys(needed: string[], { secretsKey, secretsKeyPrevious = [] }: SecretsKeys): string {
  if (needed.length === 0) {
    return 'Start the server with the SECRETS_KEY of then: with another one, credentials and variables that are encrypted cannot be read.';
  }
  const given = [...(secretsKey ? [secretsKey] : []), ...secretsKeyPrevious].map(nameOfKey);
  const missing = needed.filter((id) => !given.includes(id));
  if (missing.length === 0) return 'Its secrets can be read with the SECRETS_KEY that is given.';
  return `Its secrets need the SECRETS_KEY ${missing.join(' and ')}, which is not given (given: ${given.join(', ') || 'none'}). Start the server with that key: with another one, credentials and variables that are encrypted cannot be read.`;
}

/** @throws StartError with a sentence for the user of the command */
export async function runBackupCommand(name: string, folder: string, { env, say }: Surroundings): Promise<void> {
  const run = (url: string) => {
    const keys = keysIn(env);
    const keepKeys = () => keepGivenKeys(keys, env);
    return BACKUP_COMMANDS[name]!({ say, url, folder: inCallersFolder(folder, env), keys, keepKeys });
  };
  await onDatabase(env, { mayBeNew: name === 'restore' }, run);
}

/** The next start has the keys of the environment from the data folder. */
function keepGivenKeys({ secretsKey, secretsKeyPrevious = [] }: SecretsKeys, env: NodeJS.ProcessEnv): void {
  if (env.DATABASE_URL || !env.SECRETS_KEY) return;
  const folder = dataFolderOf(env);
  const [current, ...previous] = [secretsKey!, ...secretsKeyPrevious].map((key) => key.toString('base64'));
  saveState(folder, { ...loadState(folder), secretsKey: current!, previousSecretsKeys: previous });
}

/** Gives the URL of the database of DATABASE_URL, or of the embedded one, which is started for it where the product does not run. */
export async function onDatabase(
  env: NodeJS.ProcessEnv,
  { mayBeNew }: { mayBeNew: boolean },
  run: (url: string) => Promise<void>,
): Promise<void> {
  if (env.DATABASE_URL) return run(env.DATABASE_URL);
  const dataDir = dataFolderOf(env);
  const isNew = !existsSync(path.join(dataDir, 'state.json'));
  if (isNew && !mayBeNew) throw new LaunchError(`There is no installation in ${dataDir}.`);
  mkdirSync(dataDir, { recursive: true });
  if (isLocked(dataDir)) {
    const { postgresPassword, postgresPort } = loadState(dataDir);
    return run(`postgres://tracesheet:${postgresPassword}@127.0.0.1:${postgresPort}/tracesheet`);
  }
  const lock = await acquireLock(dataDir);
  try {
    await interruptible((signal) => onStartedDatabase(dataDir, signal, run));
  } finally {
    lock.release();
  }
}

/** PostgreSQL runs in a session of its own, so a signal that ends this process does not end it. */
async function onStartedDatabase(
  dataDir: string,
  signal: AbortSignal,
  run: (url: string) => Promise<void>,
): Promise<void> {
  const state = loadState(dataDir);
  const database = await startDatabase({ dataDir }, state, signal);
  try {
    saveState(dataDir, { ...state, postgresPort: database.port });
    await unlessAborted(signal, run(database.url));
  } finally {
    await database.stop();
  }
}

const dataFolderOf = (env: NodeJS.ProcessEnv) => path.resolve(env.DATA_DIR || '.data');

/** npm runs scripts in the folder of the checkout and passes the caller's folder in INIT_CWD. */
const inCallersFolder = (folder: string, env: NodeJS.ProcessEnv) => path.resolve(env.INIT_CWD || '.', folder);
