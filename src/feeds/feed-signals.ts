import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ArrivalListeners } from '../arrivals/index.js';
import { groupBy } from '../platform/group-by.js';
import { InjectNotifier, type WorkNotifier } from '../platform/work/work-notifier.js';
import { afterNewVersion, type NewVersion } from '../grid/shared/new-versions.js';
import { areComputing, type Sleepers, wakeFeeds } from './feed-wake.queries.js';
import { FEEDS_QUEUE } from './feeds.service.js';

/** Sheets that are being computed change often: their feeds are woken once for all changes of so many milliseconds. */
const DELAY_MS = 200;
/** Interval of checks while rows are computed, because their results may not make a new version. */
const AGAIN_MS = 500;

/** Wakes feeds when something arrives, and when their sheet has changed. A failure is no harm: sweeps wake them as well. */
@Injectable()
export class FeedSignals implements OnModuleInit, OnModuleDestroy {
  private readonly changed = new Map<string, NewVersion>();
  private readonly arrived = new Set<number>();
  private readonly again = new Set<number>();
  private waking: Promise<void> | null = null;
  private isStopping = false;
  private readonly timers = new Map<() => Promise<void>, NodeJS.Timeout>();

  constructor(
    private readonly db: DataSource,
    private readonly arrivals: ArrivalListeners,
    @InjectNotifier(FEEDS_QUEUE) private readonly notifier: WorkNotifier,
  ) {}

  onModuleInit(): void {
    this.arrivals.add((workspaceId) => this.wakeSoon(workspaceId));
    afterNewVersion(this.db, (made) => {
      this.changed.set(made.sheetId, made);
      this.inAMoment(this.wakeChanged, DELAY_MS);
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
    this.arrived.clear();
    await this.waking;
  }

  /** Wakes feeds and notifies workers. Never rejects: where the database cannot be reached, it is tried again. */
  async wake(sleepers: Sleepers): Promise<void> {
    const woken = await wakeFeeds(this.db.manager, sleepers).catch(() => this.lookAgain(sleepers.workspaceId));
    if (woken) this.notifier.notify(woken);
  }

  /** Wakes feeds of a workspace in a moment. */
  lookAgain(workspaceId: number): void {
    if (this.isStopping) return;
    this.again.add(workspaceId);
    this.inAMoment(this.wakeAgain, AGAIN_MS);
  }

  /** Wakes feeds once at a time. Arrivals during a wake share the next one. */
  private wakeSoon(workspaceId: number): void {
    this.arrived.add(workspaceId);
    this.waking ??= this.wakeArrived();
  }

  private async wakeArrived(): Promise<void> {
    for (const workspaceId of this.arrived) {
      this.arrived.delete(workspaceId);
      await this.wake({ workspaceId });
    }
    // Nothing can arrive between the end of the loop and this.
    this.waking = null;
  }

  private readonly wakeAgain = async (): Promise<void> => {
    const workspaces = [...this.again];
    this.again.clear();
    for (const workspaceId of workspaces) {
      await this.wake({ workspaceId });
      if (await areComputing(this.db.manager, workspaceId).catch(() => true)) this.lookAgain(workspaceId);
    }
  };

  private readonly wakeChanged = async (): Promise<void> => {
    const sheets = groupBy([...this.changed.values()], ({ workspaceId }) => workspaceId);
    this.changed.clear();
    for (const [workspaceId, some] of sheets) {
      await this.wake({ workspaceId, sheetIds: some.map(({ sheetId }) => sheetId) });
    }
  };

  private inAMoment(task: () => Promise<void>, ms: number): void {
    if (this.timers.has(task)) return;
    const run = () => {
      this.timers.delete(task);
      void task();
    };
    this.timers.set(task, setTimeout(run, ms).unref());
  }
}
