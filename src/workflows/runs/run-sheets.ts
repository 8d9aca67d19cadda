import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { OwnedSheets, OwnedSteps } from '../../tables/index.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { toSteps } from '../nodes/node-steps.js';
import { WorkflowVersion } from '../registry/workflow.entity.js';
import { OWNER } from './run-owner.js';
import { WorkflowRunSheet } from './workflow-run.entity.js';

/** Runs of one sheet. Larger sets of rows would make every run slower. */
const MOST_RUNS = 10_000;

/** The version and the depth whose runs share a sheet. */
export interface RunSeries {
  version: WorkflowVersion;
  depth: number;
}

/** The sheets that hold runs: made when they are first needed, and followed by another one when they are full. */
@Injectable()
export class RunSheets {
  constructor(
    private readonly sheets: OwnedSheets,
    private readonly steps: OwnedSteps,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Returns the sheet for the next runs, locked until the end of the transaction. Throws the errors of `OwnedSteps.add`. */
  async lock(tx: EntityManager, series: RunSeries, count: number): Promise<Sheet> {
    return (await this.lockLast(tx, series, count)) ?? this.openNext(tx, series, count);
  }

  private async lockLast(tx: EntityManager, series: RunSeries, count: number): Promise<Sheet | null> {
    const last = await this.findLast(tx, series);
    const sheet = last && (await this.sheets.lock(tx, series.version.workspaceId, last.sheetId));
    const most = Math.min(MOST_RUNS, this.config.maxRowsPerSheet);
    return sheet && sheet.rows.count + count <= most ? sheet : null;
  }

  /** One process opens it, the others wait for that. */
  private async openNext(tx: EntityManager, series: RunSeries, count: number): Promise<Sheet> {
    const { version, depth } = series;
    const { workspaceId, id: workflowVersionId } = version;
    const lock = { mode: 'for_no_key_update' } as const;
    await tx.findOneOrFail(WorkflowVersion, {
      select: { id: true },
      where: { workspaceId, id: workflowVersionId },
      lock,
    });
    const opened = await this.lockLast(tx, series, count);
    if (opened) return opened;
    const number = ((await this.findLast(tx, series))?.number ?? -1) + 1;
    const titles = Object.keys(version.requiredInputVariables);
    const title = `Runs of version ${version.number}`;
    const sheet = await this.sheets.create(tx, { workspaceId, owner: OWNER, title, titles });
    await this.steps.add(tx, sheet, toSteps(version));
    await tx.insert(WorkflowRunSheet, { workspaceId, sheetId: sheet.id, workflowVersionId, depth, number });
    return (await this.sheets.lock(tx, workspaceId, sheet.id))!;
  }

  private findLast(tx: EntityManager, { version, depth }: RunSeries): Promise<WorkflowRunSheet | null> {
    const where = { workspaceId: version.workspaceId, workflowVersionId: version.id, depth };
    return tx.findOne(WorkflowRunSheet, { where, order: { number: 'DESC' } });
  }
}
