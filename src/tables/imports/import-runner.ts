import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { isConnectionFailure } from '../../platform/database/failures.js';
import { repeatableTransaction } from '../../platform/database/repeatable-transaction.js';
import type { JsonObject } from '../../platform/json.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { lockLiveSheet } from '../grid/lock-sheet.js';
import { failImport, finishImport, type ImportState, prepareImport } from './import-steps.js';
import { ImportOperation } from './import-operation.entity.js';
import { type Importer, ImportFailure, Importers } from './importer.js';
import { deleteHidden, deleteWritten, writeRows } from './written-rows.queries.js';

/** Rows written per transaction: also how much is repeated after a crash. */
const ROWS_PER_STEP = 1000;
/** An import whose worker died so often is not tried again. */
const MAX_ATTEMPTS = 5;

/**
 * Carries out imports. Rows are written where no reader looks yet and appear at once in the last step, so an import
 * that fails leaves the sheet as it was. Every step is remembered: a worker that takes over goes on from there.
 */
@Injectable()
export class ImportRunner implements OnModuleDestroy {
  private readonly log = new Logger(ImportRunner.name);
  private isStopping = false;

  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly importers: Importers,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Works on an import until it has ended. Does nothing when it has, or when another worker has it. */
  async run(workspaceId: number, operationId: string): Promise<void> {
    const operation = await this.claim(workspaceId, operationId);
    if (!operation) return;
    const heartbeat = setInterval(() => this.renewLease(operation), this.config.leaseMs / 3);
    try {
      if (operation.attempts > MAX_ATTEMPTS)
        throw new ImportFailure(`The import was interrupted ${MAX_ATTEMPTS} times.`);
      await this.carryOut(operation);
    } catch (error) {
      // Without a database nothing can be recorded: the lease ends and the sweep takes the import up again.
      if (isConnectionFailure(error)) throw error;
      if (error instanceof Interrupted) await this.giveBack(operation);
      else await this.fail(operation, error as Error);
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** What is not finished is given back after the step that is worked on: another worker goes on at once. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  private renewLease({ workspaceId, id, attempts }: ImportOperation): void {
    const renewal = this.db.query(
      `UPDATE import_operations SET lease_until = now() + $4 * interval '1 millisecond'
        WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'running'`,
      [workspaceId, id, attempts, this.config.leaseMs],
    );
    // When it fails the lease ends, another worker takes over, and every step here notices.
    renewal.catch(() => undefined);
  }

  private async carryOut(operation: ImportOperation): Promise<void> {
    const importer = this.importers.get(operation.source);
    const { workspaceId } = operation;
    const state = (operation.state as unknown as ImportState | null) ?? (await this.plan(operation, importer));
    const { plan } = state;
    let reading = this.readStep(operation, state, operation.rowsAdded ?? 0);
    for (let step = await reading; step; step = await reading) {
      if (this.isStopping) throw new Interrupted();
      const { to } = step;
      const readNext = () => {
        reading = this.readStep(operation, state, to);
        // A failure of the writing comes first; that of the reading must not end the process.
        reading.catch(() => undefined);
      };
      await this.writeStep(operation, state, step, readNext);
    }
    await this.db.transaction(async (tx) => {
      // The sheet before the operation, as everywhere: two orders would deadlock.
      await lockLiveSheet(tx, workspaceId, operation.sheetId);
      await this.keepClaim(tx, operation, { rowsAdded: plan.rowCount, progress: 99 });
      await finishImport(tx, this.types, operation, state);
    });
  }

  private async plan(operation: ImportOperation, importer: Importer): Promise<ImportState> {
    // Outside the transaction: a large file takes a while to look through.
    const plan = await importer.plan(this.db.manager, operation);
    return this.db.transaction(async (tx) => {
      const limits = { types: this.types, maxRows: this.config.maxRowsPerSheet };
      const prepared = await prepareImport(tx, limits, operation, plan);
      await this.keepClaim(tx, operation, { rowsAdded: 0, progress: 0 });
      operation.state = prepared as unknown as JsonObject;
      return prepared;
    });
  }

  /** The step that begins with a row; null after the last one. */
  private async readStep(operation: ImportOperation, { plan }: ImportState, from: number): Promise<Step | null> {
    if (from >= plan.rowCount) return null;
    const to =
      plan.steps?.find((row) => row > from) ??
      Math.min(plan.rowCount, plan.steps ? plan.rowCount : from + ROWS_PER_STEP);
    const values = await this.importers.get(operation.source).read(this.db.manager, operation, plan, { from, to });
    return { from, to, values };
  }

  /** `whileCopying` starts what the process can do while the database is busy, and not before: it would come in the way. */
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
      if (!sheet) throw new ImportFailure('The sheet was deleted.');
      // What an attempt that was broken off may have left.
      await deleteWritten(tx, workspaceId, state, rows);
      whileCopying();
      // They become visible with the next version at the earliest.
      await writeRows(tx, { workspaceId, version: sheet.version + 1 }, state, step);
      const progress = Math.min(99, Math.floor((step.to / state.plan.rowCount) * 100));
      await this.keepClaim(tx, operation, { rowsAdded: step.to, progress });
    });
  }

  /** The workers' race for an import: whoever gets the lease has it. */
  private async claim(workspaceId: number, id: string): Promise<ImportOperation | null> {
    const [claimed] = await this.db.query<[unknown[], number]>(
      `UPDATE import_operations
          SET status = 'running', attempts = attempts + 1, lease_until = now() + $3 * interval '1 millisecond', updated_at = now()
        WHERE workspace_id = $1 AND id = $2 AND status IN ('queued', 'running') AND (lease_until IS NULL OR lease_until < now())
        RETURNING 1`,
      [workspaceId, id, this.config.leaseMs],
    );
    return claimed.length === 0 ? null : this.db.manager.findOneBy(ImportOperation, { workspaceId, id });
  }

  /** Records progress and prolongs the lease; throws when another worker has taken over. */
  private async keepClaim(
    tx: EntityManager,
    operation: ImportOperation,
    progress: { rowsAdded: number; progress: number },
  ) {
    const { workspaceId, id, attempts } = operation;
    const [kept] = await tx.query<[unknown[], number]>(
      `UPDATE import_operations
          SET rows_added = $4, progress = greatest(progress, $5), lease_until = now() + $6 * interval '1 millisecond', updated_at = now()
        WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'running' RETURNING 1`,
      [workspaceId, id, attempts, progress.rowsAdded, progress.progress, this.config.leaseMs],
    );
    if (kept.length === 0) throw new ClaimLost('Another worker has taken the import over.');
  }

  /** As if this worker had never had it, but for the steps that are done. */
  private async giveBack({ workspaceId, id, attempts }: ImportOperation): Promise<void> {
    await this.db.query(
      `UPDATE import_operations SET attempts = attempts - 1, lease_until = NULL
        WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'running'`,
      [workspaceId, id, attempts],
    );
  }

  private async fail(operation: ImportOperation, error: Error): Promise<void> {
    if (error instanceof ClaimLost) return;
    const expected = error instanceof ImportFailure;
    if (!expected) this.log.error(`Import ${operation.id}: ${error.stack ?? error.message}`);
    const message = expected ? error.message : 'The import failed because of an error on the server.';
    try {
      await this.takeBack(operation, message);
    } catch (failure) {
      if (!(failure instanceof ClaimLost)) throw failure;
    }
  }

  /** Removes what was written, some rows at a time from the end: a worker that takes over goes on with that. */
  private async takeBack(operation: ImportOperation, message: string): Promise<void> {
    const { workspaceId, id, sheetId } = operation;
    const { rowsAdded } = await this.db.manager.findOneByOrFail(ImportOperation, { workspaceId, id });
    const state = operation.state as unknown as ImportState | null;
    for (let to = rowsAdded ?? 0; state && to > 0; to -= ROWS_PER_STEP) {
      const rows = { from: Math.max(0, to - ROWS_PER_STEP), to };
      await this.db.transaction(async (tx) => {
        await this.keepClaim(tx, operation, { rowsAdded: rows.from, progress: 0 });
        await deleteWritten(tx, workspaceId, state, rows);
      });
    }
    await this.db.transaction(async (tx) => {
      await lockLiveSheet(tx, workspaceId, sheetId);
      await this.keepClaim(tx, operation, { rowsAdded: 0, progress: 0 });
      if (state) await deleteHidden(tx, workspaceId, state);
      await failImport(tx, operation, message);
    });
  }
}

interface Step {
  from: number;
  to: number;
  values: (string | null)[][];
}

/** The process stops: nothing is wrong with the import itself. */
class Interrupted extends Error {}

/** Another worker, or whoever deleted the sheet, has ended or taken over what this one worked on. */
class ClaimLost extends Error {}
