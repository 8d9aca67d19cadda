import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { Series } from '../analytics/index.js';
import { Problem } from '../platform/errors/problem.js';
import { ReadingPool } from '../platform/database/reading-pool.js';
import { type Definition, MINUTE, spansOf, stepOf } from './definition.js';
import { groupLabels } from './group-labels.queries.js';
import { judge } from './judge.js';
import { MonitorAlert } from './monitor-alert.entity.js';
import { type GroupVerdict, Monitor } from './monitor.entity.js';
import type { ClaimedMonitors, Evaluated } from './claimed-monitors.js';
import { type Monitored, MonitoredReader } from './read-monitored.js';
import { StoreVerdicts } from './store-verdicts.js';

interface Options {
  signal: AbortSignal;
  /** Left to items that arrive late. */
  delayMs: number;
}

/** Evaluates the monitors of a claim: reads as of one moment, decides, and stores everything that follows in one transaction. */
@Injectable()
export class Evaluation {
  constructor(
    private readonly db: DataSource,
    private readonly pool: ReadingPool,
    private readonly store: StoreVerdicts,
  ) {}

  async run(claim: ClaimedMonitors, { signal, delayMs }: Options): Promise<void> {
    const { workspaceId } = claim;
    const monitors = await this.db.manager.findBy(Monitor, { workspaceId, claim: claim.claim });
    if (monitors.length === 0) return;
    const ids = monitors.map(({ id }) => id);
    const alerts = await this.db.manager.findBy(MonitorAlert, { workspaceId, monitorId: In(ids), state: 'open' });
    const asked = monitors.map((monitor) => ({ monitor, to: endOf(monitor.definition, claim.now - delayMs) }));
    const due = asked.filter(({ monitor, to }) => (monitor.evaluatedTo?.getTime() ?? 0) < to);
    const read = await this.read(workspaceId, due, signal);
    const evaluated = asked.map(({ monitor, to }): Evaluated => {
      const found = read.get(monitor.id);
      if (!found || typeof found === 'string') return { monitor, to, groups: null, problem: found ?? monitor.problem };
      return { monitor, to, groups: judgeGroups(monitor, alerts, { found, to }), problem: null };
    });
    signal.throwIfAborted();
    const labels = await groupLabels(this.db.manager, workspaceId, evaluated);
    await this.store.store(claim, evaluated, { alerts, labels, delayMs });
  }

  /** The series of each monitor, or in words why it has none. Those that need rows are read one by one: each has its own time limit. */
  private async read(workspaceId: number, due: Due[], signal: AbortSignal): Promise<Map<string, Monitored | string>> {
    const found = new Map<string, Monitored | string>();
    const byRows: Due[] = [];
    const summed = () =>
      this.pool.read(async (tx) => {
        const reader = new MonitoredReader(tx, workspaceId);
        const plans = [];
        for (const { monitor, to } of due) {
          const plan = await refusing(() => reader.plan(monitor.definition, spansOf(monitor.definition, to)));
          if (typeof plan === 'string') found.set(monitor.id, plan);
          else if (plan.facets === null) byRows.push({ monitor, to });
          else plans.push({ monitor, plan });
        }
        for (const { monitor, plan } of plans) found.set(monitor.id, await reader.series(plan));
      });
    await summed();
    for (const { monitor, to } of byRows) {
      signal.throwIfAborted();
      found.set(monitor.id, await refusing(() => this.readRows(workspaceId, monitor.definition, to)));
    }
    return found;
  }

  private readRows(workspaceId: number, definition: Definition, to: number): Promise<Monitored> {
    return this.pool.read(async (tx) => {
      const reader = new MonitoredReader(tx, workspaceId);
      return reader.series(await reader.plan(definition, spansOf(definition, to)));
    });
  }
}

interface Due {
  monitor: Monitor;
  to: number;
}

/** The end of the last windows that have ended by then. */
export function endOf(definition: Definition, now: number, step = stepOf(definition)): number {
  return Math.floor(now / (step * MINUTE)) * step * MINUTE;
}

/** Failures that a filter causes in words, such as reads that take too long. */
async function refusing<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.message;
  }
}

/** Groups that were there before are judged, too: that one has no items now may be what matters. */
function judgeGroups(
  { id, definition, latest }: Monitor,
  alerts: readonly MonitorAlert[],
  { found, to }: { found: Monitored; to: number },
): GroupVerdict[] {
  const open = alerts.filter(({ monitorId }) => monitorId === id).map(({ groupKey }) => groupKey);
  const before = latest.filter(({ verdict }) => verdict.kind !== 'no_data').map(({ group }) => group);
  const groups = new Set([...found.keys(), ...open, ...before]);
  return [...groups].map((group) => ({
    group,
    label: group,
    verdict: judge(definition, found.get(group) ?? new Series(), to),
  }));
}
