import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { LiveModule } from '../live/index.js';
import { McpServersModule } from '../mcp-servers/index.js';
import { ProgressStreams } from '../platform/http/progress-streams.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
import type { ProcessKind } from '../platform/domain.js';
import { registerQueue } from '../platform/queue/register-queue.js';
import { registerWork } from '../platform/work/register-work.js';
import { LlmModule } from '../llm/index.js';
import { PromptsModule } from '../prompts/index.js';
import { ToolsModule } from '../tools/index.js';
import { SandboxModule } from '../platform/sandbox/sandbox.module.js';
import { CellsController } from './cells/cells.controller.js';
import { CellsService } from './cells/cells.service.js';
import { ColumnTypes } from './grid/column-type/column-type.js';
import { ColumnTypesController } from './column-types/column-types.controller.js';
import { AiDataExtractionColumnType } from './column-types/ai-data-extraction.column-type.js';
import { AllColumnType } from './column-types/all.column-type.js';
import { AnyColumnType } from './column-types/any.column-type.js';
import { ApplyDiffColumnType } from './column-types/apply-diff.column-type.js';
import { AssertValidColumnType } from './column-types/assert-valid.column-type.js';
import { CodeExecutionColumnType } from './column-types/code-execution.column-type.js';
import { CoalesceColumnType } from './column-types/coalesce.column-type.js';
import { CombineColumnsColumnType } from './column-types/combine-columns.column-type.js';
import { ColumnAggregateColumnType } from './column-types/column-aggregate.column-type.js';
import { CompareColumnType } from './column-types/compare.column-type.js';
import { ContainsColumnType } from './column-types/contains.column-type.js';
import { ConversationSimulatorColumnType } from './column-types/conversation-simulator.column-type.js';
import { CosineSimilarityColumnType } from './column-types/cosine-similarity.column-type.js';
import { CountColumnType } from './column-types/count.column-type.js';
import { DefaultModels } from './column-types/default-models.js';
import { ForLoopColumnType } from './column-types/for-loop.column-type.js';
import { EndpointColumnType } from './column-types/endpoint.column-type.js';
import { HumanColumnType } from './column-types/human.column-type.js';
import { JsonPathColumnType } from './column-types/json-path.column-type.js';
import { LlmAssertionColumnType } from './column-types/llm-assertion.column-type.js';
import { MaxToolCallsColumnType } from './column-types/max-tool-calls.column-type.js';
import { NoInvalidToolCallsColumnType } from './column-types/no-invalid-tool-calls.column-type.js';
import { LoopBodies } from './column-types/loop-body.js';
import { LoopRuns } from './column-types/loop-runs.js';
import { MathOperatorColumnType } from './column-types/math-operator.column-type.js';
import { McpColumnType } from './column-types/mcp.column-type.js';
import { MinMaxColumnType } from './column-types/min-max.column-type.js';
import { NumericDistanceColumnType } from './column-types/numeric-distance.column-type.js';
import { ParseValueColumnType } from './column-types/parse-value.column-type.js';
import { CellModelCalls } from './column-types/model-calls.js';
import { PromptRuns } from './column-types/prompt-runs.js';
import { PromptLoopBody } from './column-types/prompt.loop-body.js';
import { PromptTemplateColumnType } from './column-types/prompt-template.column-type.js';
import { RegexExtractionColumnType } from './column-types/regex-extraction.column-type.js';
import { RegexColumnType } from './column-types/regex.column-type.js';
import { Simulations } from './column-types/simulations.js';
import { ToolTurns } from './column-types/tool-turns.js';
import { StructureColumnType } from './column-types/structure.column-type.js';
import { StructuredAnswers } from './column-types/structured-answers.js';
import { TextColumnType } from './column-types/text.column-type.js';
import { ToolEvaluatorColumnType } from './column-types/tool-evaluator.column-type.js';
import { TraceColumnType } from './column-types/trace.column-type.js';
import { TrajectoryColumnType } from './column-types/trajectory.column-type.js';
import { VariableColumnType } from './column-types/variable.column-type.js';
import { WhileLoopColumnType } from './column-types/while-loop.column-type.js';
import { XmlPathColumnType } from './column-types/xml-path.column-type.js';
import { ColumnChangesService } from './columns/column-changes.service.js';
import { ColumnsController } from './columns/columns.controller.js';
import { ColumnsService } from './columns/columns.service.js';
import { ComputationNotifier, EXTERNAL_QUEUE } from './grid/computing/computation-notifier.js';
import { AutoRecalculation } from './grid/computing/auto-recalculation.js';
import { PromptChangesConsumer } from './grid/prompt-links/prompt-changes.consumer.js';
import { ToolChangesConsumer } from './grid/prompt-links/tool-changes.consumer.js';
import { CallTools } from './grid/computing/call-tools.js';
import { CellClaims } from './grid/computing/cell-claims.js';
import { CellCounts } from './grid/computing/cell-counts.js';
import { CellPreviews } from './grid/computing/cell-previews.js';
import { ExternalProcessor } from './grid/computing/external.processor.js';
import { SheetOwners } from './grid/sheet-owners.js';
import { ExternalWork } from './grid/computing/external-work.js';
import { FormulaWork } from './grid/computing/formula-work.js';
import { ExecutionMetadataColumnType } from './grid/column-type/execution-metadata.column-type.js';
import { CompositionColumnType } from './column-types/composition.column-type.js';
import {
  COMPOSITION_QUEUE,
  CompositionNotifier,
  CompositionProcessor,
} from './grid/composition/composition.processor.js';
import { OperationsController } from './operations/operations.controller.js';
import { OperationsService } from './operations/operations.service.js';
import { SheetLiveChannel } from './operations/sheet.live-channel.js';
import { RunPlansService } from './operations/run-plans.service.js';
import { RecalculationService } from './operations/recalculation.service.js';
import { RecalculationsController } from './operations/recalculations.controller.js';
import { FedRows } from './fed-rows/fed-rows.js';
import { SheetExportsController } from './exports/sheet-exports.controller.js';
import { SheetExportsService } from './exports/sheet-exports.service.js';
import { FileImporter } from './imports/file.importer.js';
import { Importers } from './imports/importer.js';
import { ImportStarter } from './imports/import-starter.js';
import { ImportRecord } from './imports/import-record.js';
import { ImportWork } from './imports/import-work.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsService } from './imports/imports.service.js';
import { LogRows } from './imports/log-rows.js';
import { PersonalRows } from './erasure/personal-rows.js';
import { NewSheetsController } from './imports/new-sheets.controller.js';
import { NewSheetsService } from './imports/new-sheets.service.js';
import { SheetImporter } from './imports/sheet.importer.js';
import { TableSheetOwner } from './imports/table.sheet-owner.js';
import { SheetImportsController } from './jobs/sheet-imports.controller.js';
import { SheetOperationsController } from './jobs/sheet-operations.controller.js';
import { SheetJobsService } from './jobs/sheet-jobs.service.js';
import { RequestLogsImporter } from './imports/request-logs.importer.js';
import { OwnedColumns } from './owned-sheets/owned-columns.js';
import { OwnedRows } from './owned-sheets/owned-rows.js';
import { OwnedSheets } from './owned-sheets/owned-sheets.js';
import { OwnedSteps } from './owned-sheets/owned-steps.js';
import { SheetCopies } from './owned-sheets/sheet-copies.js';
import { RegressionWork } from './regressions/regression-work.js';
import { RegressionSheetOwner } from './regressions/regression.sheet-owner.js';
import { RegressionsController } from './regressions/regressions.controller.js';
import { RegressionsService } from './regressions/regressions.service.js';
import { ScratchSheets } from './regressions/scratch-sheets.js';
import { SearchCosts } from './regressions/search-costs.js';
import { ColumnPreviewsController } from './previews/column-previews.controller.js';
import { ColumnPreviewsService } from './previews/column-previews.service.js';
import { ReviewedRows } from './reviewed-rows/reviewed-rows.js';
import { RowsController } from './rows/rows.controller.js';
import { RowsService } from './rows/rows.service.js';
import { ScoreHistoryController } from './scoring/score-history.controller.js';
import { ScoreWork } from './scoring/score-work.js';
import { ScoresController } from './scoring/scores.controller.js';
import { ScoresService } from './scoring/scores.service.js';
import { CalculationListService } from './scorecards/side-by-side/calculation-list.service.js';
import { ScorecardRunsController } from './scorecards/side-by-side/scorecard-runs.controller.js';
import { SideBySideService } from './scorecards/side-by-side/side-by-side.service.js';
import { SheetScoresController } from './scoring/sheet-scores.controller.js';
import { SheetScoresService } from './scoring/sheet-scores.service.js';
import { SheetScorer } from './scoring/sheet-scorer.js';
import { CalculationsController } from './scorecards/calculations.controller.js';
import { CalculationsService } from './scorecards/calculations.service.js';
import { ComparisonsService } from './scorecards/comparisons.service.js';
import { MigrationsService } from './scorecards/migrations.service.js';
import { ScorecardWork } from './scorecards/scorecard-work.js';
import { ScorecardsController } from './scorecards/scorecards.controller.js';
import { ScorecardsService } from './scorecards/scorecards.service.js';
import { SettingsController } from './settings/settings.controller.js';
import { SettingsService } from './settings/settings.service.js';
import { SheetChangesService } from './sheets/sheet-changes.service.js';
import { SheetsController } from './sheets/sheets.controller.js';
import { SheetViewsController } from './views/sheet-views.controller.js';
import { SheetViewsService } from './views/sheet-views.service.js';
import { SheetsService } from './sheets/sheets.service.js';
import { SummariesController } from './summaries/summaries.controller.js';
import { SummariesService } from './summaries/summaries.service.js';
import { TableFolderItem } from './tables/table.folder-item.js';
import { TablesController } from './tables/tables.controller.js';
import { TablesService } from './tables/tables.service.js';
import { TraceRowsService } from './trace-rows/trace-rows.service.js';
import { VersionDiffsController } from './versions/version-diffs.controller.js';
import { VersionDiffsService } from './versions/version-diffs.service.js';
import { VersionsController } from './versions/versions.controller.js';
import { VersionsService } from './versions/versions.service.js';

