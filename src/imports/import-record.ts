import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../platform/config/config.js';
import { CLAIM_HOLDS, keyOfClaim } from '../platform/work/row-work.js';
import { WorkAborted } from '../platform/work/work-kind.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import type { ImportOperation } from './import-operation.entity.js';
import { finishImport, type ImportState, prepareImport } from './import-steps.js';
import type { ImportPlan } from './importer.js';

export interface Done {
  rowsAdded: number;
  /** Percent. */
  progress: number;
}

/** Records the progress of an import in its operation and in its sheet. */
@Injectable()
export class ImportRecord {
  constructor(
    private readonly types: ColumnTypes,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Reserves the rows and creates the missing columns, hidden. */
  prepare(tx: EntityManager, operation: ImportOperation, plan: ImportPlan): Promise<ImportState> {
    return prepareImport(tx, { types: this.types, maxRows: this.config.maxRowsPerSheet }, operation, plan);
  }

  /** Shows the rows and columns, and ends the operation. */
  finish(tx: EntityManager, operation: ImportOperation, state: ImportState): Promise<void> {
    return finishImport(tx, this.types, operation, state);
  }

  /**
   * Records progress and renews the lease; throws when another worker has taken over. Returns whether the import was
   * cancelled.
   */
  async progress(tx: EntityManager, operation: ImportOperation, { rowsAdded, progress }: Done): Promise<boolean> {
    const [[row]] = await tx.query<[{ is_cancelled: boolean }[], number]>(
      `UPDATE import_operations
          SET rows_added = $4, progress = greatest(progress, $5), lease_until = now() + $6 * interval '1 millisecond', updated_at = now()
        WHERE ${CLAIM_HOLDS} RETURNING cancelled_at IS NOT NULL AS is_cancelled`,
      [...keyOfClaim(operation), rowsAdded, progress, this.config.leaseMs],
    );
    if (!row) throw new WorkAborted('lease_lost');
    return row.is_cancelled;
  }
}
