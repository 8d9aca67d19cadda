import type { EntityManager } from 'typeorm';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import {
  type AfterCommit,
  type EndedExecution,
  type EndedImport,
  OwnsSheets,
  type SheetOwnerPlugin,
} from '../../grid/shared/sheet-owners.js';
import { OwnedColumns, OwnedSheets } from '../../tables/index.js';
import { OWNER } from '../reports/report-builder.js';
import { Report } from '../reports/report.entity.js';

/** Computes the cells of reports when their rows are there, and has runs scored when these are computed. */
@OwnsSheets(OWNER)
export class ReportSheetOwner implements SheetOwnerPlugin {
  constructor(
    private readonly sheets: OwnedSheets,
    private readonly columns: OwnedColumns,
    @InjectNotifier('evaluation-runs') private readonly workers: WorkNotifier,
  ) {}

  async importCompleted(tx: EntityManager, { workspaceId, sheetId }: EndedImport): Promise<AfterCommit> {
    const sheet = await this.sheets.lock(tx, workspaceId, sheetId);
    const run = await tx.findOneBy(Report, { workspaceId, sheetId });
    const queued = sheet && (await this.columns.queue(tx, sheet, { asksAgain: !run?.reusesResults }));
    return () => (queued ? this.columns.notify(queued) : this.workers.notify());
  }

  async importFailed(tx: EntityManager, { workspaceId, sheetId }: EndedImport, message: string): Promise<AfterCommit> {
    await tx.update(Report, { workspaceId, sheetId, isBlueprint: false }, { scoreError: message });
    return () => this.workers.notify();
  }

  executionEnded(_tx: EntityManager, _ended: EndedExecution): Promise<AfterCommit> {
    return Promise.resolve(() => this.workers.notify());
  }
}
