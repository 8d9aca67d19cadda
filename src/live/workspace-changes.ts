import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { LiveTopic } from './live-channel.js';
import { LiveUpdates } from './live-updates.js';

/** Kinds that are counted: spans that were stored or changed, and request logs. */
export type ArrivalKind = 'spans' | 'requests';

/** A changed resource of a workspace. `version` is that of a sheet, if it has one. */
export interface ChangedThing {
  kind: 'sheet' | 'operation' | 'export';
  id: string;
  version?: number;
}

export type WorkspaceChange = ChangedThing | { kind: ArrivalKind; count: number };

export const WORKSPACE_CHANNEL = 'workspace';

/** How often a process announces the counts of a workspace. */
const TELL_MS = 1000;

export const workspaceTopic = (workspaceId: number): LiveTopic => ({
  workspaceId,
  kind: WORKSPACE_CHANNEL,
  params: [],
});

/** Announces to the followers of a workspace which kinds of resources have changed, after the commit. It neither waits nor fails. */
@Injectable()
export class WorkspaceChanges implements OnModuleDestroy {
  /** By workspace, the counts since the last announcement. */
  private readonly arrived = new Map<number, Map<ArrivalKind, number>>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly updates: LiveUpdates) {}

  /** Counts arrivals, which are announced as a sum at most once a second. */
  arrive(workspaceId: number, kind: ArrivalKind, count: number): void {
    if (count === 0) return;
    const counts = this.arrived.get(workspaceId) ?? new Map<ArrivalKind, number>();
    this.arrived.set(workspaceId, counts.set(kind, (counts.get(kind) ?? 0) + count));
    this.timer ??= setTimeout(() => this.tell(), TELL_MS).unref();
  }

  change(workspaceId: number, thing: ChangedThing): void {
    this.announce(workspaceId, thing);
  }

  onModuleDestroy(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  private tell(): void {
    this.timer = null;
    for (const [workspaceId, counts] of this.arrived) {
      for (const [kind, count] of counts) this.announce(workspaceId, { kind, count });
    }
    this.arrived.clear();
  }

  /** Equal parts are announced once, so every sum is a part of its own. */
  private announce(workspaceId: number, change: WorkspaceChange): void {
    const part = 'count' in change ? { ...change, part: randomUUID() } : change;
    this.updates.announce(workspaceTopic(workspaceId), JSON.stringify(part));
  }
}
