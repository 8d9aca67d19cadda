import { Inject, Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { isConnectionFailure } from '../../platform/database/failures.js';
import { type NewCell, writeCells } from '../cells/cells.queries.js';
import { ColumnTypes } from '../column-types/column-type.js';
import { lockLiveSheet } from '../sheets/lock-sheet.js';
import { finishImport, type ImportState, prepareImport } from './import-steps.js';
import { ImportOperation } from './import-operation.entity.js';
import { ImportFailure, Importers } from './importer.js';

/** Rows written per transaction: also how much is repeated after a crash. */
const ROWS_PER_STEP = 1000;
/** An import whose worker died so often is not tried again. */
const MAX_ATTEMPTS = 5;

/**
 * Carries out imports. Rows are written where no reader looks yet and appear at once in the last step, so an import
 * that fails leaves the sheet as it was. Every step is remembered: a worker that takes over goes on from there.
 */
@Injectable()
export class ImportRunner {
  private readonly log = new Logger(ImportRunner.name);

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
      await this.fail(operation, error as Error);
    } finally {
      clearInterval(heartbeat);
    }
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
    const state =
      (operation.state as unknown as ImportState | null) ??
      (await this.db.transaction(async (tx) => {
        const plan = await importer.plan(tx, workspaceId, operation.request);
        const limits = { types: this.types, maxRows: this.config.maxRowsPerSheet };
        const prepared = await prepareImport(tx, limits, operation, plan);
        await this.keepClaim(tx, operation, { rowsAdded: 0, progress: 0 });
        return prepared;
      }));
    const { plan } = state;
    for (let from = operation.rowsAdded ?? 0; from < plan.rowCount; from += ROWS_PER_STEP) {
      const to = Math.min(from + ROWS_PER_STEP, plan.rowCount);
      const values = await importer.read(this.db.manager, workspaceId, plan, { from, to });
      await this.db.transaction((tx) => this.writeStep(tx, operation, state, { from, to, values }));
    }
    await this.db.transaction(async (tx) => {
      // The sheet before the operation, as everywhere: two orders would deadlock.
      await lockLiveSheet(tx, workspaceId, operation.sheetId);
      await this.keepClaim(tx, operation, { rowsAdded: plan.rowCount, progress: 99 });
      await finishImport(tx, this.types, operation, state);
    });
  }

  private async writeStep(
    tx: EntityManager,
    operation: ImportOperation,
    state: ImportState,
    step: { from: number; to: number; values: (string | null)[][] },
  ): Promise<void> {
    const { workspaceId } = operation;
    const sheet = await lockLiveSheet(tx, workspaceId, operation.sheetId);
    if (!sheet) throw new ImportFailure('The sheet was deleted.');
    const write = { workspaceId, version: sheet.version, executionId: null, mayReplace: true };
    await writeCells(tx, write, toCells(state, step.from, step.values));
    const progress = Math.min(99, Math.floor((step.to / state.plan.rowCount) * 100));
    await this.keepClaim(tx, operation, { rowsAdded: step.to, progress });
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
          SET rows_added = $4, progress = $5, lease_until = now() + $6 * interval '1 millisecond', updated_at = now()
        WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'running' RETURNING 1`,
      [workspaceId, id, attempts, progress.rowsAdded, progress.progress, this.config.leaseMs],
    );
    if (kept.length === 0) throw new ImportFailure('Another worker has taken the import over.');
  }

  private async fail(operation: ImportOperation, error: Error): Promise<void> {
    const { workspaceId, id, attempts } = operation;
    const expected = error instanceof ImportFailure;
    if (!expected) this.log.error(`Import ${id}: ${error.stack ?? error.message}`);
    const errorMessage = expected ? error.message : 'The import failed because of an error on the server.';
    // Only while this worker still has it: a worker that took over must not be stopped by the one before.
    const failure = { status: 'failed' as const, errorMessage, message: null, leaseUntil: null, updatedAt: new Date() };
    await this.db.manager.update(ImportOperation, { workspaceId, id, attempts, status: 'running' }, failure);
  }
}

function toCells({ columnKeys, firstRow }: ImportState, from: number, values: (string | null)[][]): NewCell[] {
  return values.flatMap((row, offset) =>
    row.flatMap((value, index) =>
      value === null ? [] : [{ columnKey: columnKeys[index]!, rowIndex: firstRow + from + offset, value }],
    ),
  );
}
