import { type BeforeApplicationShutdown, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import Bull, { type Queue } from 'bull';

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
    this.ended = Promise.allSettled(this.queues().map(endIntake));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ended;
  }

  private queues(): Queue[] {
    const instances = this.discovery.getProviders().map(({ instance }): unknown => instance);
    return [...new Set(instances)].filter((instance) => instance instanceof Bull);
  }
}

/**
 * Bull asks the connection that waits for jobs to quit, which it cannot while it waits, and cuts it half a second later. It is
 * cut at once here, as Bull itself does when it closes a queue.
 */
async function endIntake(queue: Queue): Promise<void> {
  const ended = queue.pause(true);
  await queue.isReady();
  for (const client of queue.clients as (Queue['client'] & { blocked?: boolean })[]) {
    if (client.blocked) client.disconnect();
  }
  await ended;
}
