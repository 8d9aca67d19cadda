import { type DynamicModule, Module } from '@nestjs/common';
import { LiveModule } from '../live/index.js';
import { LlmModule } from '../llm/index.js';
import { registerQueue } from '../platform/queue/register-queue.js';
import { BulkController } from './bulk/bulk.controller.js';
import { BulkService } from './bulk/bulk.service.js';
import { TraceConventionsModule } from '../trace-conventions/index.js';
import { IngestionNotifier } from './ingestion/ingestion-notifier.js';
import { IngestionService } from './ingestion/ingestion.service.js';
import { OwnSpans } from './ingestion/own-spans.js';
import { PricedSpans } from './ingestion/priced-spans.js';
import { ReportedLogs } from './ingestion/reported-logs.js';
import { OutcomeReports } from './ingestion/outcome-reports.js';
import { SpanBatchWriter } from './ingestion/span-batch.js';
import { SpanPreparation } from './ingestion/span-preparation.js';
import { TraceCustomAnalyticsController } from './custom-analytics/custom-analytics.controller.js';
import { TraceCustomAnalyticsService } from './custom-analytics/custom-analytics.service.js';
import { OtlpController } from './otlp.controller.js';
import { ReceiptsController } from './receipts/receipts.controller.js';
import { ReceiptsService } from './receipts/receipts.service.js';
import { RefusalCounts } from './refusals/refusal-counts.js';
import { RefusalsController } from './refusals/refusals.controller.js';
import { TraceHistogramController } from './histogram/histogram.controller.js';
import { TraceHistogramService } from './histogram/histogram.service.js';
import { TraceHoursSweep } from './histogram/trace-hours.sweep.js';
import { LateAdditions } from './search/late-additions.js';
import { TraceFreshness } from './search/trace-freshness.js';
import { TraceProjector } from './search/trace-projector.js';
import { TRACE_SEARCH_QUEUE, TraceSearchNotifier } from './search/trace-search-notifier.js';
import { TraceSearchController } from './search/trace-search.controller.js';
import { TraceSearchProcessor } from './search/trace-search.processor.js';
import { TraceSearchService } from './search/trace-search.service.js';
import { TraceSummaries } from './search/trace-summaries.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { SessionsService } from './sessions/sessions.service.js';
import { LogEventsService } from './signals/log-events.service.js';
import { SignalsController } from './signals/signals.controller.js';
import { TracesController } from './traces.controller.js';
import { TracesService } from './traces.service.js';
import { SpanTrees } from './trees/span-trees.service.js';
import { EndUsersController } from './users/end-users.controller.js';
import { EndUsersService } from './users/end-users.service.js';

/** Also used by readers, which make traces searchable that no worker has processed yet. */
const SEARCH = [TraceSearchService, TraceSummaries, TraceFreshness, TraceProjector, TraceSearchNotifier];

@Module({})
export class TracesModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: TracesModule,
      global: true,
      imports: [LiveModule, LlmModule, TraceConventionsModule, registerQueue(TRACE_SEARCH_QUEUE)],
      controllers: [
        OtlpController,
        SignalsController,
        BulkController,
        ReceiptsController,
        RefusalsController,
        TraceSearchController,
        TraceCustomAnalyticsController,
        TraceHistogramController,
        TracesController,
        SessionsController,
        EndUsersController,
      ],
      providers: [
        IngestionService,
        SpanBatchWriter,
        OutcomeReports,
        OwnSpans,
        LogEventsService,
        IngestionNotifier,
        SpanPreparation,
        PricedSpans,
        ReportedLogs,
        ReceiptsService,
        RefusalCounts,
        BulkService,
        TracesService,
        SpanTrees,
        TraceCustomAnalyticsService,
        TraceHistogramService,
        SessionsService,
        EndUsersService,
        LateAdditions,
        ...SEARCH,
        ...(works ? [TraceSearchProcessor, TraceHoursSweep] : []),
      ],
      exports: [TraceFreshness, OwnSpans, PricedSpans, ReportedLogs, SpanTrees],
    };
  }
}
