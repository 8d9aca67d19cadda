import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { QueueHealth } from '../queue/queue-health.js';
import { VERSION } from '../version.js';

type State = 'up' | 'down';

/** How a process is, an api as well as a worker. */
@Injectable()
export class Health {
  constructor(
    private readonly db: DataSource,
    private readonly queues: QueueHealth,
  ) {}

  live(): { status: 'up'; version: string } {
    return { status: 'up', version: VERSION };
  }

  /** It is as its database is: without Redis cells wait, and nothing else does. */
  async ready(): Promise<{ status: State; database: State; redis: State }> {
    const database = await this.db.query('SELECT 1').then(
      () => 'up' as const,
      () => 'down' as const,
    );
    return { status: database, database, redis: await this.queues.read() };
  }
}
