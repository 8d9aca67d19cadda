import path from 'node:path';
import { LaunchError } from './launch-error.js';

export interface LaunchOptions {
  /** Absolute. */
  dataDir: string;
  port: number;
  /** When set, no embedded PostgreSQL. */
  databaseUrl?: string;
  /** When set, no embedded Redis. */
  redisUrl?: string;
  /** The first API key, chosen by whoever starts us. */
  presetKey?: string;
  /** Whether the first run fills in some example data. */
  demo: boolean;
  hasConsole: boolean;
  /** For who changes the sources: debuggers may attach, and the starting process says when there is something new. */
  development: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/**
 * The launcher's own settings. An empty variable counts as not set, as in compose files.
 * @throws LaunchError when one makes no sense
 */
export function readLaunchOptions(env: NodeJS.ProcessEnv): LaunchOptions {
  return {
    dataDir: path.resolve(env.DATA_DIR || '.data'),
    port: readPort(env.PORT || '3000'),
    databaseUrl: env.DATABASE_URL || undefined,
    redisUrl: env.REDIS_URL || undefined,
    presetKey: env.BOOTSTRAP_API_KEY || undefined,
    demo: env.DEMO?.toLowerCase() !== 'off',
    hasConsole: env.CONSOLE !== 'off',
    development: env.LAUNCH_DEVELOPMENT === 'on',
    startedAt: Number(env.LAUNCH_STARTED_AT) || Date.now(),
  };
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new LaunchError(`PORT must be a number from 1 to 65535, not "${text}".`);
}
