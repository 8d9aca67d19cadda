import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { changeColumn, type ChangedColumn, removeColumn } from '../../grid/column-edits/change-column.js';
import type { ColumnPatch } from '../../grid/columns/column-change.js';
import { moveColumn } from '../../grid/column-edits/move-column.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { countStates } from '../../grid/computing/count-states.js';
import { lockSheet } from '../sheets/lock-sheet.js';
import { addressOf } from '../sheets/sheets.service.js';
import type { ColumnPath } from './columns.dto.js';

/** Changes and deletes columns. Cells are only recomputed on request. */
@Injectable()
export class ColumnChangesService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
  ) {}

  /** A change that also moves the column makes two versions: the move is the second one. */
  async update(
    caller: Caller,
    path: ColumnPath,
    { position, ...patch }: ColumnPatch & { type?: string; position?: number },
  ): Promise<ChangedColumn> {
    const changed = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const target = { sheet, columnId: path.column_id, createdBy: caller.keyName };
      const inPlace = await changeColumn(tx, this.types, target, patch);
      if (position === undefined) return inPlace;
      const moved = await moveColumn(tx, this.types, target, position);
      const ids = new Set([...inPlace.affected, ...moved.affected].map(({ id }) => id));
      return { ...moved, affected: moved.columns.ofSheet.filter(({ id }) => ids.has(id)) };
    });
    this.notifier.notifyBoth();
    return changed;
  }

  async delete(caller: Caller, path: ColumnPath): Promise<{ staleCount: number; version: number }> {
    const deleted = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const target = { sheet, columnId: path.column_id, createdBy: caller.keyName };
      const { removed, left } = await removeColumn(tx, this.types, target);
      await audit(tx, caller, { action: 'column.delete', entityId: removed.id, details: { name: removed.title } });
      return { staleCount: (await countStates(tx, sheet, left)).STALE, version: sheet.version };
    });
    this.notifier.notifyBoth();
    return deleted;
  }
}
