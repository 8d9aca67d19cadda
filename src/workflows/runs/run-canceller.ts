import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { OwnedSheets, OwnedSteps } from '../../tables/index.js';
import { cancelRun } from './ended-runs.js';
import { RunAnnouncer } from './run-announcer.js';
import { RunErrors } from './run.errors.js';
import { WorkflowRun } from './workflow-run.entity.js';

/** Ends runs before they are complete. */
@Injectable()
export class RunCanceller {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
    private readonly steps: OwnedSteps,
    private readonly announcer: RunAnnouncer,
  ) {}

  /** Cancels a run unless it has ended, and returns it. Throws workflow_run_not_found. */
  async cancel(workspaceId: number, id: string): Promise<WorkflowRun> {
    const { run, ended } = await this.db.transaction(async (tx) => {
      const { sheetId } = await getRun(tx, workspaceId, id);
      // Cells of the run are stored under this lock.
      const sheet = await this.sheets.lock(tx, workspaceId, sheetId);
      const found = await getRun(tx, workspaceId, id);
      const cancelled = await cancelRun(tx, found, id);
      if (sheet && cancelled.length > 0) await this.steps.stop(tx, sheet, found.rowIndex);
      return { run: await getRun(tx, workspaceId, id), ended: cancelled };
    });
    this.announcer.announce(workspaceId, ended);
    if (ended.length > 0) this.steps.notifyStopped();
    return run;
  }
}

/** Throws workflow_run_not_found. */
export async function getRun(tx: EntityManager, workspaceId: number, id: string): Promise<WorkflowRun> {
  const run = await tx.findOneBy(WorkflowRun, { workspaceId, id });
  if (!run) throw RunErrors.workflow_run_not_found(Number(id));
  return run;
}
