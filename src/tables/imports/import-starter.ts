import { Injectable, Logger } from '@nestjs/common';
import { ImportBell } from './import-bell.js';
import { ImportRunner } from './import-runner.js';
import type { ImportOperation } from './import-operation.entity.js';

/** An import of so many rows is carried out by whoever starts it: a worker would hardly be faster at hearing of it. */
const SHORT = 1000;

/** Sees to it that an import on record is carried out. */
@Injectable()
export class ImportStarter {
  private readonly log = new Logger(ImportStarter.name);

  constructor(
    private readonly bell: ImportBell,
    private readonly runner: ImportRunner,
  ) {}

  ring(operation: ImportOperation): void {
    this.bell.ring(operation);
  }

  /** Carries out a short import at once and rings for others. Never fails: the import is on record. */
  async begin(operation: ImportOperation, mostRows: number): Promise<void> {
    if (operation.status !== 'queued') return;
    if (mostRows > SHORT) return this.ring(operation);
    try {
      await this.runner.run(operation.workspaceId, operation.id);
    } catch (error) {
      this.log.warn(`Import ${operation.id} is left to a worker: ${String(error)}`);
      this.ring(operation);
    }
  }
}
