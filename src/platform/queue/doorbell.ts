import { Logger } from '@nestjs/common';
import type { Job, Queue } from 'bull';

const log = new Logger('Doorbell');

/**
 * Tells a worker that there is work. Never waits and never fails: call it after the commit and do not await anything.
 * While Redis is away the ring is dropped (Bull's `add` would never settle) and the sweep rings later.
 */
export function ring(queue: Queue, payload: Record<string, string | number | boolean> = {}, times = 1): void {
  add(
    queue,
    Array.from({ length: times }, () => ({ data: payload })),
  );
}

/** The same, unless a job of this id waits or is worked on: a sweep that rings for the same work again leaves one job. */
export function ringOnce(queue: Queue, id: string, payload: Record<string, string | number>): void {
  add(queue, [{ data: payload, opts: { jobId: id } }]);
}

/** What the job of a sweep carries. */
const AGAIN = { again: true };

/**
 * For sweeps: tells one worker that there may be work, unless somebody has not yet heard of it. Jobs that are worked on do not
 * count: their worker may be dead, or busy for long. Most sweeps find nothing, so others are told by who finds something: see
 * `tellAnother`.
 */
export async function ringAgain(queue: Queue): Promise<void> {
  if (isReachable(queue) && (await queue.getWaitingCount()) === 0) ring(queue, AGAIN);
}

/** What a job of a sweep does when it has found work: where some was forgotten there may be more, for more places to do it. */
export const tellAnother =
  (queue: Queue, { data }: Job<Partial<typeof AGAIN>>) =>
  (): void => {
    if (data.again) ring(queue, AGAIN);
  };

function add(queue: Queue, jobs: Parameters<Queue['addBulk']>[0]): void {
  if (!isReachable(queue)) return;
  queue.addBulk(jobs).catch((error: Error) => log.warn(`Ringing ${queue.name} failed: ${error.message}`));
}

function isReachable(queue: Queue): boolean {
  if (queue.client.status === 'ready') return true;
  log.warn(`Queue ${queue.name} is not reachable; the sweep will find the work.`);
  return false;
}
