import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Sweep } from '../platform/queue/sweep.js';
import { WorkspaceTurns } from '../platform/queue/workspace-turns.js';
import { expireOne, workspacesToExpire } from './feed-expiry.js';
import { noteBehind, workspacesBehind } from './feed-lag.queries.js';
import { FeedSignals } from './feed-signals.js';
import { workspacesToWake } from './feed-wake.queries.js';
import { FEEDS_QUEUE } from './feeds.service.js';

/** A run ends after this time and the next one goes on, so that a process that stops need not wait for long. */
const LONGEST_RUN_MS = 5000;

/** Looks at all feeds: which idle ones have work, which are behind, and which were paused for so long that arrivals expire. */
@Injectable()
export class FeedSweep {
  private readonly waking = new WorkspaceTurns('Waking feeds', LONGEST_RUN_MS);
  private readonly lagging = new WorkspaceTurns('Noting feeds that are behind', LONGEST_RUN_MS);
  private readonly expiring = new WorkspaceTurns('Expiry of arrivals of paused feeds', LONGEST_RUN_MS);

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
}
