import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { counters, domainModules, gaugeReadings, gauges } from './composition.js';
import { dataSourceOptions } from './data-source.js';
import type { Config } from './platform/config/config.js';
import { ConfigModule } from './platform/config/config.module.js';
import { ProblemFilter } from './platform/http/problem.filter.js';
import { BodyBudget } from './platform/http/body-budget.js';
import { IdempotencyModule } from './platform/http/idempotency/idempotency.module.js';
import { RateLimitGuard } from './platform/http/rate-limit.js';
import { UnknownQueryInterceptor } from './platform/http/unknown-query.interceptor.js';
import { RequestValidationPipe } from './platform/http/validation.pipe.js';
import { QueueModule, WORK_INTAKE } from './platform/queue/queue.module.js';
import { ReadingPoolModule } from './platform/database/reading-pool.module.js';
import { RetryingDataSource } from './platform/database/retrying.js';
import { RedisModule } from './platform/redis/redis.module.js';
import { SlowWork } from './platform/telemetry/slow-work.js';
import { TelemetryModule } from './platform/telemetry/telemetry.module.js';
import { WorkModule } from './platform/work/work.module.js';

export interface AppOptions {
  config: Config;
  /** True in processes that work on queues and sweep. */
  works: boolean;
  /** Modules from outside: column types, conventions, importers, providers. */
  extensions?: ModuleMetadata['imports'];
}

/** The platform, every domain of `domains.ts`, and extensions. */
@Module({})
export class AppModule {
  static with({ config, works, extensions = [] }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config),
        TypeOrmModule.forRootAsync({
          inject: [SlowWork],
          useFactory: (watch: SlowWork) => ({
            ...dataSourceOptions(config.databaseUrl, config, watch),
            retryAttempts: 5,
            retryDelay: 1000,
          }),
          dataSourceFactory: (options) => new RetryingDataSource(options!).initialize(),
        }),
        ReadingPoolModule,
        RedisModule,
        QueueModule,
        TelemetryModule.for(
          { counters: counters(), gauges: gauges(), readings: gaugeReadings() },
          works ? 'worker' : 'api',
        ),
        WorkModule,
        IdempotencyModule,
        ...domainModules({ works, config }),
        ...extensions,
      ],
      providers: [
        BodyBudget,
        ...(works ? WORK_INTAKE : []),
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_INTERCEPTOR, useClass: UnknownQueryInterceptor },
      ],
    };
  }
}
