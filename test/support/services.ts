import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startPostgres } from '../../src/embedded/postgres.js';
import { clearPostmaster } from '../../src/embedded/postmaster.js';
import { isAlive } from '../../src/embedded/processes.js';
import { clearRedis, startRedis } from '../../src/embedded/redis.js';
import { testedRelease } from './postgres-release.js';

const MEMORY_FOLDER = '/dev/shm';
const ENOUGH_MEMORY = 2 * 1024 ** 3;
const PREFIX = 'tracesheet-test-';
const PASSWORD = 'test';

export interface TestServices {
  databaseUrl(name: string): string;
  /** URL of the database `postgres`, as superuser. */
  adminUrl: string;
  redisUrl: string;
  /** Stops both and removes their data. */
  stop(): Promise<void>;
}

/**
 * An empty PostgreSQL and an empty Redis of this run's own, fast and unsafe, in memory where there is enough.
 * What runs that were killed left behind is removed first.
 */
export async function startTestServices(): Promise<TestServices> {
  await removeLeftovers();
  const folder = testFolder();
  const [postgres, redis] = await Promise.all([
    startPostgres({
      dataDir: path.join(folder, 'postgres'),
      password: PASSWORD,
      durable: false,
      release: testedRelease(),
    }),
    startRedis({ dataDir: path.join(folder, 'redis'), password: PASSWORD, durable: false }),
  ]);
  return {
    databaseUrl: postgres.urlFor,
    adminUrl: postgres.url,
    redisUrl: redis.url,
    stop: async () => {
      await Promise.all([postgres.stop(), redis.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An empty folder that the services' account can enter, named after this process. The caller removes it. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(testHome(), `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

function testHome(): string {
  if (!existsSync(MEMORY_FOLDER)) return os.tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize >= ENOUGH_MEMORY ? MEMORY_FOLDER : os.tmpdir();
}

async function removeLeftovers(): Promise<void> {
  const home = testHome();
  for (const name of readdirSync(home).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = path.join(home, name);
    const owner = Number.parseInt(name.slice(PREFIX.length), 10);
    if (isAlive(owner) || !isOurs(folder)) continue;
    await clearPostmaster(path.join(folder, 'postgres'));
    await clearRedis(path.join(folder, 'redis'));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** False for the folder of another user, and for one that another run has just removed. */
function isOurs(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
}
