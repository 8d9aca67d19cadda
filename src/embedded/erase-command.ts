import { setTimeout as wait } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Caller } from '../access/index.js';
import { type Erasure, ErasuresService, type Subject, subjectOf } from '../erasure/index.js';
import { Secrets, type SecretsKeys } from '../platform/secrets/secrets.js';
import { LaunchError } from './launch-error.js';

const LOOKS_APART_MS = 500;

export interface EraseOptions {
  user?: string;
  session?: string;
  metadata?: string;
  'dry-run'?: boolean;
}

/**
 * Begins an erasure, which a worker of the product carries out, and waits for its end.
 * @throws LaunchError when it is not said whom to erase, or when the erasure failed
 */
export async function runEraseCommand(
  db: DataSource,
  caller: Caller,
  options: EraseOptions,
  { say, keys }: { say(line: string): void; keys: SecretsKeys },
): Promise<void> {
  const subject = toSubject(options);
  const erasures = new ErasuresService(db, new Secrets(keys), { notify: () => undefined });
  const { id, dryRun } = await erasures.create(caller, subject, options['dry-run'] ?? false);
  say(
    `${dryRun ? 'Counting' : 'Erasing'} (${id}). A worker does it while the product runs; it goes on when you end this command.`,
  );
  let known = await erasures.get(caller, id);
  for (; known.finishedAt === null; known = await erasures.get(caller, id)) await wait(LOOKS_APART_MS);
  if (known.status === 'failed') throw new LaunchError(known.errorMessage ?? 'The erasure failed.');
  for (const line of describe(known)) say(line);
}

function describe({ dryRun, counts, verifiedAt }: Erasure): string[] {
  const kinds = Object.entries(counts).map(([kind, count]) => `${kind}\t${count}`);
  const verified = `Everything was searched once more at ${verifiedAt?.toISOString()}: nothing is left.`;
  return [...kinds, dryRun ? 'Nothing was deleted.' : verified];
}

function toSubject({ user, session, metadata }: EraseOptions): Subject {
  if ([user, session, metadata].filter((each) => each !== undefined && each !== '').length !== 1) {
    throw new LaunchError('Give one of --user ID, --session ID and --metadata KEY=VALUE.');
  }
  if (user) return subjectOf('user_id', user);
  if (session) return subjectOf('session_id', session);
  const at = metadata!.indexOf('=');
  if (at < 1 || at === metadata!.length - 1) throw new LaunchError(`--metadata should be KEY=VALUE, not ${metadata}.`);
  return subjectOf('metadata', metadata!.slice(at + 1), metadata!.slice(0, at));
}
