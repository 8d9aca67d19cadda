import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { APP_ENTRIES, type AppName } from '../app-entries.js';
import { LaunchError } from './launch-error.js';
import { hasExited, howItEnded } from './server-process.js';

export interface RestartPolicy {
  /** Wait before the first restart; doubles with every further one. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** Crashes in a row before giving up. */
  limit: number;
  /** A process that was ready for this long starts counting from zero again. */
  healthyAfterMs: number;
}

export const DEFAULT_RESTARTS: RestartPolicy = {
  firstPauseMs: 500,
  longestPauseMs: 15_000,
  limit: 8,
  healthyAfterMs: 60_000,
};

export interface AppProcessOptions {
  /** The name in messages: api, worker. */
  name: string;
  /** The JavaScript file; it reports `{ ready: true }` over IPC once it serves. */
  file: string;
  /** Options of node itself. */
  nodeOptions?: readonly string[];
  env: NodeJS.ProcessEnv;
  say(text: string): void;
  /** Called once, when the process has crashed too often. */
  onGiveUp(message: string): void;
  restarts?: RestartPolicy;
}

/** A process of the product by its name; `nodeOptions` come on top of its own. */
export function newAppProcess(name: AppName, options: Omit<AppProcessOptions, 'name' | 'file'>): AppProcess {
  const { file, nodeOptions } = APP_ENTRIES[name];
  return new AppProcess({
    ...options,
    name,
    file: fileURLToPath(new URL(`../${file}`, import.meta.url)),
    nodeOptions: [...nodeOptions, ...(options.nodeOptions ?? [])],
  });
}

/** One process of the product: started, watched, restarted when it crashes, stopped in order. */
export class AppProcess {
  private child: ChildProcess | null = null;
  private readonly stopped = new AbortController();
  private readonly policy: RestartPolicy;
  private recovery: Promise<void> = Promise.resolve();
  private crashes = 0;
  /** Milliseconds since the epoch; infinite while the process is still starting. */
  private readyAt = Number.POSITIVE_INFINITY;

  constructor(private readonly options: AppProcessOptions) {
    this.policy = options.restarts ?? DEFAULT_RESTARTS;
  }

  /**
   * Resolves once the process is ready. From then on a crash leads to a restart.
   * @throws LaunchError when it ends before it was ready for the first time
   */
  async start(): Promise<void> {
    const child = await this.spawnUntilReady();
    child.once('exit', (code, signal) => {
      if (!this.stopped.signal.aborted) killGroup(child); // what it had started would go on without it
      this.recovery = this.afterCrash(howItEnded(code, signal));
    });
  }

  /** Asks the process to finish, for good; after `limitMs` milliseconds it and everything it started are killed. */
  async stop(limitMs: number): Promise<void> {
    this.stopped.abort();
    if (this.child && !hasExited(this.child)) await this.finish(this.child, limitMs);
    await this.recovery;
  }

  private async finish(child: ChildProcess, limitMs: number): Promise<void> {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(child), limitMs);
    await gone;
    clearTimeout(timer);
  }

  /** Starts a process group of its own: Ctrl-C in the terminal must reach the launcher only, which then stops us in order. */
  private spawnUntilReady(): Promise<ChildProcess> {
    const { file, nodeOptions = [], env, name } = this.options;
    const child = spawn(process.execPath, [...nodeOptions, file], {
      env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child = child;
    this.readyAt = Number.POSITIVE_INFINITY;
    return new Promise((resolve, reject) => {
      child.once('error', (error) =>
        reject(new LaunchError(`The ${name} process could not be started: ${error.message}`)),
      );
      child.once('exit', (code, signal) =>
        reject(
          new LaunchError(
            `The ${name} process ended while it was starting (${howItEnded(code, signal)}); see its messages above.`,
          ),
        ),
      );
      child.on('message', (message) => {
        if (!(message as { ready?: boolean } | null)?.ready) return;
        this.readyAt = Date.now();
        resolve(child);
      });
    });
  }

  private async afterCrash(how: string): Promise<void> {
    if (this.stopped.signal.aborted) return;
    if (Date.now() - this.readyAt >= this.policy.healthyAfterMs) this.crashes = 0;
    this.crashes++;
    const { name, say, onGiveUp } = this.options;
    if (this.crashes > this.policy.limit) {
      return onGiveUp(
        `The ${name} process crashed ${this.crashes} times in a row (last: ${how}); see its messages above.`,
      );
    }
    const pause = Math.min(this.policy.firstPauseMs * 2 ** (this.crashes - 1), this.policy.longestPauseMs);
    say(`The ${name} process ended unexpectedly (${how}). Starting it again in ${pause / 1000} s.`);
    await this.restartAfter(pause);
  }

  private async restartAfter(pause: number): Promise<void> {
    try {
      await sleep(pause, undefined, { signal: this.stopped.signal });
    } catch {
      return; // stopped in the meantime
    }
    try {
      await this.start();
      this.options.say(`The ${this.options.name} process is back.`);
    } catch (error) {
      await this.afterCrash((error as Error).message);
    }
  }

  private kill(child: ChildProcess): void {
    this.options.say(`The ${this.options.name} process does not finish; killing it.`);
    killGroup(child);
  }
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // no process is left in the group
  }
}
