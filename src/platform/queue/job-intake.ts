import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Queue } from 'bull';
import { queuesOf } from './queue-connections.js';

/**
 * Ends the jobs of a process before their dependencies: a stopping worker begins no more jobs, lets the active ones end
 * (runners of long ones give them back when their module is destroyed), and only then loses its connections.
 */
@Injectable()
export class JobIntake implements OnModuleDestroy, BeforeApplicationShutdown {
  private ended: Promise<unknown> = Promise.resolve();

  constructor(private readonly discovery: DiscoveryService) {}

  /** Does not wait, because active work ends only after other modules have received their stop, too. */
  onModuleDestroy(): void {
    this.ended = Promise.allSettled(queuesOf(this.discovery).map(endIntake));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ended;
  }
}

/** A connection that Bull's types leave out: it waits for jobs and is created at its first use. */
type Waiting = Queue & { bclient: Queue['client'] & { blocked?: boolean }; bclientInitialized?: boolean };

/**
 * Bull asks the waiting connection to quit, which it cannot while it waits, and disconnects it half a second later.
 * This disconnects it at once, as Bull does when it closes a queue.
 */
async function endIntake(queue: Queue): Promise<void> {
  const ended = queue.pause(true);
  await queue.isReady();
  const { bclient, bclientInitialized } = queue as Waiting;
  if (bclientInitialized && bclient.blocked) bclient.disconnect();
  await ended;
}
