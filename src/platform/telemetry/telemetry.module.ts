import { type DynamicModule, Global, Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { HealthController } from './health.controller.js';
import { type CounterDefinitions, COUNTERS, Metrics } from './metrics.js';

@Global()
@Module({ imports: [QueueModule], controllers: [HealthController] })
export class TelemetryModule {
  static for(counters: CounterDefinitions): DynamicModule {
    return {
      module: TelemetryModule,
      providers: [{ provide: COUNTERS, useValue: counters }, Metrics],
      exports: [Metrics],
    };
  }
}
