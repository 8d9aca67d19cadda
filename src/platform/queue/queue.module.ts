import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.js';
import { JobIntake } from './job-intake.js';
import { SweepRunner } from './sweep.js';

/** What makes a process a worker: an api process only rings. Modules are destroyed from the root on, so it belongs there. */
export const WORK_INTAKE = [JobIntake, SweepRunner];

@Module({
  imports: [DiscoveryModule, BullModule.forRootAsync({ inject: [CONFIG], useFactory: connection })],
  exports: [DiscoveryModule],
})
export class QueueModule {}

function connection(config: Config) {
  // The braces keep all keys of a queue in one slot of a Redis Cluster.
  return { url: config.redisUrl, prefix: `{${config.queuePrefix}}` };
}
