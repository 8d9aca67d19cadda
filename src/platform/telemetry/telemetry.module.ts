import { type DynamicModule, Global, Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { StorageHealth } from '../database/storage-health.js';
import { CONFIG, type Config } from '../config/config.js';
import { Health } from './health.js';
import { HealthController } from './health.controller.js';
import { MetricsReader } from './metrics-reader.js';
import { SlowWork } from './slow-work.js';
import { Tracing } from './tracing.js';
import { WorkerServer } from './worker-server.js';
import { DatabaseGauges, GAUGE_READINGS, type KeyedReading } from './database-gauges.js';
import type { GaugeDefinitions } from './gauges.js';
import { type CounterDefinitions, COUNTERS, GAUGES, Metrics } from './metrics.js';
import { ProcessGauges } from './process-gauges.js';

/** Metrics that the manifests of all domains declare. */
interface DeclaredMetrics {
  counters: CounterDefinitions;
  gauges: GaugeDefinitions;
  readings: readonly KeyedReading[];
}

@Global()
@Module({ imports: [QueueModule], controllers: [HealthController] })
export class TelemetryModule {
  static for({ counters, gauges, readings }: DeclaredMetrics, process: 'api' | 'worker'): DynamicModule {
    return {
      module: TelemetryModule,
      providers: [
        { provide: COUNTERS, useValue: counters },
        { provide: GAUGES, useValue: gauges },
        { provide: GAUGE_READINGS, useValue: readings },
        Metrics,
        DatabaseGauges,
        ProcessGauges,
        MetricsReader,
        Health,
        WorkerServer,
        SlowWork,
        StorageHealth,
        {
          provide: Tracing,
          inject: [CONFIG, Metrics],
          useFactory: (config: Config, metrics: Metrics) => Tracing.start(config, metrics, process),
        },
      ],
      exports: [Metrics, MetricsReader, SlowWork, Tracing],
    };
  }
}
