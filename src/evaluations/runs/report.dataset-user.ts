import type { EntityManager } from 'typeorm';
import { type DatasetUserPlugin, UsesDatasets, type VersionInMaking } from '../../datasets/index.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import type { AfterCommit } from '../../grid/shared/sheet-owners.js';
import { Report } from '../reports/report.entity.js';

/** Continues runs that wait for a version of a dataset when it is published, and ends them when it fails. */
@UsesDatasets('report_id')
export class ReportDatasetUser implements DatasetUserPlugin {
  constructor(@InjectNotifier('evaluation-runs') private readonly workers: WorkNotifier) {}

  /** Versions of a pipeline include those of its runs. */
  async versionsOf(tx: EntityManager, workspaceId: number, reportId: number): Promise<number[]> {
    const found = await tx.query<{ id: number }[]>(
      `SELECT dataset_id AS id FROM reports WHERE workspace_id = $1 AND id = $2
       UNION SELECT dataset_id FROM reports WHERE workspace_id = $1 AND parent_id = $2`,
      [workspaceId, reportId],
    );
    return found.map(({ id }) => id);
  }

  versionPublished(): Promise<AfterCommit> {
    return Promise.resolve(() => this.workers.notify());
  }

  async versionFailed(
    tx: EntityManager,
    { workspaceId, id: datasetId }: VersionInMaking,
    message: string,
  ): Promise<AfterCommit> {
    const scoreError = `The dataset could not be refreshed: ${message}`;
    await tx.update(Report, { workspaceId, datasetId, step: 'fill' }, { scoreError, step: 'score' });
    return () => this.workers.notify();
  }
}
