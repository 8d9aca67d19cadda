import path from 'node:path';
import { ensureDatabase } from './database.js';
import { type Embedded, KeptService, type ServiceWatcher } from './kept-service.js';
import type { LaunchOptions } from './launch-options.js';
import { startPostgres } from './postgres.js';
import { startRedis } from './redis.js';
import { assertRedisAnswers } from './redis-check.js';
import { type LauncherState, loadState, saveState } from './state.js';

const DATABASE = 'tracesheet';

/** The services of the product: embedded, or named by the environment. */
export interface Services {
  databaseUrl: string;
  redisUrl: string;
  /** Kept in the data folder. */
  secretsKey: string;
  previousSecretsKeys: string[];
  /** Reports the states of the embedded services until they are stopped. */
  watch(watcher: ServiceWatcher): void;
  /** Stops the embedded services; those of the environment are not touched. */
  stop(): Promise<void>;
}

/**
 * Starts what the environment does not provide, PostgreSQL and Redis at the same time. When one fails the other is stopped again.
 * @throws LaunchError with a sentence to act on
 */
export async function startServices(options: LaunchOptions, signal: AbortSignal): Promise<Services> {
  const state = loadState(options.dataDir);
  await assertServicesOf(options);
  const [postgres, redis] = await allOrNone([
    options.databaseUrl ? null : startDatabase(options, state, signal),
    options.redisUrl ? null : startQueue(options, state, signal),
  ]);
  saveState(options.dataDir, {
    ...state,
    postgresPort: postgres?.port ?? state.postgresPort,
    redisPort: redis?.port ?? state.redisPort,
  });
  return {
    databaseUrl: postgres?.url ?? options.databaseUrl!,
    redisUrl: redis?.url ?? options.redisUrl!,
    secretsKey: state.secretsKey,
    previousSecretsKeys: state.previousSecretsKeys ?? [],
    ...keep(options, state, { postgres, redis }),
  };
}

function keep(
  options: LaunchOptions,
  state: LauncherState,
  { postgres, redis }: { postgres: Embedded | null; redis: Embedded | null },
): Pick<Services, 'watch' | 'stop'> {
  const kept = [
    postgres && new KeptService(postgres, (port, on) => startDatabase(options, { ...state, postgresPort: port }, on)),
    redis && new KeptService(redis, (port, on) => startQueue(options, { ...state, redisPort: port }, on)),
  ].filter((service) => service !== null);
  return {
    watch: (watcher) => kept.forEach((service) => service.watch(watcher)),
    stop: async () => {
      await Promise.all(kept.map((service) => service.stop()));
    },
  };
}

/** Checks the services that the environment names before anything else is started. */
async function assertServicesOf({ databaseUrl, redisUrl }: LaunchOptions): Promise<void> {
  if (databaseUrl) {
    const { assertDatabaseOpens } = await import('../platform/database/readiness.js');
    await assertDatabaseOpens(databaseUrl);
  }
  if (redisUrl) await assertRedisAnswers(redisUrl);
}

/** Starts the embedded PostgreSQL alone. */
export async function startDatabase(
  { dataDir }: Pick<LaunchOptions, 'dataDir'>,
  state: LauncherState,
  signal: AbortSignal,
): Promise<Embedded> {
  const postgres = await startPostgres({
    dataDir: path.join(dataDir, 'postgres'),
    port: state.postgresPort,
    password: state.postgresPassword,
    signal,
  });
  try {
    await ensureDatabase(postgres.url, DATABASE);
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  return { ...postgres, name: 'PostgreSQL', url: postgres.urlFor(DATABASE) };
}

async function startQueue({ dataDir }: LaunchOptions, state: LauncherState, signal: AbortSignal): Promise<Embedded> {
  const redis = await startRedis({
    dataDir: path.join(dataDir, 'redis'),
    port: state.redisPort,
    password: state.redisPassword,
    signal,
  });
  return { ...redis, name: 'Redis' };
}

type Starting = Promise<Embedded> | null;

async function allOrNone(starting: [Starting, Starting]): Promise<[Embedded | null, Embedded | null]> {
  const results = await Promise.allSettled(starting);
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    await Promise.all(results.map((result) => (result.status === 'fulfilled' ? result.value?.stop() : undefined)));
    throw failure.reason as Error;
  }
  return results.map((result) => (result.status === 'fulfilled' ? result.value : null)) as [
    Embedded | null,
    Embedded | null,
  ];
}
