import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AppName } from '../../app-entries.js';
import { type AppProcess, newAppProcess } from '../app-process.js';
import { readLaunchOptions } from '../launch-options.js';
import { freePort } from '../ports.js';
import { type Services, startServices } from '../services.js';

const STOP_LIMIT_MS = 20_000;

export interface OwnProcesses {
  urls: string[];
  apiKey: string;
  stop(): Promise<void>;
}

/** Starts the given number of processes of the product, with services and data of their own. */
export async function startOwnProcesses(count: Record<AppName, number>): Promise<OwnProcesses> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-load-'));
  const services = await startServices(readLaunchOptions({ DATA_DIR: dataDir }), new AbortController().signal);
  const apps: AppProcess[] = [];
  const stop = async () => {
    await Promise.all(apps.map((app) => app.stop(STOP_LIMIT_MS)));
    await services.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const apiKey = await prepareDatabase(services.databaseUrl);
    const ports = await Promise.all(Array.from({ length: count.api }, () => freePort()));
    for (const port of ports) apps.push(newProcess('api', services, port));
    for (let n = 0; n < count.worker; n++) apps.push(newProcess('worker', services, 0));
    await Promise.all(apps.map((app) => app.start()));
    return { urls: ports.map((port) => `http://127.0.0.1:${port}`), apiKey, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Gives the key of the first workspace. */
async function prepareDatabase(databaseUrl: string): Promise<string> {
  const { migrate } = await import('../../platform/database/migrate.js');
  const { bootstrap } = await import('../../access/index.js');
  await migrate(databaseUrl);
  return (await bootstrap(databaseUrl))!.apiKey;
}

function newProcess(name: AppName, { databaseUrl, redisUrl, secretsKey }: Services, port: number): AppProcess {
  const settings = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'error' };
  const services = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, SECRETS_KEY: secretsKey };
  return newAppProcess(name, {
    env: { PATH: process.env.PATH, ...settings, ...services, SEARCHES_PER_MINUTE: '0' },
    say: (text) => console.error(text),
    onGiveUp: (message) => console.error(message),
  });
}
