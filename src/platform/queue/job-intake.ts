import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Queue } from 'bull';
import { queuesOf } from './queue-connections.js';

/**
 * Ends the work of a process before anything it works with goes: a worker that stops begins no other job, lets those it has
 * come to their end (runners of long ones give them back when their module is destroyed), and only then loses its connections.
 */
@Injectable()
export class JobIntake implements OnModuleDestroy, BeforeApplicationShutdown {
  private ended: Promise<unknown> = Promise.resolve();

  constructor(private readonly discovery: DiscoveryService) {}

  /** Does not wait: what is worked on ends only when others have been told to stop, too. */
  onModuleDestroy(): void {
    this.ended = Promise.allSettled(queuesOf(this.discovery).map(endIntake));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ended;
  }
}

/** What the types of Bull leave out: the connection that waits for jobs, which is made when somebody asks for it. */
type Waiting = Queue & { bclient: Queue['client'] & { blocked?: boolean }; bclientInitialized?: boolean };

/**
 * Bull asks the connection that waits for jobs to quit, which it cannot while it waits, and cuts it half a second later. It is
 * cut at once here, as Bull itself does when it closes a queue.
 */
async function endIntake(queue: Queue): Promise<void> {
  const ended = queue.pause(true);
  await queue.isReady();
  const { bclient, bclientInitialized } = queue as Waiting;
  if (bclientInitialized && bclient.blocked) bclient.disconnect();
  await ended;
}
