import { type DynamicModule, Module } from '@nestjs/common';
import { DatasetsModule } from '../datasets/index.js';
import { ExternalIdsModule } from '../external-ids/index.js';
import { registerWork } from '../platform/work/register-work.js';
import { ReportColumnsController } from './columns/report-columns.controller.js';
import { ReportColumnsService } from './columns/report-columns.service.js';
import { RunComparisonsController } from './comparisons/run-comparisons.controller.js';
import { RunComparisonsService } from './comparisons/run-comparisons.service.js';
import { EvaluationsController } from './evaluations/evaluations.controller.js';
import { EvaluationsService } from './evaluations/evaluations.service.js';
import { RunCopiesService } from './evaluations/run-copies.service.js';
import { ReportArchive, ReportFolderItem } from './reports/report-archive.js';
import { ReportBuilder } from './reports/report-builder.js';
import { EXTERNAL_ID_TYPE } from './reports/report.entity.js';
import { ReportsController } from './reports/reports.controller.js';
import { ReportSheets } from './reports/report-sheets.js';
import { ReportsService } from './reports/reports.service.js';
import { ReportDatasetUser } from './runs/report.dataset-user.js';
import { ReportPublicationFollower } from './runs/report.publication-follower.js';
import { ReportSheetOwner } from './runs/report.sheet-owner.js';
import { RunWork } from './runs/run-work.js';
import { RunsService } from './runs/runs.service.js';
import { ReportScorer } from './scores/report-scorer.js';
import { ScoreCardsService } from './scores/score-cards.service.js';

const SERVICES = [
  ReportBuilder,
  ReportArchive,
  ReportFolderItem,
  ReportSheets,
  ReportsService,
  ReportColumnsService,
  ReportScorer,
  ScoreCardsService,
  RunsService,
  EvaluationsService,
  RunCopiesService,
  RunComparisonsService,
  ReportSheetOwner,
  ReportPublicationFollower,
  ReportDatasetUser,
];

@Module({})
export class EvaluationsModule {
  static for({ works }: { works: boolean }): DynamicModule {
    return {
      module: EvaluationsModule,
      imports: [
        DatasetsModule,
        registerWork(RunWork, { queue: 'evaluation-runs', concurrency: 2, works }),
        ExternalIdsModule.for({
          type: EXTERNAL_ID_TYPE,
          table: 'reports',
          softDeleted: true,
          path: 'reports/:report_id',
          idType: 'integer',
          editedWith: /^REPORT_EDIT$/,
          tag: 'Evaluations',
        }),
      ],
      controllers: [ReportsController, ReportColumnsController, EvaluationsController, RunComparisonsController],
      providers: [...SERVICES, ...(works ? [RunWork] : [])],
    };
  }
}
