import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { poolOf, ReadingPool } from '../database/reading-pool.js';
import { QueueHealth } from '../queue/queue-health.js';
import { Metrics } from './metrics.js';

/** Gauges of this process: its connections to the database, and whether its queues answer. */
@Injectable()
export class ProcessGauges {
  constructor(
    private readonly metrics: Metrics,
    private readonly db: DataSource,
    private readonly reading: ReadingPool,
    private readonly queues: QueueHealth,
  ) {}

  async refresh(): Promise<void> {
    const { connections, queuesUp } = this.metrics;
    const pools = { main: poolOf(this.db), reading: this.reading.counts };
    for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
      connections.set({ pool, state: 'idle' }, idleCount);
      connections.set({ pool, state: 'busy' }, totalCount - idleCount);
      connections.set({ pool, state: 'waiting' }, waitingCount);
    }
    queuesUp.set((await this.queues.read()) === 'up' ? 1 : 0);
  }
}
