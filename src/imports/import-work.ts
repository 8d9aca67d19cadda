import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { StorageService } from '../storage/index.js';
import { repeatableTransaction } from '../platform/database/repeatable-transaction.js';
import { type ClaimedRow, RowWork, type WorkTable } from '../platform/work/row-work.js';
import { WorkAborted, type WorkControl } from '../platform/work/work-kind.js';
import { lockLiveSheet, SHEET_DELETED, SHEET_OF_WORK_LIVES } from '../grid/shared/lock-sheet.js';
import { type Done, ImportRecord } from './import-record.js';
import { failImport, type ImportState } from './import-steps.js';
import { ImportOperation } from './import-operation.entity.js';
import { type ImportedValue, ImportFailure, Importers } from './importer.js';
import { deleteHidden, deleteWritten, writeRows } from './written-rows.queries.js';

/** Rows written per transaction, and repeated after a crash. */
const ROWS_PER_STEP = 1000;
const CANCELLED = 'The import was cancelled.';

export const IMPORT_ROWS: WorkTable = {
  name: 'import',
  table: 'import_operations',
  idType: 'text',
  open: `w.status IN ('queued', 'running')`,
  wanted: `w.cancelled_at IS NULL AND ${SHEET_OF_WORK_LIVES}`,
  claimed: 'updated_at = now()',
  // The status stays running: finished steps are not repeated.
  givenBack: 'updated_at = now()',
};

/**
 * Carries out imports. Rows are written to reserved indexes and become visible together in the last step, so an import
 * that fails leaves the sheet as it was. Every step is recorded: another worker continues from there.
 */
@Injectable()
export class ImportWork extends RowWork<ImportOperation> {
  constructor(
    db: DataSource,
    private readonly importers: Importers,
    private readonly storage: StorageService,
    private readonly record: ImportRecord,
  ) {
    super(db, IMPORT_ROWS, ImportOperation);
  }

