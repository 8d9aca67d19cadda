import { BullModule } from '@nestjs/bull';
import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CONFIG, type Config } from '../config/config.js';
import { SweepRunner } from './sweep.js';

/** Which processes work on queues: an api process only rings. */
export interface ProcessRole {
  works: boolean;
}

@Module({})
export class QueueModule {
  static for(role: ProcessRole): DynamicModule {
    return {
      module: QueueModule,
      imports: [DiscoveryModule, BullModule.forRootAsync({ inject: [CONFIG], useFactory: connection })],
      providers: role.works ? [SweepRunner] : [],
    };
  }
}

function connection(config: Config) {
  // The braces keep all keys of a queue in one slot of a Redis Cluster.
  return { url: config.redisUrl, prefix: `{${config.queuePrefix}}` };
}
