import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { ensureDatabase } from './database.js';
import type { LaunchOptions } from './launch-options.js';
import { startPostgres } from './postgres.js';
import { startRedis } from './redis.js';
import { assertRedisAnswers } from './redis-check.js';
import { hasExited, howItEnded } from './server-process.js';
import { type LauncherState, loadState, saveState } from './state.js';

const DATABASE = 'tracesheet';
const SHOWN_LINES = 8;

/** What the product needs to run: embedded services, or the ones the environment names. */
export interface Services {
  databaseUrl: string;
  redisUrl: string;
  /** Kept in the data folder. */
  secretsKey: string;
  /** Calls back once when an embedded service ends without having been stopped. */
  onUnexpectedExit(report: (message: string) => void): void;
  /** Stops the embedded services; the environment's own are left alone. */
  stop(): Promise<void>;
}

interface Embedded {
  name: string;
  url: string;
  port: number;
  child: ChildProcess;
  recentOutput(): string;
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
  return { ...asServices(options, postgres, redis), secretsKey: state.secretsKey };
}

/** What the environment names must be there before anything else is started. */
async function assertServicesOf({ databaseUrl, redisUrl }: LaunchOptions): Promise<void> {
  if (databaseUrl) {
    const { assertDatabaseOpens } = await import('../platform/database/readiness.js');
    await assertDatabaseOpens(databaseUrl);
  }
  if (redisUrl) await assertRedisAnswers(redisUrl);
}

function asServices(
  options: LaunchOptions,
  postgres: Embedded | null,
  redis: Embedded | null,
): Omit<Services, 'secretsKey'> {
  const embedded = [postgres, redis].filter((service) => service !== null);
  let stopping = false;
  return {
    databaseUrl: postgres?.url ?? options.databaseUrl!,
    redisUrl: redis?.url ?? options.redisUrl!,
    onUnexpectedExit: (report) => {
      for (const service of embedded) {
        const ended = (): void => {
          if (!stopping) report(describeExit(service));
        };
        if (hasExited(service.child)) ended();
        else service.child.once('exit', ended);
      }
    },
    stop: async () => {
      stopping = true;
      await Promise.all(embedded.map((service) => service.stop()));
    },
  };
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

function describeExit({ name, child, recentOutput }: Embedded): string {
  const how = howItEnded(child.exitCode, child.signalCode);
  const lastWords = recentOutput().trim().split('\n').slice(-SHOWN_LINES).join('\n');
  return `${name} ended unexpectedly (${how}). The data are safe; start again with npm start. Its last words:\n${lastWords}`;
}
