import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { emit, type DomainEvent } from '../events/index.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { toAlertDetails } from './alert-details.js';
import { HOUR, MINUTE, stepOf } from './definition.js';
import { labelOf } from './group-labels.queries.js';
import { monitorClosed, monitorOpened, monitorStillOpen } from './monitor-events.js';
import { MonitorAlert } from './monitor-alert.entity.js';
import type { GroupVerdict, Monitor, RecentFigure } from './monitor.entity.js';
import type { ClaimedMonitors, Evaluated } from './claimed-monitors.js';
import { type Closing, decide, type OpenAlert } from './play.js';

/** Data that were read together with the monitors. */
interface Known {
  alerts: MonitorAlert[];
  labels: ReadonlyMap<number, string>;
  delayMs: number;
}

/** Everything that one claim changes. */
interface Changes {
  opened: MonitorAlert[];
  kept: MonitorAlert[];
  closed: MonitorAlert[];
  events: DomainEvent[];
}

const KEPT_HOURS = 24;

@Injectable()
export class StoreVerdicts {
  constructor(
    private readonly db: DataSource,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Stores everything in one transaction: a worker that dies loses and repeats nothing. Skips monitors that were changed meanwhile. */
  async store(claim: ClaimedMonitors, evaluated: Evaluated[], known: Known): Promise<void> {
    const { workspaceId } = claim;
    const changes = await this.db.transaction(async (tx) => {
      // A repeated transaction starts without changes.
      const made: Changes = { opened: [], kept: [], closed: [], events: [] };
      const held = await lockHeld(tx, claim);
      const ours = evaluated.filter(({ monitor }) => held.has(monitor.id));
      for (const each of ours) this.decideGroups(each, known, made);
      await writeAlerts(tx, made);
      await writeMonitors(tx, claim, ours, known);
      await emit(tx, { workspaceId, keyId: null, requestId: `monitors-${claim.claim}` }, ...made.events);
      return made;
    });
    this.count(evaluated, changes);
  }

  /** Closes alerts of a monitor that is paused, changed or deleted, in the transaction of the change. */
  async closeAll(tx: EntityManager, monitor: Monitor, closing: Closing, requestId: string): Promise<void> {
    const { workspaceId, id: monitorId } = monitor;
    const open = await tx.findBy(MonitorAlert, { workspaceId, monitorId, state: 'open' });
    const closed = open.map((alert) => closedAlert(alert, closing, Date.now()));
    await writeAlerts(tx, { opened: [], kept: [], closed });
    const events = closed.map((alert) => monitorClosed(this.details(monitor, alert)));
    await emit(tx, { workspaceId, keyId: null, requestId }, ...events);
  }

  private decideGroups({ monitor, to, groups }: Evaluated, { alerts, labels }: Known, changes: Changes): void {
    for (const group of groups ?? []) {
      group.label = labelOf(monitor.definition, group.group, labels);
      const alert = alerts.find(({ monitorId, groupKey }) => monitorId === monitor.id && groupKey === group.group);
      const change = decide(monitor.definition, alert ? openAlertOf(alert) : null, group.verdict);
      if (change.kind === 'open') {
        const opened = newAlert(monitor, group, change.alert);
        changes.opened.push(opened);
        changes.events.push(monitorOpened(this.details(monitor, opened)));
      } else if (change.kind === 'close') {
        const closed = closedAlert({ ...alert!, lastVerdict: group.verdict }, change.closing, to);
        changes.closed.push(closed);
        changes.events.push(monitorClosed(this.details(monitor, closed)));
      } else if (change.kind === 'keep') this.keep(monitor, { ...alert!, ...keptOf(change.alert, group) }, changes);
    }
  }

  private keep(monitor: Monitor, alert: MonitorAlert, changes: Changes): void {
    const { repeatHours } = monitor.definition;
    const at = alert.lastVerdict.window.to;
    const sentAt = (alert.repeatedAt ?? alert.openedAt).getTime();
    if (repeatHours !== null && at - sentAt >= repeatHours * HOUR) {
      alert.repeatedAt = new Date(at);
      changes.events.push(monitorStillOpen(this.details(monitor, alert)));
    }
    changes.kept.push(alert);
  }

  private details(monitor: Monitor, alert: MonitorAlert) {
    return toAlertDetails(monitor, alert, this.config.publicUrl);
  }

  private count(evaluated: Evaluated[], { opened, closed }: Changes): void {
    const { monitorEvaluations, monitorAlerts } = this.metrics.counters;
    for (const { problem } of evaluated) monitorEvaluations.inc({ outcome: problem === null ? 'done' : 'failed' });
    monitorAlerts.inc({ change: 'opened' }, opened.length);
    monitorAlerts.inc({ change: 'closed' }, closed.length);
  }
}

async function lockHeld(tx: EntityManager, { workspaceId, claim }: ClaimedMonitors): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }[]>(
    'SELECT id FROM monitors WHERE workspace_id = $1 AND claim = $2 ORDER BY id FOR NO KEY UPDATE',
    [workspaceId, claim],
  );
  return new Set(rows.map(({ id }) => id));
}

