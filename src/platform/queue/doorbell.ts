import { Logger } from '@nestjs/common';
import type { Queue } from 'bull';

const log = new Logger('Doorbell');

/**
 * Tells a worker that there is work. Never waits and never fails: call it after the commit and do not await anything.
 * While Redis is away the ring is dropped (Bull's `add` would never settle) and the sweep rings later.
 */
export function ring(queue: Queue, payload: Record<string, string | number> = {}, times = 1): void {
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
 * For sweeps: tells workers that there may be work, unless so many have not yet heard of it. Jobs that are worked on do not
 * count: their worker may be dead, or busy for long.
 */
export async function ringAgain(queue: Queue, most: number): Promise<void> {
  if (!isReachable(queue)) return;
  const waiting = await queue.getWaitingCount();
  if (waiting < most) ring(queue, {}, most - waiting);
}

function add(queue: Queue, jobs: Parameters<Queue['addBulk']>[0]): void {
  if (!isReachable(queue)) return;
  queue.addBulk(jobs).catch((error: Error) => log.warn(`Ringing ${queue.name} failed: ${error.message}`));
}

function isReachable(queue: Queue): boolean {
  if (queue.client.status === 'ready') return true;
  log.warn(`Queue ${queue.name} is not reachable; the sweep will find the work.`);
  return false;
}
