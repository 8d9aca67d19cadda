import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { ring } from '../../platform/queue/doorbell.js';
import { type AfterCommit, OwnsSheets, type SheetOwnerPlugin } from '../grid/sheet-owners.js';
import { REGRESSION_QUEUE } from './regression-queue.js';

/** Goes on with a search when the cells of the version that it looks at are computed. */
@OwnsSheets('regression')
export class RegressionSheetOwner implements SheetOwnerPlugin {
  constructor(@InjectQueue(REGRESSION_QUEUE) private readonly queue: Queue) {}

  executionEnded(): Promise<AfterCommit> {
    return Promise.resolve(() => ring(this.queue));
  }
}
