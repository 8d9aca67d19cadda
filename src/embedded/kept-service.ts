import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasExited, howItEnded } from './server-process.js';

const SHOWN_LINES = 8;
const PAUSE_MS = 1000;
/** Messages of PostgreSQL, Redis and Node for a full disk or quota. */
const DISK_FULL = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/;

/** A running service of the product's own. */
export interface Embedded {
  name: string;
  url: string;
  port: number;
  child: ChildProcess;
  recentOutput(): string;
  stop(): Promise<void>;
}

/** Callbacks for the states of a service. */
export interface ServiceWatcher {
  say(text: string): void;
  /** Called once when a service has ended and is not restarted. */
  onGiveUp(message: string): void;
}

export const saysDiskFull = (text: string): boolean => DISK_FULL.test(text);

/**
 * A service that survives a full disk: PostgreSQL stops when it cannot write its log. It is restarted at the same address until
 * there is space. Other failures are left to the operator.
 */
export class KeptService {
  private readonly wanted = new AbortController();
  private restarting: Promise<void> = Promise.resolve();

  constructor(
    private service: Embedded,
    private readonly startAgain: (port: number, signal: AbortSignal) => Promise<Embedded>,
  ) {}

  watch(watcher: ServiceWatcher): void {
    const { child } = this.service;
    const ended = (): void => {
      if (!this.wanted.signal.aborted) this.restarting = this.onEnd(watcher);
    };
    if (hasExited(child)) ended();
    // Later than its exit, because its last output gives the reason.
    else child.once('close', ended);
  }

  async stop(): Promise<void> {
    this.wanted.abort();
    await this.restarting;
    await this.service.stop();
  }

  private async onEnd(watcher: ServiceWatcher): Promise<void> {
    const { name, recentOutput } = this.service;
    if (!saysDiskFull(recentOutput())) return watcher.onGiveUp(describeExit(this.service));
    watcher.say(
      `The disk is full and ${name} has stopped. Make room: it is then started again by itself; nothing is lost.`,
    );
    const restarted = await this.restart(watcher);
    if (!restarted) return;
    this.service = restarted;
    watcher.say(`${name} runs again`);
    this.watch(watcher);
  }

  /** Null when the service was stopped meanwhile or fails for another reason. */
  private async restart(watcher: ServiceWatcher): Promise<Embedded | null> {
    const { name, port } = this.service;
    const { signal } = this.wanted;
    for (;;) {
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return null;
      try {
        const service = await this.startAgain(port, signal);
        if (service.port === port) return service;
        // Another process has its port for a moment.
        await service.stop();
      } catch (error) {
        if (signal.aborted || saysDiskFull(String(error))) continue;
        watcher.onGiveUp(`${name} stopped as the disk was full, and cannot be started again. ${String(error)}`);
        return null;
      }
    }
  }
}

function describeExit({ name, child, recentOutput }: Embedded): string {
  const how = howItEnded(child.exitCode, child.signalCode);
  const lastWords = recentOutput().trim().split('\n').slice(-SHOWN_LINES).join('\n');
  return `${name} ended unexpectedly (${how}). The data are safe; start again with npm start. Its last words:\n${lastWords}`;
}
