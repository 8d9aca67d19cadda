import { type DynamicModule, Module } from '@nestjs/common';
import { LlmModule } from '../llm/index.js';
import { LiveModule } from '../live/index.js';
import { registerQueue } from '../platform/queue/register-queue.js';
import { AnalyticsController } from './analytics/analytics.controller.js';
import { AnalyticsService } from './analytics/analytics.service.js';
import { BreakdownController } from './breakdown/breakdown.controller.js';
import { BreakdownService } from './breakdown/breakdown.service.js';
import { RequestCustomAnalyticsController } from './custom-analytics/custom-analytics.controller.js';
import { RequestCustomAnalyticsService } from './custom-analytics/custom-analytics.service.js';
import { RequestHistogramController } from './histogram/histogram.controller.js';
import { RequestHistogramService } from './histogram/histogram.service.js';
import { RequestHoursSweep } from './histogram/request-hours.sweep.js';
import { LogRequestController } from './logging/log-request.controller.js';
import { CallLog } from './logging/call-log.js';
import { KnownModelsController } from './pricing/known-models.controller.js';
import { KnownModels } from './pricing/known-models.js';
import { ModelPricesController } from './pricing/model-prices.controller.js';
import { ModelPrices } from './pricing/model-prices.js';
import { PriceFile } from './pricing/price-file.js';
import { ModelPricesService } from './pricing/model-prices.service.js';
import { PromptVersionsController } from './prompt-versions/prompt-versions.controller.js';
import { PromptVersionsService } from './prompt-versions/prompt-versions.service.js';
import { LegacyRequestsController, RequestsController } from './requests.controller.js';
import { RequestsService } from './requests.service.js';
import { ProjectionProcessor } from './search/projection.processor.js';
import { ProjectionService } from './search/projection.service.js';
import { RequestsListController } from './search/requests-list.controller.js';
import { SEARCH_QUEUE, SearchNotifier } from './search/search-notifier.js';
import { ScoreTrendsController } from './score-trends/score-trends.controller.js';
import { ScoreTrendsService } from './score-trends/score-trends.service.js';
import { RequestSearchController } from './search/search.controller.js';
import { SearchService } from './search/search.service.js';
import { SuggestionsController } from './search/suggestions.controller.js';
import { SuggestionsService } from './search/suggestions.service.js';
import { LegacyTrackingController } from './tracking/legacy-tracking.controller.js';
import { TrackingController } from './tracking/tracking.controller.js';
import { LogAdditions } from './tracking/log-additions.js';
import { TrackingService } from './tracking/tracking.service.js';

/** Providers of workers. */
const WORKERS = [ProjectionService, ProjectionProcessor, RequestHoursSweep];

@Module({})
export class RequestsModule {
  /**
   * Global: callers that log a call use `CallLog`. Callers that store a call with its spans use `ModelPrices` and the
   * `SearchNotifier`.
   */
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: RequestsModule,
      global: true,
      imports: [LiveModule, LlmModule, registerQueue(SEARCH_QUEUE)],
      controllers: [
        AnalyticsController,
        RequestCustomAnalyticsController,
        RequestHistogramController,
        BreakdownController,
        ScoreTrendsController,
        LogRequestController,
        RequestSearchController,
        SuggestionsController,
        RequestsListController,
        RequestsController,
        LegacyRequestsController,
        TrackingController,
        LegacyTrackingController,
        ModelPricesController,
        KnownModelsController,
        PromptVersionsController,
      ],
      providers: [
        AnalyticsService,
        RequestCustomAnalyticsService,
        RequestHistogramService,
        BreakdownService,
        ScoreTrendsService,
        CallLog,
        SearchService,
        SuggestionsService,
        RequestsService,
        TrackingService,
        LogAdditions,
        ModelPricesService,
        KnownModels,
        PromptVersionsService,
        ModelPrices,
        PriceFile,
        SearchNotifier,
        ...(works ? WORKERS : []),
      ],
      exports: [SearchNotifier, ModelPrices, ModelPricesService, CallLog, LogAdditions],
    };
  }
}
