import workerpool, { type Pool } from 'workerpool';
import { limitProcessorTime } from './processor-time.js';
import type { Program } from './programs.js';

/** Why a process ended in the middle of a call. */
export class Stopped extends Error {
  constructor(
    readonly why: 'time' | 'memory' | 'aborted' | 'broken',
    /** Error text of the interpreter that broke. */
    readonly detail = '',
  ) {
    super(`The process was stopped: ${why}. ${detail}`);
  }
}

/** A process ended before it began with a call, so the call has lost nothing. */
export class NotBegun extends Error {
  constructor(cause: Error) {
    super(`A process of the sandbox does not start: ${cause.message.split('\n', 1)[0]}`, { cause });
  }
}

export interface ProcessCall {
  argument: unknown;
  /** Limit in milliseconds of processor time, from the start of the call in the process. */
  timeMs: number;
  signal?: AbortSignal;
}

/** A start takes seconds at most. On a slower machine something else is wrong. */
const START_MS = 60_000;

/** One process of the sandbox. It starts when it is created. */
export class SandboxProcess {
  private readonly pool: Pool;

  constructor({ file, flags, args: forkArgs }: Program) {
    const forkOpts = { execArgv: flags, env: {}, serialization: 'advanced' };
    // Output is read and dropped. Otherwise it would be in the log of this process.
    const options = { workerType: 'process', workerTerminateTimeout: 1, emitStdStreams: true } as const;
    this.pool = workerpool.pool(file, { ...options, minWorkers: 1, maxWorkers: 1, forkOpts, forkArgs });
  }

  /** Gives the answer. Rejects with `Stopped`, or with `NotBegun` when the process had died before. End it after either. */
  async call<T>({ argument, timeMs, signal }: ProcessCall): Promise<T> {
    let stop: (why: Stopped['why']) => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => (stop = (why) => reject(new Stopped(why))));
    const start = setTimeout(() => stop('time'), START_MS);
    let endLimit = () => clearTimeout(start);
    let hasBegun = false;
    // The process reports its id when it begins, so a start does not count. Code that escaped could send anything.
    const onEvent = (pid: unknown) => {
      if (typeof pid !== 'number' || hasBegun) return;
      hasBegun = true;
      endLimit();
      endLimit = limitProcessorTime(pid, timeMs, () => stop('time'));
    };
    const abort = () => stop('aborted');
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const answer = this.pool.exec('run', [argument], { on: onEvent });
      const told = answer.catch((error: Error) => Promise.reject(hasBegun ? asStopped(error) : new NotBegun(error)));
      return (await Promise.race([told, stopped])) as T;
    } finally {
      endLimit();
      signal?.removeEventListener('abort', abort);
    }
  }

  end(): void {
    this.pool.terminate(true).catch(() => undefined);
  }
}

/** A process that ended on its own ran out of memory. An error in its answer means a broken interpreter. */
function asStopped(error: Error): Stopped {
  return /^Workerpool Worker|^Worker /.test(error.message)
    ? new Stopped('memory')
    : new Stopped('broken', error.message);
}
