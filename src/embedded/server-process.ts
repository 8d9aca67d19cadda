import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, spawnIdentity } from './account.js';
import { LaunchError } from './launch-error.js';
import { freePort } from './ports.js';

const KEPT_OUTPUT = 4000;
const PORT_TAKEN = /Address already in use/i;
const RETRY_FOR_MS = 15_000;
const RETRY_PAUSE_MS = 200;

/** A running service, embedded or not yet used by anybody. */
export interface Service {
  url: string;
  pid: number;
  /** Stops the service in order; returns when its process is gone. Calling it again does no harm. */
  stop(): Promise<void>;
}

export interface ServerCommand {
  /** For messages. */
  name: string;
  file: string;
  args: string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  account: Account | null;
  /** Written to standard input, which is then closed. */
  input?: string;
  /** The output of the server once it accepts connections. */
  readyText: string;
  stop: { signal: NodeJS.Signals; limitMs: number; lastResort: NodeJS.Signals };
  /** Aborting before the server is ready gives up the start. */
  abort?: AbortSignal;
}

export interface ServerProcess {
  child: ChildProcess;
  pid: number;
  /** The last lines the server printed. */
  recentOutput(): string;
  stop(): Promise<void>;
}

/** The server ended before it was ready; `output` is the last it printed. */
export class ServerExitError extends LaunchError {
  constructor(
    name: string,
    how: string,
    readonly output: string,
  ) {
    super(`${name} stopped while it was starting (${how}). Its last words:\n${output.trim()}`);
  }
}

/**
 * Starts a server in a session of its own, so that Ctrl-C in the terminal does not reach it, and waits until it is ready.
 * @throws ServerExitError when it ends before that; LaunchError when it cannot be run at all
 */
export async function startServer(command: ServerCommand): Promise<ServerProcess> {
  const { file, args, cwd, env, account, input, abort, stop } = command;
  const child = spawn(file, args, {
    ...spawnIdentity(account),
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.on('error', () => undefined); // a server that dies early closes its end; its exit tells the story
  child.stdin?.end(input ?? '');
  const giveUp = (): boolean => child.kill(stop.signal);
  if (abort?.aborted) giveUp();
  abort?.addEventListener('abort', giveUp);
  const recentOutput = await untilReady(child, command).finally(() => abort?.removeEventListener('abort', giveUp));
  return { child, pid: child.pid!, recentOutput, stop: () => stopServer(child, stop) };
}

function untilReady(child: ChildProcess, { name, file, readyText }: ServerCommand): Promise<() => string> {
  let output = '';
  return new Promise((resolve, reject) => {
    const collect = (text: string): void => {
      output = (output + text).slice(-KEPT_OUTPUT);
      if (output.includes(readyText)) resolve(() => output);
    };
    child.stdout?.setEncoding('utf8').on('data', collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    child.on('error', (error) => reject(new LaunchError(`${name} could not be started (${file}): ${error.message}`)));
    child.once('close', (code, signal) => reject(new ServerExitError(name, howItEnded(code, signal), output)));
  });
}

/**
 * Starts a server on the preferred port or any free one, and tries again while it ends at once for a reason
 * that passes by itself: its last output matches `passing`, or somebody took the port since we looked.
 */
export async function startOnFreePort(
  preferred: number | undefined,
  commandFor: (port: number) => ServerCommand,
  passing?: RegExp,
): Promise<ServerProcess & { port: number }> {
  const deadline = Date.now() + RETRY_FOR_MS;
  for (;;) {
    const port = await freePort(preferred);
    try {
      return { ...(await startServer(commandFor(port))), port };
    } catch (error) {
      const passes = error instanceof ServerExitError && [PORT_TAKEN, passing].some((text) => text?.test(error.output));
      if (!passes || Date.now() > deadline) throw error;
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

/** For messages: how a process ended. */
export function howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ? `signal ${signal}` : `exit code ${code}`;
}

/** True once the process has ended. */
export function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function stopServer(child: ChildProcess, { signal, limitMs, lastResort }: ServerCommand['stop']): Promise<void> {
  if (hasExited(child)) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => child.kill(lastResort), limitMs);
  await gone;
  clearTimeout(timer);
}
