import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { WorkAborted } from '../../platform/work/work-kind.js';
import type { CellContext } from '../../grid/column-type/cell-context.js';
import { isCellPending } from '../../tables/index.js';
import { RunCanceller } from '../runs/run-canceller.js';
import { RunWaits } from '../runs/run-waits.js';

/** Runs that cells wait for. */
@Injectable()
export class AwaitedRuns {
  private readonly log = new Logger(AwaitedRuns.name);

  constructor(
    private readonly db: DataSource,
    private readonly waits: RunWaits,
    private readonly canceller: RunCanceller,
  ) {}

  /** Waits for a run. Cancels it when no cell waits for it any more. */
  async wait(id: string, context: CellContext): Promise<void> {
    try {
      await this.waits.until(context.workspaceId, id, context.signal);
    } catch (error) {
      this.abandon(id, context).catch((reason: unknown) => {
        this.log.warn(`Workflow run ${id} goes on without being waited for: ${String(reason)}`);
      });
      throw error;
    }
  }

  /** Cancels a run unless its cell is still to be computed: then another worker may wait for the same run. */
  private async abandon(
    id: string,
    { workspaceId, signal, column, executionId, rowIndex }: CellContext,
  ): Promise<void> {
    const { reason } = signal.reason instanceof WorkAborted ? signal.reason : { reason: 'cancelled' };
    if (reason === 'stopping' || reason === 'lease_lost') return;
    const cell = { workspaceId, columnId: column.id, executionId, rowIndex };
    if (reason === 'cancelled' && (await isCellPending(this.db.manager, cell))) return;
    await this.canceller.cancel(workspaceId, id);
  }
}
