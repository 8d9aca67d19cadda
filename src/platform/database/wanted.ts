import { AsyncLocalStorage } from 'node:async_hooks';

/** Aborted when the client of the running reads has disconnected. */
const wanted = new AsyncLocalStorage<AbortSignal | null>();

/** Cancels statements of `work` when the signal is aborted, and starts no other. Writes must be in transactions. */
export const whileWanted = <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => wanted.run(signal, work);

/** For side effects that other requests need: they are finished in any case. */
export const evenIfUnwanted = <T>(work: () => Promise<T>): Promise<T> => wanted.run(null, work);

/** Time for a cancelled statement to end before it is cancelled again: it may not have begun at the first cancellation. */
const PATIENCE_MS = 200;

/** Statements that end a transaction run in any case, so that the connection can be used by others. */
const ENDING = /^\s*(?:ROLLBACK|COMMIT|RELEASE)/i;

/**
 * Runs a statement, and cancels it when its client has disconnected. It settles when no cancellation can arrive any more, so that
 * the next statement of the connection is safe.
 */
export function runWanted<T>(statement: string, run: () => Promise<T>, cancel: () => Promise<void>): Promise<T> {
  const signal = wanted.getStore();
  return signal && !ENDING.test(statement) ? runUntilAborted(signal, run, cancel) : run();
}

async function runUntilAborted<T>(signal: AbortSignal, run: () => Promise<T>, cancel: () => Promise<void>): Promise<T> {
  signal.throwIfAborted();
  let isRunning = true;
  let cancelling = Promise.resolve();
  const running = run().finally(() => (isRunning = false));
  const cancelAll = async () => {
    while (isRunning) {
      await cancel();
      await settledWithin(running, PATIENCE_MS);
    }
  };
  const onAbort = () => (cancelling = cancelAll());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await running;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    await cancelling;
  }
}

/** Resolves when the promise settles, or after the time. */
async function settledWithin(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([promise.then(noted, noted), time]);
  clearTimeout(timer);
}

const noted = (): void => undefined;