  /** Ends after the current step when it is aborted. */
  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    try {
      await this.carryOut(await this.readClaimed(this.db.manager, claim), signal);
    } catch (error) {
      const { reason } = (error instanceof WorkAborted ? error : (signal.reason ?? {})) as Partial<WorkAborted>;
      if (reason === 'cancelled') await this.takeBack(claim, SHEET_DELETED);
      throw error;
    }
  }

  async fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(error, claim, 'The import failed because of an error on the server.');
    await this.takeBack(claim, message);
  }

  private async carryOut(operation: ImportOperation, signal: AbortSignal): Promise<void> {
    const { workspaceId } = operation;
    if (operation.cancelledAt) throw new WorkAborted('cancelled');
    const state = (operation.state as ImportState | null) ?? (await this.plan(operation, signal));
    const { plan } = state;
    let reading = this.readStep(operation, state, operation.rowsAdded ?? 0);
    for (let step = await reading; step; step = await reading) {
      signal.throwIfAborted();
      const { to } = step;
      // The rows of a running import are not counted yet, so they are added here.
      await this.storage.checkRows(workspaceId, to);
      const readNext = () => {
        reading = this.readStep(operation, state, to);
        // An error of writing has precedence; one of reading must not end the process.
        reading.catch(() => undefined);
      };
      await this.writeStep(operation, state, step, readNext);
    }
    const importer = this.importers.get(operation.source);
    const after = await this.db.transaction(async (tx) => {
      // Lock the sheet before the operation everywhere, to prevent deadlocks.
      await lockLiveSheet(tx, workspaceId, operation.sheetId);
      await this.recordStep(tx, operation, { rowsAdded: plan.rowCount, progress: 99 });
      await this.record.finish(tx, operation, state);
      return 'copy' in importer ? importer.finish?.(tx, operation, plan, state) : undefined;
    });
    after?.();
  }

  private async plan(operation: ImportOperation, signal: AbortSignal): Promise<ImportState> {
    // Outside the transaction: reading a large file takes a while.
    const plan = await this.importers.get(operation.source).plan(this.db.manager, operation, signal);
    return this.db.transaction(async (tx) => {
      const prepared = await this.record.prepare(tx, operation, plan);
      await this.recordStep(tx, operation, { rowsAdded: 0, progress: 0 });
      return prepared;
    });
  }

  /** The step that begins with a row; null after the last one. */
  private async readStep(operation: ImportOperation, { plan }: ImportState, from: number): Promise<Step | null> {
    if (from >= plan.rowCount) return null;
    const to =
      plan.steps?.find((row) => row > from) ??
      Math.min(plan.rowCount, plan.steps ? plan.rowCount : from + ROWS_PER_STEP);
    const importer = this.importers.get(operation.source);
    if ('copy' in importer) return { from, to, values: null };
    return { from, to, values: await importer.read(this.db.manager, operation, plan, { from, to }) };
  }

  /**
   * `whileCopying` starts work that the process can do while the database is busy. Starting it earlier would delay the
   * database.
   */
  private writeStep(
    operation: ImportOperation,
    state: ImportState,
    step: Step,
    whileCopying: () => void,
  ): Promise<void> {
    const { workspaceId, sheetId } = operation;
    const rows = { from: step.from, to: step.to };
    return repeatableTransaction(this.db, async (tx) => {
      const sheet = await lockLiveSheet(tx, workspaceId, sheetId);
      if (!sheet) throw new ImportFailure(SHEET_DELETED);
      // Rows of an attempt that was interrupted.
      await deleteWritten(tx, workspaceId, state, rows);
      whileCopying();
      // Rows become visible with the next version at the earliest.
      await this.writeValues(tx, operation, { state, step, version: sheet.version + 1 });
      const progress = Math.min(99, Math.floor((step.to / state.plan.rowCount) * 100));
      await this.recordStep(tx, operation, { rowsAdded: step.to, progress });
    });
  }

  private async writeValues(
    tx: EntityManager,
    { workspaceId, source }: ImportOperation,
    { state, step: { from, to, values }, version }: { state: ImportState; step: Step; version: number },
  ): Promise<void> {
    if (values) return writeRows(tx, { workspaceId, version }, state, { from, values });
    const importer = this.importers.get(source);
    if ('copy' in importer) await importer.copy(tx, state.plan, { ...state, workspaceId, version }, { from, to });
  }

  /** Records a finished step; throws if the import was cancelled meanwhile, so that the step is rolled back. */
  private async recordStep(tx: EntityManager, operation: ImportOperation, done: Done): Promise<void> {
    if (await this.record.progress(tx, operation, done)) throw new WorkAborted('cancelled');
  }

  /** Deletes the written rows in batches from the end: another worker can continue with that. */
  private async takeBack(claim: ClaimedRow, message: string): Promise<void> {
    const operation = await this.readClaimed(this.db.manager, claim);
    const { workspaceId, sheetId, rowsAdded } = operation;
    const state = operation.state as ImportState | null;
    for (let to = rowsAdded ?? 0; state && to > 0; to -= ROWS_PER_STEP) {
      const rows = { from: Math.max(0, to - ROWS_PER_STEP), to };
      await this.db.transaction(async (tx) => {
        await this.record.progress(tx, operation, { rowsAdded: rows.from, progress: 0 });
        await deleteWritten(tx, workspaceId, state, rows);
      });
    }
    await this.db.transaction(async (tx) => {
      await lockLiveSheet(tx, workspaceId, sheetId);
      await this.record.progress(tx, operation, { rowsAdded: 0, progress: 0 });
      if (state) await deleteHidden(tx, workspaceId, state);
      await failImport(tx, operation, operation.cancelledAt ? CANCELLED : message);
    });
  }
}

interface Step {
  from: number;
  to: number;
  /** null for rows that are copied within the database. */
  values: ImportedValue[][] | null;
}
