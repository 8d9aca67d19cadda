import { Logger } from '@nestjs/common';
import type { Job, Queue } from 'bull';

const log = new Logger('Queue');

/**
 * Notifies workers of new work. Never waits and never fails: call it after the commit and await nothing. While Redis is
 * unreachable the job is dropped (Bull's `add` would never settle) and the sweep finds the work later.
 */
export function notify(queue: Queue, payload: Record<string, string | number | boolean> = {}, times = 1): void {
  add(
    queue,
    Array.from({ length: times }, () => ({ data: payload })),
  );
}

/** The same, unless a job of this id waits or is worked on: a sweep that notifies of the same work again leaves one job. */
export function notifyOnce(queue: Queue, id: string, payload: Record<string, string | number>): void {
  add(queue, [{ data: payload, opts: { jobId: id } }]);
}

/** Payload of a job that a sweep has added. */
const SWEPT = { again: true };

/**
 * For sweeps: notifies one worker that there may be work, unless a job waits already. Jobs that are worked on do not
 * count: their worker may be dead, or busy for long. Most sweeps find nothing, so the worker that finds something notifies
 * others: see `notifyAnother`.
 */
export async function notifyIfNoneWaits(queue: Queue): Promise<void> {
  if (isReachable(queue) && (await queue.getWaitingCount()) === 0) notify(queue, SWEPT);
}

/** Called when the job of a sweep has found work: where some was forgotten there may be more, for other workers. */
export function notifyAnother(queue: Queue, { data }: Job<Partial<typeof SWEPT>>): void {
  if (data.again) notify(queue, SWEPT);
}

function add(queue: Queue, jobs: Parameters<Queue['addBulk']>[0]): void {
  if (!isReachable(queue)) return;
  queue.addBulk(jobs).catch((error: Error) => log.warn(`Notifying ${queue.name} failed: ${error.message}`));
}

function isReachable(queue: Queue): boolean {
  if (queue.client.status === 'ready') return true;
  log.warn(`Queue ${queue.name} is not reachable; the sweep will find the work.`);
  return false;
}
