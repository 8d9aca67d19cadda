import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demand } from '../../access/index.js';
import { DatasetRefreshService } from '../../datasets/index.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { WorkAborted } from '../../platform/work/work-kind.js';
import { withPromptVersion } from '../../column-types/index.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { getDataset } from '../reports/datasets.queries.js';
import { getReport } from '../reports/find-reports.js';
import { type BuiltReport, ReportBuilder, type ReportPlan } from '../reports/report-builder.js';
import { MAX_NAME } from '../columns/report-columns.dto.js';
import { type PublishedVersion, readPromptNames } from '../../prompts/index.js';
import { Report } from '../reports/report.entity.js';

export interface NewRun {
  name: string;
  /** That of the pipeline when it is left out. */
  datasetId?: number | null;
  /** Repeats the search of the dataset, and uses the rows that it finds now. */
  refresh?: boolean | null;
  /** Whether results from outside that were known before will do. */
  reusesResults: boolean;
}

/** Runs pipelines over all rows of a version of a dataset. */
@Injectable()
export class RunsService {
  constructor(
    private readonly db: DataSource,
    private readonly builder: ReportBuilder,
    private readonly datasets: DatasetRefreshService,
    @InjectNotifier('evaluation-runs') private readonly workers: WorkNotifier,
  ) {}

  /** Starts a run of the present pipeline. Later changes to the pipeline do not affect the run. */
  async start(caller: Caller, id: number, { refresh, ...wish }: NewRun): Promise<Report> {
    if (refresh) return this.startRefreshed(caller, id, wish);
    const { datasetId, ...run } = wish;
    const { report, begin } = await this.db.transaction(async (tx) => {
      const pipeline = await this.requirePipeline(tx, caller, id);
      const dataset = await getDataset(tx, caller.workspaceId, datasetId ?? pipeline.datasetId);
      const built = await this.insertRun(tx, caller, pipeline, { ...run, datasetId: dataset.id });
      const fill = { datasetSheetId: dataset.sheetId, ...(await this.builder.planOf(tx, pipeline)) };
      return { report: built.report, begin: await this.fill(tx, caller, built, fill) };
    });
    await begin();
    return report;
  }

  /** The run waits for the new version of the dataset, and has no columns before. */
  private async startRefreshed(
    caller: Caller,
    id: number,
    { datasetId, ...wish }: Omit<NewRun, 'refresh'>,
  ): Promise<Report> {
    const pipeline = await this.requirePipeline(this.db.manager, caller, id);
    const dataset = await this.datasets.refresh(caller, datasetId ?? pipeline.datasetId);
    const run = { ...wish, datasetId: dataset.id, step: 'fill' as const };
    const { report } = await this.db.transaction((tx) => this.insertRun(tx, caller, pipeline, run));
    this.workers.notify();
    return report;
  }

  /** A run of a pipeline with a version of a prompt that is just being published. A worker fills it after the commit. */
  async insertForVersion(tx: EntityManager, caller: Caller, id: number, version: PublishedVersion): Promise<void> {
    const pipeline = await getReport(tx, caller.workspaceId, id);
    const { promptId, promptName, number: promptVersion } = version;
    const suffix = ` version ${promptVersion}`;
    const name = [...promptName].slice(0, MAX_NAME - suffix.length).join('') + suffix;
    const run = { name, datasetId: pipeline.datasetId, step: 'fill' as const, promptId, promptVersion };
    await this.insertRun(tx, caller, pipeline, run);
  }

  /**
   * Adds the columns and rows to a run whose dataset version was not published when it started. Call the returned function after the
   * commit. Throws the problems of the columns, and WorkAborted when the sheet of the run was deleted.
   */
  async fillWaiting(tx: EntityManager, report: Report, requestId: string): Promise<() => Promise<void>> {
    const { workspaceId, parentId, datasetId, createdBy } = report;
    const pipeline = await tx.findOneByOrFail(Report, { workspaceId, id: parentId! });
    const dataset = await getDataset(tx, workspaceId, datasetId);
    const built = await this.builder.open(tx, report);
    if (!built) throw new WorkAborted('cancelled');
    const fill = { datasetSheetId: dataset.sheetId, ...(await this.planFor(tx, report, pipeline)) };
    return this.fill(tx, { keyId: createdBy, keyName: null, requestId }, built, fill);
  }

  private async fill(
    tx: EntityManager,
    starter: Pick<Caller, 'keyId' | 'keyName' | 'requestId'>,
    built: BuiltReport,
    { datasetSheetId, ...plan }: ReportPlan & { datasetSheetId: string },
  ): Promise<() => Promise<void>> {
    await this.builder.addColumns(tx, built, { datasetSheetId, ...plan });
    return this.builder.addRows(tx, starter, built, { sheetId: datasetSheetId });
  }

  /** The columns that a run of the pipeline has. One that was started for a version of a prompt uses that version. */
  private async planFor(tx: EntityManager, { promptId, promptVersion }: Report, pipeline: Report): Promise<ReportPlan> {
    const plan = await this.builder.planOf(tx, pipeline);
    if (promptId === null || promptVersion === null) return plan;
    const name = (await readPromptNames(tx, pipeline.workspaceId, [promptId])).get(promptId);
    const planned = plan.planned.map((column) => ({
      ...column,
      configuration: withPromptVersion(column.configuration, { name, version: promptVersion }),
    }));
    return { ...plan, planned };
  }

  private async requirePipeline(tx: EntityManager, caller: Caller, id: number): Promise<Report> {
    const pipeline = await getReport(tx, caller.workspaceId, id);
    demand(caller, 'REPORT_EDIT');
    if (!pipeline.isBlueprint) throw EvaluationErrors.report_not_runnable();
    return pipeline;
  }

  private async insertRun(
    tx: EntityManager,
    caller: Caller,
    { id: parentId, scoreConfiguration }: Report,
    run: { name: string; datasetId: number } & Partial<Report>,
  ): Promise<BuiltReport> {
    const built = await this.builder.insert(tx, caller, {
      ...run,
      parentId,
      scoreConfiguration,
      isBlueprint: false,
      status: 'queued',
      step: run.step ?? 'score',
    });
    const { id, name } = built.report;
    await audit(tx, caller, { action: 'report.run', entityId: parentId, details: { run_id: id, name } });
    return built;
  }
}
