import { InjectQueue } from '@nestjs/bull';
import { Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { ring } from '../../platform/queue/doorbell.js';
import type { ImportOperation } from './import-operation.entity.js';

export const IMPORT_QUEUE = 'imports';

/** Tells workers about imports. */
@Injectable()
export class ImportBell {
  constructor(@InjectQueue(IMPORT_QUEUE) private readonly queue: Queue) {}

  ring(operation: ImportOperation): void {
    if (operation.status !== 'queued') return;
    ring(this.queue, { workspaceId: operation.workspaceId, operationId: operation.id });
  }
}
