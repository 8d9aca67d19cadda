import { Logger } from '@nestjs/common';
import type { Queue } from 'bull';

const log = new Logger('Doorbell');

/**
 * Tells a worker that there is work. Never waits and never fails: call it after the commit and do not await anything.
 * While Redis is away the ring is dropped (Bull's `add` would never settle) and the sweep rings later.
 */
export function ring(queue: Queue, payload: Record<string, string | number>, times = 1): void {
  if (queue.client.status !== 'ready') {
    log.warn(`Queue ${queue.name} is not reachable; the sweep will find the work.`);
    return;
  }
  const jobs = Array.from({ length: times }, () => ({ data: payload }));
  queue.addBulk(jobs).catch((error: Error) => log.warn(`Ringing ${queue.name} failed: ${error.message}`));
}