const moment = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

const openAlertOf = ({ cause, fineSince, emptySince }: MonitorAlert): OpenAlert => ({
  cause,
  fineSince: fineSince?.getTime() ?? null,
  emptySince: emptySince?.getTime() ?? null,
});

const keptOf = ({ fineSince, emptySince }: OpenAlert, { verdict, label }: GroupVerdict) => ({
  fineSince: moment(fineSince),
  emptySince: moment(emptySince),
  lastVerdict: verdict,
  groupLabel: label,
});

function newAlert(
  { workspaceId, id: monitorId, definition }: Monitor,
  { group: groupKey, label: groupLabel, verdict }: GroupVerdict,
  { cause, emptySince }: OpenAlert,
): MonitorAlert {
  const key = { workspaceId, id: randomUUID(), monitorId, groupKey, groupLabel };
  const times = { openedAt: new Date(verdict.window.to), closedAt: null, fineSince: null, repeatedAt: null };
  const verdicts = { firstVerdict: verdict, lastVerdict: verdict, definition };
  const state = { state: 'open' as const, closing: null, emptySince: moment(emptySince), createdAt: new Date() };
  return { ...key, cause, ...times, ...verdicts, ...state };
}

function closedAlert(alert: MonitorAlert, closing: Closing, at: number): MonitorAlert {
  const closedAt = new Date(Math.max(at, alert.openedAt.getTime()));
  return { ...alert, state: 'closed', closing, closedAt };
}

async function writeAlerts(tx: EntityManager, { opened, kept, closed }: Omit<Changes, 'events'>): Promise<void> {
  if (opened.length > 0) await tx.insert(MonitorAlert, opened as never);
  const changed = [...kept, ...closed];
  if (changed.length === 0) return;
  await tx.query(
    `UPDATE monitor_alerts a
        SET state = c.state, closing = c.closing, closed_at = c.closed_at, fine_since = c.fine_since, empty_since = c.empty_since,
            repeated_at = c.repeated_at, last_verdict = c.last_verdict, group_label = c.group_label
       FROM jsonb_to_recordset($2::jsonb) AS c (
         id uuid, state text, closing text, closed_at timestamptz, fine_since timestamptz, empty_since timestamptz,
         repeated_at timestamptz, last_verdict jsonb, group_label text)
      WHERE a.workspace_id = $1 AND a.id = c.id AND a.state = 'open'`,
    [changed[0]!.workspaceId, JSON.stringify(changed.map(toAlertRow))],
  );
}

const toAlertRow = (alert: MonitorAlert) => ({
  id: alert.id,
  state: alert.state,
  closing: alert.closing,
  closed_at: alert.closedAt,
  fine_since: alert.fineSince,
  empty_since: alert.emptySince,
  repeated_at: alert.repeatedAt,
  last_verdict: alert.lastVerdict,
  group_label: alert.groupLabel,
});

/** Ends the claim. */
async function writeMonitors(
  tx: EntityManager,
  { workspaceId, claim }: ClaimedMonitors,
  evaluated: Evaluated[],
  { delayMs }: Known,
): Promise<void> {
  const rows = evaluated.map(({ monitor, to, groups, problem }) => ({
    id: monitor.id,
    latest: groups ?? monitor.latest,
    recent: groups ? recentOf(monitor, groups, to) : monitor.recent,
    problem,
    evaluated_to: groups ? new Date(to) : monitor.evaluatedTo,
    due_at: new Date(to + stepOf(monitor.definition) * MINUTE + delayMs),
  }));
  await tx.query(
    `UPDATE monitors m
        SET latest = c.latest, recent = c.recent, problem = c.problem, evaluated_to = c.evaluated_to, due_at = c.due_at,
            claim = NULL, lease_until = NULL, attempts = 0
       FROM jsonb_to_recordset($3::jsonb) AS c (
         id uuid, latest jsonb, recent jsonb, problem text, evaluated_to timestamptz, due_at timestamptz)
      WHERE m.workspace_id = $1 AND m.id = c.id AND m.claim = $2`,
    [workspaceId, claim, JSON.stringify(rows)],
  );
}

/** Keeps the last figure of each hour. */
function recentOf({ recent }: Monitor, [first]: GroupVerdict[], to: number): RecentFigure[] {
  const hourOf = (at: number) => Math.floor((at - 1) / HOUR);
  const kept = recent.filter(({ at }) => at > to - KEPT_HOURS * HOUR && hourOf(at) !== hourOf(to));
  return [...kept, { at: to, figure: first?.verdict.figure ?? null }];
}
