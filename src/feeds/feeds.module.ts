import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { registerWork } from '../platform/work/register-work.js';
import { FeedDecisionsService } from './feed-decisions.service.js';
import { FeedPlansService } from './feed-plans.service.js';
import { FeedResults } from './feed-results.js';
import { FeedRows } from './feed-rows.js';
import { FeedSignals } from './feed-signals.js';
import { FeedSources } from './shared/feed-source.js';
import { FeedSweep } from './feed-sweep.js';
import { FeedServices, FeedWork } from './feed-work.js';
import { FeedsController } from './feeds.controller.js';
import { FEEDS_QUEUE, FeedsService } from './feeds.service.js';
import { RequestsSource } from './sources/requests.source.js';
import { TracesSource } from './sources/traces.source.js';

@Module({})
export class FeedsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: FeedsModule,
      imports: [DiscoveryModule, registerWork(FeedWork, { queue: FEEDS_QUEUE, concurrency: 3, works })],
      controllers: [FeedsController],
      providers: [
        FeedsService,
        FeedPlansService,
        FeedDecisionsService,
        FeedSources,
        FeedRows,
        FeedResults,
        RequestsSource,
        TracesSource,
        FeedSignals,
        ...(works ? [FeedServices, FeedWork, FeedSweep] : []),
      ],
    };
  }
}
