import { type INestApplicationContext, Logger } from '@nestjs/common';
import { type AppName, missingOptions } from './app-entries.js';
import { storedSecrets } from './composition.js';
import type { Config } from './platform/config/config.js';
import { assertDatabaseReady } from './platform/database/readiness.js';
import { checkSecretsKey } from './platform/secrets/secrets-check.js';
import { StartError } from './platform/start-error.js';

/**
 * Runs one process: starts it, notifies the launcher when it is ready, and stops it gracefully on a signal or when the
 * launcher is gone. Checks the migrations of the database and the key of secrets first. A stop ends after the configured limit.
 */
export async function runProcess(
  name: AppName,
  config: Config,
  start: () => Promise<INestApplicationContext>,
): Promise<void> {
  await assertDatabaseReady(config.databaseUrl);
  const warning = await checkSecretsKey(config, storedSecrets());
  const starting = start();
  stopOnSignals(starting, config.shutdownTimeoutMs);
  await starting;
  if (warning) new Logger('Process').warn(warning);
  // Collects the garbage of the start. The limit of heap growth counts from the first full collection.
  globalThis.gc?.();
  sayWhatIsMissing(name);
  if (process.connected) process.send?.({ ready: true });
}

/** Also while the process is starting: a worker may have claimed work by then, which is given back when the start has ended. */
function stopOnSignals(starting: Promise<INestApplicationContext>, limitMs: number): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), limitMs).unref();
    const app = await starting;
    await app.close();
    process.exit(0);
  };
  const stopOnce = () => void stop().catch(failToStart);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stopOnce);
  process.once('disconnect', stopOnce);
}

function sayWhatIsMissing(name: AppName): void {
  const missing = missingOptions(name, process.execArgv);
  if (missing.length === 0) return;
  const how = `start it with "npm run start:${name}", or give node these options: ${missing.join(' ')}`;
  new Logger('Process').warn(`This process works, but takes more memory and is slower than it could be: ${how}`);
}

/** Ends the process with a readable message when it cannot start. */
export function failToStart(error: unknown): never {
  const message = error instanceof StartError ? error.message : error;
  process.stderr.write(`${message instanceof Error ? message.stack : String(message)}\n`);
  process.exit(1);
}
