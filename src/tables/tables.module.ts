import { type DynamicModule, Module } from '@nestjs/common';
import { LiveModule } from '../live/index.js';
import { ProgressStreams } from '../platform/http/progress-streams.js';
import type { ProcessKind } from '../platform/domain.js';
import { registerWork } from '../platform/work/register-work.js';
import { CellsController } from './cells/cells.controller.js';
import { CellsService } from './cells/cells.service.js';
import { ColumnTypesController } from './columns/column-types.controller.js';
import { ColumnChangesService } from './columns/column-changes.service.js';
import { ColumnsController } from './columns/columns.controller.js';
import { ColumnsService } from './columns/columns.service.js';
import { OperationsController } from './operations/operations.controller.js';
import { OperationsService } from './operations/operations.service.js';
import { SheetLiveChannel } from './operations/sheet.live-channel.js';
import { RunPlansService } from './operations/run-plans.service.js';
import { RecalculationService } from './operations/recalculation.service.js';
import { RecalculationsController } from './operations/recalculations.controller.js';
import { FedRows } from './fed-rows/fed-rows.js';
import { SheetExportsController } from './exports/sheet-exports.controller.js';
import { SheetExportsService } from './exports/sheet-exports.service.js';
import { ImportsController } from './imports/imports.controller.js';
import { ImportsService } from './imports/imports.service.js';
import { PersonalRows } from './erasure/personal-rows.js';
import { NewSheetsController } from './imports/new-sheets.controller.js';
import { NewSheetsService } from './imports/new-sheets.service.js';
import { SheetImporter } from './owned-sheets/sheet.importer.js';
import { TableSheetOwner } from './imports/table.sheet-owner.js';
import { SheetImportsController } from './jobs/sheet-imports.controller.js';
import { SheetOperationsController } from './jobs/sheet-operations.controller.js';
import { SheetJobsService } from './jobs/sheet-jobs.service.js';
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
import { ScoresController } from './scoring/scores.controller.js';
import { ScoresService } from './scoring/scores.service.js';
import { CalculationListService } from './scorecards/side-by-side/calculation-list.service.js';
import { ScorecardRunsController } from './scorecards/side-by-side/scorecard-runs.controller.js';
import { SideBySideService } from './scorecards/side-by-side/side-by-side.service.js';
import { SheetScoresController } from './scoring/sheet-scores.controller.js';
import { SheetScoresService } from './scoring/sheet-scores.service.js';
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
  TableFolderItem,
  ProgressStreams,
  SheetImporter,
  TableSheetOwner,
  SheetLiveChannel,
];

/** Sheets of other owners than tables. */
const EXPORTS = [
  OwnedSheets,
  OwnedColumns,
  OwnedRows,
  OwnedSteps,
  SheetCopies,
  PersonalRows,
  ReviewedRows,
  FedRows,
  RunPlansService,
  TraceRowsService,
];

/** Providers of workers. */
const WORKERS = [ScorecardWork, RegressionWork];

@Module({})
export class TablesModule {
  static for({ works }: ProcessKind): DynamicModule {
    return {
      module: TablesModule,
      // Domains with sheets of their own use its exports.
      global: true,
      imports: [
        LiveModule,
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
      providers: [...SERVICES, ...EXPORTS, ...(works ? WORKERS : [])],
      exports: EXPORTS,
    };
  }
}
