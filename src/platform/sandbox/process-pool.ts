import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import workerpool, { type Pool } from 'workerpool';
import { type TurnOwner, Turns } from '../turns.js';
import { WorkspacePlaces } from '../work/workspace-places.js';
import type { SandboxLimits } from './limits.js';

/** Why a process ended in the middle of a call. */
export class Stopped extends Error {
  constructor(
    readonly why: 'time' | 'memory' | 'aborted' | 'broken',
    /** What broke it, in the words of the interpreter. */
    readonly detail = '',
  ) {
    super(`The process was stopped: ${why}. ${detail}`);
  }
}

/** What a process runs, and the flags of Node that it is started with. */
export interface Program {
  file: string;
  flags: string[];
}

export interface PoolCall {
  method: string;
  argument: unknown;
  timeMs: number;
  signal?: AbortSignal;
}

interface Waiting {
  workspaceId: number;
  run: () => Promise<void>;
  reject: (error: Error) => void;
}

/** Starting one takes some seconds at most; on a machine that busy something else is wrong. */
const START_MS = 60_000;
/** Processes nobody has needed for so long are ended: their memory is worth more than the time it takes to start them. */
const IDLE_MS = 5 * 60_000;

/** Processes of one kind. Calls wait here, in turns, and not in a process, so ending a process costs no call but its own. */
export class ProcessPool {
  /** How many of them one workspace may keep busy. */
  readonly share: number;
  private readonly waiting = new Turns<Waiting>();
  private readonly places: WorkspacePlaces;
  /** Each holds one process, which is started with its first call; the one used last comes first. */
  private readonly idle: Pool[] = [];
  private readonly all = new Set<Pool>();
  private idleTimer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly program: Program,
    size: number,
  ) {
    this.share = Math.max(1, size - 1);
    this.places = new WorkspacePlaces(size, this.share);
  }

  /** Does `work` when it is the owner's turn and there is a process for it. */
  inTurn<T>(owner: TurnOwner, work: () => Promise<T>): Promise<T> {
    if (this.isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      const run = () => work().then(resolve, reject);
      this.waiting.add(owner, { workspaceId: owner.workspaceId, run, reject });
      this.assign();
    });
  }

  /** Gives the answer, or rejects with `Stopped`. Only for those whose turn it is: there is a process for each of them. */
  async send<T>(call: PoolCall): Promise<T> {
    for (;;) {
      if (this.isClosed) throw closed();
      const known = this.idle.pop();
      const process = known ?? this.start();
      try {
        const answer = await exchange<T>(process, call);
        this.putBack(process);
        return answer;
      } catch (error) {
        this.end(process);
        if (this.isClosed) throw closed();
        // One that has died while it had nothing to do has lost nothing.
        if (!known || !(error instanceof NotBegun)) throw error;
      }
    }
  }

  close(): void {
    this.isClosed = true;
    for (let job = this.waiting.take(); job; job = this.waiting.take()) job.reject(closed());
    for (const process of this.all) this.end(process);
  }

  private assign(): void {
    while (this.places.free > 0) {
      const rooms = this.places.rooms();
      const job = this.waiting.take((workspaceId) => rooms.get(workspaceId) !== 0);
      if (!job) return;
      this.places.take(job.workspaceId, 1);
      void job.run().finally(() => {
        this.places.leave(job.workspaceId, 1);
        this.assign();
      });
    }
  }

  private start(): Pool {
    const { file, flags } = this.program;
    const forkOpts = { execArgv: flags, env: {}, serialization: 'advanced' };
    // Whatever it prints is read and forgotten: otherwise it would be in the log of this process.
    const options = { workerType: 'process', maxWorkers: 1, workerTerminateTimeout: 1, emitStdStreams: true } as const;
    const process = workerpool.pool(file, { ...options, forkOpts });
    this.all.add(process);
    return process;
  }

  private end(process: Pool): void {
    this.all.delete(process);
    process.terminate(true).catch(() => undefined);
  }

  private putBack(process: Pool): void {
    if (this.isClosed) return this.end(process);
    this.idle.push(process);
    clearTimeout(this.idleTimer);
    const endIdle = () => this.idle.splice(0).forEach((idle) => this.end(idle));
    this.idleTimer = setTimeout(endIdle, IDLE_MS).unref();
  }
}

/** Sends a call to a process and waits for the answer as long as it may take. */
async function exchange<T>(process: Pool, { method, argument, timeMs, signal }: PoolCall): Promise<T> {
  if (signal?.aborted) throw new Stopped('aborted');
  let stop: (why: Stopped['why']) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => (stop = (why) => reject(new Stopped(why))));
  let timer = setTimeout(() => stop('time'), START_MS);
  let hasBegun = false;
  // The process says when it begins: starting is not counted.
  const onEvent = (event: unknown) => {
    if (event !== 'begun') return;
    hasBegun = true;
    clearTimeout(timer);
    timer = setTimeout(() => stop('time'), timeMs);
  };
  const abort = () => stop('aborted');
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const answer = process.exec(method, [argument], { on: onEvent });
    const told = answer.catch((error: Error) => Promise.reject(hasBegun ? asStopped(error) : new NotBegun(error)));
    return (await Promise.race([told, stopped])) as T;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** A process that ends by itself has no memory left. What it answers as an error says that its interpreter is broken. */
function asStopped(error: Error): Stopped {
  return /^Workerpool Worker|^Worker /.test(error.message)
    ? new Stopped('memory')
    : new Stopped('broken', error.message);
}

/** A process ended before it began with a call. */
class NotBegun extends Error {
  constructor(cause: Error) {
    super(`A process of the sandbox does not start: ${cause.message.split('\n', 1)[0]}`, { cause });
  }
}

function closed(): Error {
  return new Error('The sandbox is closed.');
}

/** Node does not read the sources, so tests run the programs that were built before. */
const FOLDER = fileURLToPath(new URL('.', import.meta.url)).replace(
  /([\\/])(src[\\/]platform[\\/]sandbox[\\/])$/,
  (all, slash: string, rest: string) => (import.meta.url.endsWith('.ts') ? `${slash}dist${slash}${rest}` : all),
);

export function plainProgram({ expressionsMb }: SandboxLimits): Program {
  return { file: path.join(FOLDER, 'plain.process.js'), flags: [`--max-old-space-size=${expressionsMb}`] };
}

const requireHere = createRequire(import.meta.url);

/** What the interpreter takes for itself, in MiB. */
const PYTHON_MB = 64;
const PAGES_PER_MB = 16;

/** It may read the program and the interpreter, and nothing else; it may start nothing. */
export function pythonProgram({ codeMb }: SandboxLimits): Program {
  const readable = [
    FOLDER,
    path.join(FOLDER, '../../../python'),
    ...['pyodide', 'workerpool'].map((name) => path.dirname(requireHere.resolve(`${name}/package.json`))),
  ];
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  const flags = [
    permission,
    ...readable.map((folder) => `--allow-fs-read=${path.join(folder, '*')}`),
    '--disallow-code-generation-from-strings',
    `--wasm-max-mem-pages=${(codeMb + PYTHON_MB) * PAGES_PER_MB}`,
    '--no-warnings',
  ];
  return { file: path.join(FOLDER, 'python.process.js'), flags };
}
