import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type PoolCounts, ReadingPool } from '../database/reading-pool.js';
import { QueueHealth } from '../queue/queue-health.js';
import { DatabaseGauges } from './database-gauges.js';
import { readFormerNames } from './former-names.js';
import { Metrics } from './metrics.js';

/** What `/metrics` answers. */
@Injectable()
export class MetricsReader {
  // oxlint-disable-next-line max-params -- everything it shows
  constructor(
    private readonly metrics: Metrics,
    private readonly db: DataSource,
    private readonly reading: ReadingPool,
    private readonly queues: QueueHealth,
    private readonly gauges: DatabaseGauges,
  ) {}

  async read(): Promise<string> {
    const { connections, queuesUp, registry } = this.metrics;
    const pools = { main: (this.db.driver as unknown as { master: PoolCounts }).master, reading: this.reading.counts };
    for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
      connections.set({ pool, state: 'idle' }, idleCount);
      connections.set({ pool, state: 'busy' }, totalCount - idleCount);
      connections.set({ pool, state: 'waiting' }, waitingCount);
    }
    queuesUp.set((await this.queues.read()) === 'up' ? 1 : 0);
    await this.gauges.refresh();
    return (await registry.metrics()) + (await readFormerNames(registry));
  }
}
