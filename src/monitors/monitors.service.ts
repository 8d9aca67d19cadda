import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { audit, type Caller, FindsInPath, type PathLookup } from '../access/index.js';
import { canonicalJson } from '../platform/canonical-json.js';
import { CONFIG, type Config } from '../platform/config/config.js';
import { lockUntilCommit } from '../platform/database/advisory-lock.js';
import { type CreatedPage, readCreated } from '../platform/http/created-list.js';
import { InjectNotifier, WorkNotifier } from '../platform/work/work-notifier.js';
import { checkDefinition } from './check-definition.js';
import type { Definition } from './definition.js';
import { type AlertState, MonitorAlert } from './monitor-alert.entity.js';
import { Monitor, type MonitorState } from './monitor.entity.js';
import { MonitorErrors } from './monitors.errors.js';
import { StoreVerdicts } from './store-verdicts.js';

export interface MonitorChange {
  name?: string;
  state?: MonitorState;
  /** The definition after the change. */
  define: (known: Definition) => Definition;
}

/** A monitor with its open alerts. */
export interface ShownMonitor {
  monitor: Monitor;
  open: MonitorAlert[];
}

@FindsInPath({ name: 'monitor_id', ids: { monitor_id: 'uuid' } })
export class MonitorsService implements PathLookup<{ monitor_id: string }> {
  constructor(
    private readonly db: DataSource,
    private readonly verdicts: StoreVerdicts,
    @InjectNotifier('monitors') private readonly workers: WorkNotifier,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Throws monitor_too_many, monitor_invalid, and the errors of the filter grammar. */
  async create(caller: Caller, { name, definition }: { name: string; definition: Definition }): Promise<ShownMonitor> {
    checkDefinition(definition);
    const { workspaceId, keyId: createdBy } = caller;
    const id = randomUUID();
    const monitor = await this.db.transaction(async (tx) => {
      await this.refuseTooMany(tx, workspaceId);
      await tx.insert(Monitor, { workspaceId, id, name, definition: definition as never, createdBy });
      await audit(tx, caller, { action: 'monitor.create', entityId: id, details: { name } });
      return getMonitor(tx, caller, id);
    });
    this.workers.notify();
    return { monitor, open: [] };
  }

  /** Up to `limit + 1`: the extra one shows that there are more. */
  async list({ workspaceId }: Caller, page: CreatedPage): Promise<ShownMonitor[]> {
    const monitors = await readCreated(this.db.manager, Monitor, { workspaceId }, page);
    if (monitors.length === 0) return [];
    const ids = monitors.map(({ id }) => id);
    const alerts = await this.db.manager.findBy(MonitorAlert, { workspaceId, monitorId: In(ids), state: 'open' });
    return monitors.map((monitor) => ({
      monitor,
      open: alerts.filter(({ monitorId }) => monitorId === monitor.id),
    }));
  }

  /** Throws monitor_not_found. */
  async get(caller: Caller, id: string): Promise<ShownMonitor> {
    return shown(this.db.manager, await getMonitor(this.db.manager, caller, id));
  }

  findInPath(caller: Caller, { monitor_id: id }: { monitor_id: string }): Promise<Monitor> {
    return getMonitor(this.db.manager, caller, id.toLowerCase());
  }

  /** Changes a monitor. Pausing or redefining it closes its open alerts. Throws monitor_not_found and the errors of `create`. */
  async update(caller: Caller, id: string, change: MonitorChange): Promise<ShownMonitor> {
    const { workspaceId, requestId } = caller;
    const updated = await this.db.transaction(async (tx) => {
      const known = await getMonitor(tx, caller, id, true);
      const definition = change.define(known.definition);
      checkDefinition(definition);
      const { name = known.name, state = known.state } = change;
      const isRedefined = canonicalJson(definition as never) !== canonicalJson(known.definition as never);
      if (state === 'paused' && known.state === 'active') await this.verdicts.closeAll(tx, known, 'paused', requestId);
      else if (isRedefined) await this.verdicts.closeAll(tx, known, 'changed', requestId);
      const restarts = isRedefined || state !== known.state;
      // Without its claim an evaluation that is under way stores nothing.
      const fresh = { claim: null, leaseUntil: null, attempts: 0, evaluatedTo: null, latest: [], problem: null };
      const again = { ...fresh, ...(isRedefined && { recent: [] }), dueAt: () => 'now()' };
      await tx.update(
        Monitor,
        { workspaceId, id },
        { name, state, definition: definition as never, updatedAt: new Date(), ...(restarts && again) },
      );
      await audit(tx, caller, { action: 'monitor.update', entityId: id, details: { name, state } });
      return shown(tx, await getMonitor(tx, caller, id));
    });
    this.workers.notify();
    return updated;
  }

  /** Deletes a monitor and returns it as it was. Throws monitor_not_found. */
  delete(caller: Caller, id: string): Promise<ShownMonitor> {
    return this.db.transaction(async (tx) => {
      const monitor = await getMonitor(tx, caller, id, true);
      const known = await shown(tx, monitor);
      await this.verdicts.closeAll(tx, monitor, 'deleted', caller.requestId);
      await tx.delete(Monitor, { workspaceId: caller.workspaceId, id });
      await audit(tx, caller, { action: 'monitor.delete', entityId: id, details: { name: monitor.name } });
      return known;
    });
  }

  /** Up to `limit + 1` alerts. Throws monitor_not_found. */
  async listAlerts(
    caller: Caller,
    monitorId: string,
    { state, ...page }: CreatedPage & { state?: AlertState },
  ): Promise<MonitorAlert[]> {
    await getMonitor(this.db.manager, caller, monitorId);
    const where = { workspaceId: caller.workspaceId, monitorId, ...(state && { state }) };
    return readCreated(this.db.manager, MonitorAlert, where, page);
  }

  private async refuseTooMany(tx: EntityManager, workspaceId: number): Promise<void> {
    await lockUntilCommit(tx, 'monitors', workspaceId);
    const most = this.config.maxMonitors;
    if ((await tx.countBy(Monitor, { workspaceId })) >= most) throw MonitorErrors.monitor_too_many(most);
  }
}

async function shown(tx: EntityManager, monitor: Monitor): Promise<ShownMonitor> {
  const { workspaceId, id: monitorId } = monitor;
  return { monitor, open: await tx.findBy(MonitorAlert, { workspaceId, monitorId, state: 'open' }) };
}

async function getMonitor(tx: EntityManager, { workspaceId }: Caller, id: string, isLocked = false): Promise<Monitor> {
  const where = { workspaceId, id };
  const monitor = await tx.findOne(Monitor, { where, ...(isLocked && { lock: { mode: 'for_no_key_update' } }) });
  if (!monitor) throw MonitorErrors.monitor_not_found(id);
  return monitor;
}
