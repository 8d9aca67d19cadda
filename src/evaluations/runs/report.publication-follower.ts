import { type EntityManager, IsNull } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { FollowsPublications, type PublicationFollowerPlugin, type PublishedVersion } from '../../prompts/index.js';
import { Report } from '../reports/report.entity.js';
import { RunsService } from './runs.service.js';

/** Runs the pipeline that the publication of a prompt version names, with that version. */
@FollowsPublications('report_id')
export class ReportPublicationFollower implements PublicationFollowerPlugin {
  constructor(
    private readonly runs: RunsService,
    @InjectNotifier('evaluation-runs') private readonly workers: WorkNotifier,
  ) {}

  async isKnown(tx: EntityManager, caller: Caller, id: number): Promise<boolean> {
    const { workspaceId } = caller;
    const isKnown = await tx.existsBy(Report, { workspaceId, id, isBlueprint: true, deletedAt: IsNull() });
    if (isKnown) demand(caller, 'REPORT_EDIT');
    return isKnown;
  }

  async published(tx: EntityManager, caller: Caller, id: number, version: PublishedVersion): Promise<() => void> {
    await this.runs.insertForVersion(tx, caller, id, version);
    return () => this.workers.notify();
  }
}
