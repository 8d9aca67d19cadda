import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { INestApplicationContext } from '@nestjs/common';
import type { Config } from './platform/config/config.js';
import { ConfigurationError } from './platform/config/settings.js';
import { StartError } from './platform/start-error.js';

/**
 * How much larger than what is alive the heap becomes before all of it is collected, in percent. By itself V8 lets it
 * grow to four times that size while objects are made quickly: hundreds of megabytes, for hardly any speed.
 */
const HEAP_GROWTH = 50;

/**
 * V8 makes objects old at once where most of what a line of code made has outlived a collection. Here that says how busy the
 * database was: what a request leaves behind is garbage as soon as it is answered, and old garbage is collected with the whole heap.
 */
const ALL_START_YOUNG = '--no-allocation-site-pretenuring';

/**
 * Runs the life of one process: starts it, tells the launcher when it is ready, and stops it in an orderly way on a
 * signal or when the launcher is gone. A stop that takes longer than the configured limit is cut short.
 */
export async function runProcess(config: Config, start: () => Promise<INestApplicationContext>): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  setFlagsFromString(ALL_START_YOUNG);
  const app = await start();
  collectGarbage();
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), config.shutdownTimeoutMs).unref();
    await app.close();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());
  if (process.send) {
    process.once('disconnect', () => void stop());
    process.send({ ready: true });
  }
}

/**
 * Collects what starting has left behind. `HEAP_GROWTH` counts from the first collection of the whole heap on: V8 puts that off
 * until the heap is twice or three times as large.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  setFlagsFromString('--no-expose-gc');
}

/** Ends the process with a readable message when it cannot start. */
export function failToStart(error: unknown): never {
  const message = error instanceof ConfigurationError || error instanceof StartError ? error.message : error;
  process.stderr.write(`${message instanceof Error ? message.stack : String(message)}\n`);
  process.exit(1);
}
