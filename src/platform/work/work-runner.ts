import { setTimeout } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Mutex } from 'async-mutex';
import { CONFIG, type Config } from '../config/config.js';
import { isConnectionFailure, isRetryable, isStorageFailure } from '../errors/failures.js';
import { persistently } from '../database/persistently.js';
import { Metrics } from '../telemetry/metrics.js';
import { Tracing } from '../telemetry/tracing.js';
import { Heartbeat } from './heartbeat.js';
import { AttemptsSpent, type Claim, MAX_ATTEMPTS, type Turn, WorkAborted, type WorkKind } from './work-kind.js';

/** Pause before work that could not be stored can be claimed again. */
const POSTPONED_MS = 500;

/**
 * The life cycle of claimed work. Everything that works on rows of the database claims them here. The lease is renewed
 * while the work runs. The signal of the work is aborted when the claim is lost or cancelled, and when the process
 * stops. Work that a stop interrupts, or that cannot be stored because a disk is full, is given back and counts as no
 * attempt.
 */
@Injectable()
export class WorkRunner implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger('Work');
  private readonly heartbeats = new Map<WorkKind, Heartbeat>();
  private readonly lastServed = new Map<WorkKind, number>();
  private readonly claiming = new Map<WorkKind, Mutex>();
  private readonly running = new Map<Promise<void>, AbortController>();
  private stopping = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
  ) {}

  get isStopping(): boolean {
    return this.stopping;
  }

  /**
   * Works on one claim after the other until there is none left or the process stops. `onFirst` is called if there is
   * any.
   */
  async drain<C extends Claim>(kind: WorkKind<C>, onFirst?: () => void): Promise<void> {
    for (let isFirst = true, begun; (begun = await this.begin(kind)); isFirst = false) {
      if (isFirst) onFirst?.();
      await begun.ended;
    }
  }

  /** Claims the next work, in turn among the workspaces; null when there is none, and when the process stops. */
  async claimNext<C extends Claim>(kind: WorkKind<C>): Promise<C | null> {
    if (this.stopping) return null;
    const claim = await kind.claim(this.turnOf(kind as WorkKind), this.config.leaseMs);
    if (claim) this.lastServed.set(kind as WorkKind, claim.workspaceId);
    return claim;
  }

  /** Works on a claim until its work has ended in any way. Rejects only when the end could not be recorded. */
  run<C extends Claim>(kind: WorkKind<C>, claim: C): Promise<void> {
    const controller = new AbortController();
    if (this.stopping) controller.abort(new WorkAborted('stopping'));
    const run = this.carryOut(kind, claim, controller).finally(() => this.running.delete(run));
    this.running.set(run, controller);
    return run;
  }

  onModuleDestroy(): void {
    this.stopping = true;
    for (const controller of this.running.values()) controller.abort(new WorkAborted('stopping'));
  }

  /** Waits for active work before the connections are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.running.keys());
  }

  /** With a limit per workspace, claims are made one after the other: each must know which others are active. */
  private begin<C extends Claim>(kind: WorkKind<C>): Promise<{ ended: Promise<void> } | null> {
    const begin = async () => {
      const claim = await this.claimNext(kind);
      return claim && { ended: this.run(kind, claim) };
    };
    return kind.mostOfOneWorkspace === undefined ? begin() : this.claimingOf(kind as WorkKind).runExclusive(begin);
  }

  private claimingOf(kind: WorkKind): Mutex {
    let claiming = this.claiming.get(kind);
    if (!claiming) this.claiming.set(kind, (claiming = new Mutex()));
    return claiming;
  }

  private turnOf(kind: WorkKind): Turn {
    const after = this.lastServed.get(kind) ?? 0;
    const { mostOfOneWorkspace: most } = kind;
    const heartbeat = this.heartbeatOf(kind);
    return { after, full: most === undefined ? [] : heartbeat.workspacesWith(most), held: heartbeat.claims };
  }

  private heartbeatOf(kind: WorkKind): Heartbeat {
    let heartbeat = this.heartbeats.get(kind);
    if (!heartbeat) this.heartbeats.set(kind, (heartbeat = new Heartbeat(kind, this.config.leaseMs)));
    return heartbeat;
  }

  private async carryOut<C extends Claim>(kind: WorkKind<C>, claim: C, controller: AbortController): Promise<void> {
    const { signal } = controller;
    const stopHeartbeat = this.heartbeatOf(kind as WorkKind).start(claim, controller);
    this.log.debug(`${describe(kind, claim)} was claimed.`);
    try {
      if (claim.attempts > MAX_ATTEMPTS) throw new AttemptsSpent(kind.name);
      signal.throwIfAborted();
      await this.traced(kind, claim, () => kind.work(claim, { signal, abort: (reason) => controller.abort(reason) }));
      this.count(kind, 'done');
    } catch (error) {
      await this.end(kind, claim, signal.aborted ? signal.reason : error);
    } finally {
      stopHeartbeat();
    }
  }

  private traced<C extends Claim>(kind: WorkKind<C>, claim: C, work: () => Promise<void>): Promise<void> {
    if (kind.isUpkeep || !this.tracing.isOn) return work();
    const attributes = { 'tracesheet.workspace_id': claim.workspaceId, 'tracesheet.attempt': claim.attempts };
    return this.tracing.trace(`work ${kind.name}`, attributes, work);
  }

  private async end<C extends Claim>(kind: WorkKind<C>, claim: C, error: unknown): Promise<void> {
    if (!(error instanceof WorkAborted)) {
      this.count(kind, error instanceof AttemptsSpent ? 'exhausted' : 'failed');
      if (isStorageFailure(error)) return this.postpone(kind, claim, error);
      // Without a database nothing can be recorded, and a deadlock is nobody's fault: the lease expires and the work is
      // claimed again.
      if (isConnectionFailure(error) || isRetryable(error)) throw error;
      // The claim may be lost by then, as at any other time.
      return kind.fail(claim, error).catch((failure: unknown) => this.abandon(kind, claim, failure));
    }
    return this.abandon(kind, claim, error);
  }

  /**
   * Gives work back that failed only because nothing can be stored. A pause avoids endless attempts. Giving back needs
   * storage, too, so it is retried until it succeeds. Throws the failure at once: the caller does not wait for the
   * pause.
   */
  private postpone<C extends Claim>(kind: WorkKind<C>, claim: C, failure: unknown): never {
    const controller = new AbortController();
    const { signal } = controller;
    const stopHeartbeat = this.heartbeatOf(kind as WorkKind).start(claim, new AbortController());
    const returned = setTimeout(POSTPONED_MS, undefined, { signal })
      .catch(() => undefined)
      .then(() => persistently(() => kind.giveBack(claim), { signal }))
      .catch((error: unknown) => this.log.warn(`${describe(kind, claim)} is left to its lease: ${String(error)}`))
      .finally(() => {
        stopHeartbeat();
        this.running.delete(returned);
      });
    this.running.set(returned, controller);
    throw failure;
  }

  private async abandon<C extends Claim>(kind: WorkKind<C>, claim: C, error: unknown): Promise<void> {
    if (isStorageFailure(error)) return this.postpone(kind, claim, error);
    if (!(error instanceof WorkAborted)) throw error;
    this.count(kind, error.reason);
    this.log.log(`${describe(kind, claim)} was aborted: ${error.message}`);
    if (error.reason === 'stopping') await kind.giveBack(claim);
  }

  private count({ name: kind }: Pick<WorkKind, 'name'>, outcome: string): void {
    this.metrics.counters.workClaims.inc({ kind, outcome });
  }
}

function describe({ name }: Pick<WorkKind, 'name'>, { claim, workspaceId, attempts }: Claim): string {
  return `Claim ${claim} (${name}, workspace ${workspaceId}, attempt ${attempts})`;
}
