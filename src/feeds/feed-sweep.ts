import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkspaceTurns } from '../platform/queue/workspace-turns.js';
import { expireOne, workspacesToExpire } from './feed-expiry.js';
import { noteBehind, workspacesBehind } from './feed-lag.queries.js';
import { deleteOrphan, workspacesWithOrphans } from './feed-orphans.js';
import { FeedSignals } from './feed-signals.js';
import { workspacesToWake } from './feed-wake.queries.js';
import { FEEDS_QUEUE } from './feeds.service.js';

/** Maximum time of a run. The next one continues, so a process that stops need not wait long. */
const LONGEST_RUN_MS = 5000;

/**
 * Checks all feeds: wakes idle ones with work, marks those that are behind, expires arrivals of those in a long pause, and deletes those
 * of deleted sheets.
 */
@Injectable()
export class FeedSweep {
  private readonly waking = new WorkspaceTurns('Waking feeds', LONGEST_RUN_MS);
  private readonly lagging = new WorkspaceTurns('Noting feeds that are behind', LONGEST_RUN_MS);
  private readonly expiring = new WorkspaceTurns('Expiry of arrivals of paused feeds', LONGEST_RUN_MS);

  private readonly deleting = new WorkspaceTurns('Deletion of feeds of deleted sheets', LONGEST_RUN_MS);

  constructor(
    private readonly db: DataSource,
    private readonly signals: FeedSignals,
  ) {}

  @Sweep(FEEDS_QUEUE)
  async wake(): Promise<void> {
    await this.waking.take(await workspacesToWake(this.db.manager), async (workspaceId) => {
      await this.signals.wake({ workspaceId });
      return false;
    });
    await this.lagging.take(await workspacesBehind(this.db.manager), async (workspaceId) => {
      await this.db.transaction((tx) => noteBehind(tx, workspaceId));
      return false;
    });
  }

  @Sweep(FEEDS_QUEUE)
  async expire(): Promise<void> {
    await this.expiring.take(await workspacesToExpire(this.db.manager), (workspaceId) =>
      expireOne(this.db, workspaceId),
    );
  }

  @Sweep(FEEDS_QUEUE)
  async deleteOrphans(): Promise<void> {
    await this.deleting.take(await workspacesWithOrphans(this.db.manager), (workspaceId) =>
      deleteOrphan(this.db, workspaceId),
    );
  }
}
