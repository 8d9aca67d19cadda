import { constants } from 'node:os';
import { LaunchError } from './launch-error.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A signal asked the process to end. */
export class Interrupted extends LaunchError {
  readonly exitCode: number;

  constructor(name: (typeof SIGNALS)[number]) {
    super(`Interrupted (${name}).`);
    this.exitCode = 128 + constants.signals[name];
  }
}

/**
 * Runs `work`, which stops what it has started when `signal` is aborted. A signal to this process would otherwise end it without that.
 * @throws Interrupted when a signal came, whatever `work` failed with
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const wanted = new AbortController();
  const abort = (name: (typeof SIGNALS)[number]): void => wanted.abort(new Interrupted(name));
  for (const name of SIGNALS) process.on(name, abort);
  try {
    await work(wanted.signal);
  } catch (error) {
    wanted.signal.throwIfAborted();
    throw error;
  } finally {
    for (const name of SIGNALS) process.off(name, abort);
  }
}

/** The result of `work`, unless the signal is aborted before: then rejects with its reason at once. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  return Promise.race([work, aborted]);
}
