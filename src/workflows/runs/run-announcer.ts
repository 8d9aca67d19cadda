import { Injectable } from '@nestjs/common';
import { LiveUpdates } from '../../live/index.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import type { EndedRun } from './ended-runs.js';
import { EXECUTION_CHANNEL, WORKFLOW_CHANNEL } from './run-channels.js';
import { RunWaits } from './run-waits.js';

/** Notifies cells, clients and workers that runs have ended. */
@Injectable()
export class RunAnnouncer {
  constructor(
    private readonly live: LiveUpdates,
    private readonly waits: RunWaits,
    @InjectNotifier('workflow-run-ends') private readonly workers: WorkNotifier,
  ) {}

  /** Call this after the commit. It neither waits nor fails. */
  announce(workspaceId: number, ended: EndedRun[]): void {
    if (ended.length === 0) return;
    this.waits.tell(ended.map(({ id }) => id));
    for (const { id, workflowId, channel } of ended) {
      this.live.announce({ workspaceId, kind: EXECUTION_CHANNEL, params: [id] }, id);
      const params = [String(workflowId), channel ?? ''];
      if (channel !== null) this.live.announce({ workspaceId, kind: WORKFLOW_CHANNEL, params }, id);
    }
    this.workers.notify();
  }
}
