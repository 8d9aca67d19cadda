import type { INestApplicationContext } from '@nestjs/common';
import { QueueHealth } from '../../src/platform/queue/queue-health.js';
import { SweepRunner } from '../../src/platform/queue/sweep.js';
import { until } from './until.js';

/** A process that sweeps when a test asks for it. Nothing else makes it sweep after its start. */
export interface Sweeper {
  /** Runs the sweeps of a name once and waits for their end. */
  sweep(name: string): Promise<void>;
}

/** A worker that a test has started in addition to its server. */
export const sweeperOf = (worker: INestApplicationContext): Sweeper => ({
  sweep: (name) => worker.get(SweepRunner).run(name),
});

/** Waits until a new process is connected to its queues. Earlier notifications are left to the next sweep. */
export const untilQueuesAnswer = (app: INestApplicationContext): Promise<void> =>
  until(async () => (await app.get(QueueHealth).read()) === 'up');

/**
 * Sweeps and asks, again and again, until the answer is true. One sweep is not always enough: work that failed is due after a
 * pause, rows that somebody has locked are passed over, and a long run ends before everything is done.
 */
export async function sweepUntil(sweeper: Sweeper, names: string[], done: () => Promise<boolean>): Promise<void> {
  await until(async () => {
    for (const name of names) await sweeper.sweep(name);
    return done();
  });
}

/** Makes traces due that wait for more spans. Locked rows are skipped: no test and no other transaction waits. */
const DUE_NOW = `UPDATE trace_search_queue q SET due_at = now() FROM (
    SELECT workspace_id, trace_id FROM trace_search_queue WHERE due_at BETWEEN now() AND now() + interval '30 seconds'
       FOR UPDATE SKIP LOCKED) AS early
  WHERE q.workspace_id = early.workspace_id AND q.trace_id = early.trace_id`;

/** Sweeps until every trace and request log is in the index. Large traces do not wait for more spans, as they do otherwise. */
export const untilSearchable = (app: Sweeper & Database, workspaceId?: number): Promise<void> =>
  sweepUntil(app, ['trace-search', 'request-search'], async () => {
    if (await areEmpty(app, workspaceId, 'trace_search_queue', 'request_log_search_queue')) return true;
    await app.sql(DUE_NOW);
    return false;
  });

/** Sweeps until the hours that have ended are added up. The hour of now is left alone: it changes all the time. */
export const untilAddedUp = (app: Sweeper & Database, workspaceId?: number): Promise<void> =>
  sweepUntil(app, ['trace-hours', 'request-hours'], () => {
    const ended = (table: string) => `(SELECT * FROM ${table} WHERE hour < date_trunc('hour', now(), 'UTC')) AS ended`;
    return areEmpty(app, workspaceId, ended('trace_hour_changes'), ended('request_hour_changes'));
  });

interface Database {
  sql(text: string, parameters?: unknown[]): Promise<unknown[]>;
}

/** Whether tables have no rows; those of one workspace, if it is given. */
async function areEmpty(app: Database, workspaceId: number | undefined, ...tables: string[]): Promise<boolean> {
  const any = tables.map((table) => `EXISTS (SELECT FROM ${table} WHERE workspace_id = coalesce($1, workspace_id))`);
  const [row] = (await app.sql(`SELECT ${any.join(' OR ')} AS any`, [workspaceId ?? null])) as [{ any: boolean }];
  return !row.any;
}
