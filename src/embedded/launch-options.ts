import path from 'node:path';
import { platformSettings } from '../platform/config/config.js';
import { integer, onOff, readSettings } from '../platform/config/settings.js';

/** Time beyond SHUTDOWN_TIMEOUT_MS, after which a process ends itself. */
const MARGIN_MS = 5_000;

export interface LaunchOptions {
  /** Absolute. */
  dataDir: string;
  port: number;
  /** When set, no embedded PostgreSQL. */
  databaseUrl?: string;
  /** When set, no embedded Redis. */
  redisUrl?: string;
  /** The first API key, if the environment gives one. */
  presetKey?: string;
  /** Whether the first run fills in some example data. */
  demo: boolean;
  hasConsole: boolean;
  /** For development: debuggers may attach, and the starting process reports changes of the sources. */
  development: boolean;
  /** The api and the worker are killed when they have not stopped after this time: they end by themselves before. */
  appStopLimitMs: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** The launcher provides these two if they are not set, and checks them if they are. */
const { databaseUrl: _database, redisUrl: _redis, ...settingsOfBoth } = platformSettings;

const launcherSettings = {
  // Checked here, so that a wrong one is refused before the services are started.
  ...settingsOfBoth,
  port: integer('PORT', { fallback: '3000', min: 1, max: 65_535, description: 'Port of the product.' }),
  demo: onOff('DEMO', { fallback: 'on', description: 'Whether the first run fills in some example data.' }),
  hasConsole: onOff('CONSOLE', { fallback: 'on', description: 'Whether there is a web console.' }),
  development: onOff('LAUNCH_DEVELOPMENT', { fallback: 'off', description: 'Set by `npm run dev`.' }),
};

/**
 * The launcher's own settings. An empty variable counts as not set, as in compose files.
 * @throws ConfigurationError when one makes no sense
 */
export function readLaunchOptions(env: NodeJS.ProcessEnv): LaunchOptions {
  const { port, demo, hasConsole, development, shutdownTimeoutMs } = readSettings(launcherSettings, env);
  return {
    dataDir: path.resolve(env.DATA_DIR || '.data'),
    port,
    databaseUrl: env.DATABASE_URL || undefined,
    redisUrl: env.REDIS_URL || undefined,
    presetKey: env.BOOTSTRAP_API_KEY || undefined,
    demo,
    hasConsole,
    development,
    appStopLimitMs: shutdownTimeoutMs + MARGIN_MS,
    startedAt: Number(env.LAUNCH_STARTED_AT) || Date.now(),
  };
}