const COLUMN_TYPES = [
  AiDataExtractionColumnType,
  AllColumnType,
  AnyColumnType,
  ApplyDiffColumnType,
  AssertValidColumnType,
  CoalesceColumnType,
  CodeExecutionColumnType,
  CombineColumnsColumnType,
  ColumnAggregateColumnType,
  CompareColumnType,
  CompositionColumnType,
  ContainsColumnType,
  ConversationSimulatorColumnType,
  CosineSimilarityColumnType,
  CountColumnType,
  ForLoopColumnType,
  EndpointColumnType,
  HumanColumnType,
  JsonPathColumnType,
  LlmAssertionColumnType,
  MathOperatorColumnType,
  MaxToolCallsColumnType,
  McpColumnType,
  MinMaxColumnType,
  NoInvalidToolCallsColumnType,
  NumericDistanceColumnType,
  ParseValueColumnType,
  PromptTemplateColumnType,
  RegexColumnType,
  RegexExtractionColumnType,
  StructureColumnType,
  TextColumnType,
  ExecutionMetadataColumnType,
  ToolEvaluatorColumnType,
  TraceColumnType,
  TrajectoryColumnType,
  VariableColumnType,
  WhileLoopColumnType,
  XmlPathColumnType,
];

const SERVICES = [
  TablesService,
  SheetsService,
  SheetChangesService,
  NewSheetsService,
  SheetExportsService,
  SummariesService,
  ColumnsService,
  SheetViewsService,
  ColumnChangesService,
  RowsService,
  CellsService,
  OperationsService,
  RecalculationService,
  CallTools,
  CellPreviews,
  ColumnPreviewsService,
  ImportsService,
  SheetJobsService,
  VersionsService,
  VersionDiffsService,
  ScoresService,
  SheetScoresService,
  ScorecardsService,
  CalculationsService,
  ComparisonsService,
  CalculationListService,
  SideBySideService,
  MigrationsService,
  RegressionsService,
  ScratchSheets,
  SearchCosts,
  RegressionSheetOwner,
  SettingsService,
  ColumnTypes,
  TableFolderItem,
  ComputationNotifier,
  AutoRecalculation,
  CompositionNotifier,
  ProgressStreams,
  // Short imports are carried out by the process that is asked for them.
  ImportStarter,
  ImportRecord,
  ImportWork,
  Importers,
  FileImporter,
  RequestLogsImporter,
  SheetImporter,
  SheetOwners,
  TableSheetOwner,
  SheetLiveChannel,
];

