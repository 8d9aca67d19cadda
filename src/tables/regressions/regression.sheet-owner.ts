import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { type AfterCommit, OwnsSheets, type SheetOwnerPlugin } from '../../grid/shared/sheet-owners.js';

/** Continues a search when the cells of its current version are computed. */
@OwnsSheets('regression')
export class RegressionSheetOwner implements SheetOwnerPlugin {
  constructor(@InjectNotifier('regressions') private readonly workers: WorkNotifier) {}

  executionEnded(): Promise<AfterCommit> {
    return Promise.resolve(() => this.workers.notify());
  }
}
