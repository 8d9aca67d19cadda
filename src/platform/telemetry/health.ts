import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StorageHealth } from '../database/storage-health.js';
import { QueueHealth } from '../queue/queue-health.js';
import { VERSION } from '../version.js';

type State = 'up' | 'down';

export interface Readiness {
  status: State;
  database: State;
  storage: State;
  redis: State;
  /** Processes that take work from the queues; null when it is not known. */
  workers: number | null;
}

/** The health of a process, api or worker. */
@Injectable()
export class Health {
  constructor(
    private readonly db: DataSource,
    private readonly queues: QueueHealth,
    private readonly storage: StorageHealth,
  ) {}

  live(): { status: 'up'; version: string } {
    return { status: 'up', version: VERSION };
  }

  /**
   * Readiness depends on the database. Without Redis only cells wait. While writes are impossible the process stays ready: no
   * other process could write either, and without requests from the balancer reading would end as well.
   */
  async ready(): Promise<Readiness> {
    const database = await this.db.query('SELECT 1').then(
      () => 'up' as const,
      () => 'down' as const,
    );
    const isStoring = database === 'up' && (await this.storage.takesWrites(this.db));
    const [redis, workers] = await Promise.all([this.queues.read(), this.queues.workers()]);
    return { status: database, database, storage: isStoring ? 'up' : 'down', redis, workers };
  }
}