/** Sheets of other owners than tables. */
const DOOR = [
  OwnedSheets,
  OwnedColumns,
  OwnedRows,
  OwnedSteps,
  SheetCopies,
  SheetScorer,
  LogRows,
  PersonalRows,
  ReviewedRows,
  FedRows,
  RunPlansService,
  TraceRowsService,
];

/** What column types share. */
const SHARED = [
  CellModelCalls,
  PromptRuns,
  ToolTurns,
  DefaultModels,
  StructuredAnswers,
  LoopBodies,
  PromptLoopBody,
  LoopRuns,
  Simulations,
];

/** What only a worker does. */
const WORKERS = [
  PromptChangesConsumer,
  ToolChangesConsumer,
  CellClaims,
  CellCounts,
  FormulaWork,
  ExternalWork,
  ExternalProcessor,
  CompositionProcessor,
  ScoreWork,
  ScorecardWork,
  RegressionWork,
];

@Module({})
export class TablesModule {
  static for({ works, config }: ProcessKind): DynamicModule {
    return {
      module: TablesModule,
      // Whoever has sheets of his own uses the door.
      global: true,
      imports: [
        DiscoveryModule,
        LiveModule,
        McpServersModule,
        OutboundModule,
        LlmModule,
        PromptsModule,
        ToolsModule,
        SandboxModule,
        registerQueue(EXTERNAL_QUEUE),
        registerQueue(COMPOSITION_QUEUE),
        registerWork(FormulaWork, { queue: 'computation', concurrency: config.computeConcurrency, works }),
        registerWork(ImportWork, { queue: 'imports', concurrency: 2, works }),
        registerWork(ScoreWork, { queue: 'scores', concurrency: 2, works }),
        registerWork(ScorecardWork, { queue: 'scorecards', concurrency: 2, works }),
        registerWork(RegressionWork, { queue: 'regressions', concurrency: 2, works }),
      ],
      controllers: [
        // Before the sheets: their static segments win over ids.
        ImportsController,
        NewSheetsController,
        TablesController,
        SheetsController,
        SheetExportsController,
        SummariesController,
        ColumnPreviewsController,
        ColumnsController,
        SheetViewsController,
        RowsController,
        CellsController,
        OperationsController,
        RecalculationsController,
        SheetOperationsController,
        SheetImportsController,
        ScoresController,
        ScoreHistoryController,
        SheetScoresController,
        ScorecardsController,
        CalculationsController,
        ScorecardRunsController,
        RegressionsController,
        VersionsController,
        VersionDiffsController,
        ColumnTypesController,
        SettingsController,
      ],
      providers: [...COLUMN_TYPES, ...SHARED, ...SERVICES, ...DOOR, ...(works ? WORKERS : [])],
      exports: DOOR,
    };
  }
}
