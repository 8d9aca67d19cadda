import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager, In, QueryFailedError } from 'typeorm';
import { Series } from '../rollups/index.js';
import { isPassingFailure, isRetryable } from '../platform/errors/failures.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { Problem } from '../platform/errors/problem.js';
import { ReadingPool } from '../platform/database/reading-pool.js';
import { type Definition, MINUTE, spansOf, stepOf } from './definition.js';
import { groupLabels } from './group-labels.queries.js';
import { judge } from './judge.js';
import { MonitorAlert } from './monitor-alert.entity.js';
import { type GroupVerdict, Monitor } from './monitor.entity.js';
import type { ClaimedMonitors, Evaluated } from './claimed-monitors.js';
import { MOST_GROUPS, type Monitored, MonitoredReader, rowsKey } from './read-monitored.js';
import { StoreVerdicts } from './store-verdicts.js';

interface Options {
  signal: AbortSignal;
  /** Time that late items have to arrive. */
  delayMs: number;
}

/** Evaluates the monitors of a claim: reads as of one moment, decides, and stores everything that follows in one transaction. */
@Injectable()
export class Evaluation {
  private readonly log = new Logger(Evaluation.name);

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
    const asked = monitors.map((monitor) => ({
      monitor,
      to: endOf(monitor.definition, claim.now - delayMs),
      known: knownGroups(monitor, alerts),
    }));
    const due = asked.filter(({ monitor, to }) => (monitor.evaluatedTo?.getTime() ?? 0) < to);
    const read = await this.read(workspaceId, due, signal);
    const evaluated = asked.map(({ monitor, to, known }): Evaluated => {
      const found = read.get(monitor.id);
      if (!found || typeof found === 'string') return { monitor, to, groups: null, problem: found ?? monitor.problem };
      return { monitor, to, groups: judgeGroups(monitor, known, { found, to }), problem: null };
    });
    signal.throwIfAborted();
    const labels = await groupLabels(this.db.manager, workspaceId, evaluated);
    await this.store.store(claim, evaluated, { alerts, labels, delayMs });
  }

  /**
   * Reads the series of each monitor, or a message why it has none. Reads of rows run one after the other, each with a time limit.
   * Monitors of the same rows share a read.
   */
  private async read(workspaceId: number, due: Due[], signal: AbortSignal): Promise<Map<string, Monitored | string>> {
    const { found, byRows } = await this.readSums(workspaceId, due);
    const read = new Map<string, Monitored | string>();
    for (const each of byRows) {
      signal.throwIfAborted();
      const key = rowsKey(each.monitor.definition, spansOf(each.monitor.definition, each.to), namesOf(each.known));
      if (!read.has(key)) read.set(key, await this.readAlone(workspaceId, each));
      found.set(each.monitor.id, read.get(key)!);
    }
    return found;
  }

  /** Reads the monitors that hourly sums answer, and gives the others. One of them may be why a shared read fails: then all are others. */
  private async readSums(workspaceId: number, due: Due[]): Promise<SharedRead> {
    try {
      return await this.pool.read((tx) => readTogether(tx, workspaceId, due));
    } catch (error) {
      const isBusy = error instanceof Problem && error.code === PlatformErrors.reading_busy.code;
      if (isBusy || messageOf(error) === null) throw error;
      return { found: new Map(), byRows: due };
    }
  }

  /** Turns failures of the read into a message: other monitors are evaluated nevertheless. */
  private async readAlone(workspaceId: number, due: Due): Promise<Monitored | string> {
    try {
      return await this.readRows(workspaceId, due);
    } catch (error) {
      const message = messageOf(error);
      if (message === null) throw error;
      if (!(error instanceof Problem)) this.log.error(`Monitor ${due.monitor.id} could not be read: ${String(error)}`);
      return message;
    }
  }

  private readRows(workspaceId: number, { monitor: { definition }, to, known }: Due): Promise<Monitored> {
    return this.pool.read(async (tx) => {
      const reader = new MonitoredReader(tx, workspaceId);
      const plan = await reader.plan(definition, spansOf(definition, to));
      return reader.series(plan, namesOf(known));
    });
  }
}

/** Groups that are known from earlier evaluations. */
interface KnownGroups {
  /** Groups with an open alert. */
  open: string[];
  /** Groups that had items in the last evaluation. */
  before: string[];
}

const knownGroups = ({ id, latest }: Monitor, alerts: readonly MonitorAlert[]): KnownGroups => ({
  open: alerts.filter(({ monitorId }) => monitorId === id).map(({ groupKey }) => groupKey),
  before: latest.filter(({ verdict }) => verdict.kind !== 'no_data').map(({ group }) => group),
});

const namesOf = ({ open, before }: KnownGroups): string[] => [...open, ...before];

interface Due {
  monitor: Monitor;
  to: number;
  known: KnownGroups;
}

/** The end of the last windows that have ended by then. */
export function endOf(definition: Definition, now: number, step = stepOf(definition)): number {
  return Math.floor(now / (step * MINUTE)) * step * MINUTE;
}

/** Results of a shared read, and the monitors that it does not answer. */
interface SharedRead {
  found: Map<string, Monitored | string>;
  byRows: Due[];
}

async function readTogether(tx: EntityManager, workspaceId: number, due: readonly Due[]): Promise<SharedRead> {
  const reader = new MonitoredReader(tx, workspaceId);
  const found = new Map<string, Monitored | string>();
  const byRows: Due[] = [];
  const plans = [];
  for (const each of due) {
    const { monitor, to } = each;
    const plan = await refusing(() => reader.plan(monitor.definition, spansOf(monitor.definition, to)));
    if (typeof plan === 'string') found.set(monitor.id, plan);
    else if (plan.facets === null) byRows.push(each);
    else plans.push({ ...each, plan });
  }
  for (const { monitor, known, plan } of plans) {
    found.set(monitor.id, await reader.series(plan, namesOf(known)));
  }
  return { found, byRows };
}

/** Turns the faults of a filter into messages. */
async function refusing<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.message;
  }
}

/** Message of a monitor whose read failed; null where the database as a whole is the cause. */
function messageOf(error: unknown): string | null {
  if (error instanceof Problem) return error.message;
  const isOfStatement = error instanceof QueryFailedError && !isPassingFailure(error) && !isRetryable(error);
  return isOfStatement ? 'Its items could not be read because of an error on the server.' : null;
}

/**
 * Judges the groups with the most items, the groups with an open alert, and the groups that had items before and have none now.
 * A group that was not read because others have more items is not one without items.
 */
function judgeGroups(
  { definition }: Monitor,
  { open, before }: KnownGroups,
  { found, to }: { found: Monitored; to: number },
): GroupVerdict[] {
  const gone = before.filter((group) => !found.has(group));
  const groups = new Set([...[...found.keys()].slice(0, MOST_GROUPS), ...open, ...gone]);
  return [...groups].map((group) => ({
    group,
    label: group,
    verdict: judge(definition, found.get(group) ?? new Series(), to),
  }));
}
