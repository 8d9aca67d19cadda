import { InjectQueue } from '@nestjs/bull';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Queue } from 'bull';
import { DataSource } from 'typeorm';
import { notifyOnce } from '../platform/queue/notify.js';
import { afterAnnouncement } from './announced.js';
import { renumberAfterMove } from './consumers/start-consumers.js';

export const EVENT_QUEUE = 'events';

/** A workspace with new events. */
export interface NewsJob {
  workspaceId: number;
}

/** Notifies workers after the commit about workspaces with new events. */
@Injectable()
export class EventNotifier implements OnModuleInit {
  constructor(
    @InjectQueue(EVENT_QUEUE) queue: Queue,
    private readonly db: DataSource,
  ) {
    afterAnnouncement(db, (workspaceId) => notifyOnce(queue, `news-${workspaceId}`, { workspaceId }));
  }

  /** Runs before this process emits events. */
  async onModuleInit(): Promise<void> {
    await this.db.transaction(renumberAfterMove);
  }
}
