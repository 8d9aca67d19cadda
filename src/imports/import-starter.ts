import { Inject, Injectable, Logger } from '@nestjs/common';
import { CONFIG, type Config } from '../platform/config/config.js';
import { InjectNotifier, WorkNotifier } from '../platform/work/work-notifier.js';
import { WorkRunner } from '../platform/work/work-runner.js';
import type { ImportOperation } from './import-operation.entity.js';
import { ImportWork } from './import-work.js';

/** Imports of up to this many rows are carried out by the process that starts them: a worker would hardly be faster. */
const SHORT = 1000;

/** Starts stored imports. */
@Injectable()
export class ImportStarter {
  private readonly log = new Logger(ImportStarter.name);

  constructor(
    private readonly runner: WorkRunner,
    private readonly imports: ImportWork,
    @InjectNotifier('imports') private readonly workers: WorkNotifier,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Notifies workers of a queued import. */
  notify({ status }: ImportOperation): void {
    if (status === 'queued') this.workers.notify();
  }

  /** Carries out a short import at once and notifies workers of others. Never fails: the import is stored already. */
  async begin(operation: ImportOperation, mostRows: number): Promise<void> {
    if (operation.status !== 'queued') return;
    if (mostRows > SHORT || this.runner.isStopping) return this.notify(operation);
    try {
      const claim = await this.imports.claimOne(operation, this.config.leaseMs);
      if (claim) await this.runner.run(this.imports, claim);
    } catch (error) {
      this.log.warn(`Import ${operation.id} is left to a worker: ${String(error)}`);
      this.notify(operation);
    }
  }
}
