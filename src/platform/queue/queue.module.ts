import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { JobIntake } from './job-intake.js';
import { QueueConnections, QueueConnectionsModule } from './queue-connections.js';
import { QueueHealth } from './queue-health.js';
import { SweepRunner } from './sweep.js';

/** Providers of a worker; an api process only notifies. Modules are destroyed from the root on, so they belong there. */
export const WORK_INTAKE = [JobIntake, SweepRunner];

@Module({
  imports: [
    DiscoveryModule,
    BullModule.forRootAsync({
      imports: [QueueConnectionsModule],
      inject: [QueueConnections],
      useFactory: (connections: QueueConnections) => connections.options(),
    }),
  ],
  providers: [QueueHealth],
  exports: [DiscoveryModule, QueueHealth],
})
export class QueueModule {}
