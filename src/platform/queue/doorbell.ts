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
 * Tells workers that there may be work, as many times as they can do at once. Jobs that wait already count, so a sweep that
 * does so again and again leaves no heap of them. Jobs that are worked on do not count: their worker may have died, and
 * Bull takes up to a minute to notice.
 */
export function ringAgain(queue: Queue, times: number): void {
  if (!isReachable(queue)) return;
  queue.getWaitingCount().then(
    (waiting) => ring(queue, {}, Math.max(0, times - waiting)),
    (error: Error) => log.warn(`Ringing ${queue.name} failed: ${error.message}`),
  );
}

function add(queue: Queue, jobs: Parameters<Queue['addBulk']>[0]): void {
  if (jobs.length === 0 || !isReachable(queue)) return;
  queue.addBulk(jobs).catch((error: Error) => log.warn(`Ringing ${queue.name} failed: ${error.message}`));
}

function isReachable(queue: Queue): boolean {
  const isReady = queue.client.status === 'ready';
  if (!isReady) log.warn(`Queue ${queue.name} is not reachable; the sweep will find the work.`);
  return isReady;
}
