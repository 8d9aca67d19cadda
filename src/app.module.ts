import { type DynamicModule, Module, type ModuleMetadata } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from './access/index.js';
import { dataSourceOptions } from './data-source.js';
import type { Config } from './platform/config/config.js';
import { ConfigModule } from './platform/config/config.module.js';
import { EventsModule } from './events/index.js';
import { ExportsModule } from './exports/index.js';
import { FoldersModule } from './folders/index.js';
import { ProblemFilter } from './platform/errors/problem.filter.js';
import { BodyBudget } from './platform/http/body-budget.js';
import { IdempotencyModule } from './platform/http/idempotency/idempotency.module.js';
import { RateLimitGuard } from './platform/http/rate-limit.js';
import { RequestValidationPipe } from './platform/http/validation.pipe.js';
import { QueueModule, WORK_INTAKE } from './platform/queue/queue.module.js';
import { ReadingPoolModule } from './platform/database/reading-pool.module.js';
import { RetryingDataSource } from './platform/database/retrying.js';
import { RedisModule } from './platform/redis.module.js';
import { PromptsModule } from './prompts/index.js';
import { RequestsModule } from './requests/index.js';
import { RetentionModule } from './retention/index.js';
import { TablesModule } from './tables/index.js';
import { TrackRequestsModule } from './track-requests/index.js';
import { TracesModule } from './traces/index.js';
import { WebhooksModule } from './webhooks/index.js';
import { TelemetryModule } from './platform/telemetry/telemetry.module.js';
import { WorkModule } from './platform/work/work.module.js';

export interface AppOptions {
  config: Config;
  /** True in processes that work on queues and sweep. */
  works: boolean;
  /** Modules from outside: column types, conventions, importers, providers. */
  extensions?: ModuleMetadata['imports'];
}

/** The table of contents of the server. */
@Module({})
export class AppModule {
  static with({ config, works, extensions = [] }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.of(config),
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...dataSourceOptions(config.databaseUrl, config), retryAttempts: 5, retryDelay: 1000 }),
          dataSourceFactory: (options) => new RetryingDataSource(options!).initialize(),
        }),
        ReadingPoolModule,
        RedisModule,
        QueueModule,
        TelemetryModule,
        WorkModule,
        IdempotencyModule,
        AccessModule,
        EventsModule.for({ works }),
        FoldersModule,
        PromptsModule,
        RequestsModule.for({ works }),
        TracesModule.for({ works }),
        TrackRequestsModule,
        TablesModule.for({ works }),
        WebhooksModule.for({ works }),
        ExportsModule.for({ works }),
        RetentionModule.for({ works }),
        ...extensions,
      ],
      providers: [
        BodyBudget,
        ...(works ? WORK_INTAKE : []),
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: RequestValidationPipe },
        { provide: APP_GUARD, useClass: RateLimitGuard },
      ],
    };
  }
}
