import { Logger } from '@nestjs/common';
import type { Queue } from 'bull';

const log = new Logger('Doorbell');

/**
 * Tells a worker that there is work. Never waits and never fails: call it after the commit and do not await anything.
 * While Redis is away the ring is dropped (Bull's `add` would never settle) and the sweep rings later.
 */
export function ring(queue: Queue, payload: Record<string, string | number>, times = 1): void {
  add(
    queue,
    Array.from({ length: times }, () => ({ data: payload })),
  );
}

/** The same, unless a job of this id waits or is worked on: a sweep that rings for the same work again leaves one job. */
export function ringOnce(queue: Queue, id: string, payload: Record<string, string | number>): void {
  add(queue, [{ data: payload, opts: { jobId: id } }]);
}

/**
 * Tells workers that there may be work, as many times as they can do at once. A sweep that does so again and again leaves
 * no more jobs than that.
 */
export function ringAgain(queue: Queue, times: number): void {
  for (let number = 0; number < times; number++) ringOnce(queue, `sweep-${number}`, {});
}

function add(queue: Queue, jobs: Parameters<Queue['addBulk']>[0]): void {
  if (queue.client.status !== 'ready') {
    log.warn(`Queue ${queue.name} is not reachable; the sweep will find the work.`);
    return;
  }
  queue.addBulk(jobs).catch((error: Error) => log.warn(`Ringing ${queue.name} failed: ${error.message}`));
}
