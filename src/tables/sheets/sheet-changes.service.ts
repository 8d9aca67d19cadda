import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import type { AutoRecalculate } from '../../grid/shared/auto-recalculate.js';
import { SHEET_DELETED } from '../../grid/shared/lock-sheet.js';
import { noteStale } from '../../grid/states/stale-notes.js';
import { recordVersion } from '../../grid/shared/record-version.js';
import { endWork } from './end-work.js';
import { lockTable } from './insert-sheet.js';
import { lockSheet } from './lock-sheet.js';
import { packSheets, placeSheet } from './sheet-order.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import type { SheetPath } from './sheets.dto.js';
import { addressOf } from './sheets.service.js';

export interface SheetPatch {
  title?: string | null;
  index?: number | null;
  auto_recalculate?: AutoRecalculate | null;
}

/** Renames, moves, configures and deletes sheets. */
@Injectable()
export class SheetChangesService {
  constructor(private readonly db: DataSource) {}

  /** Changes the given fields that are not null; makes a version when anything is different afterwards. */
  update(caller: Caller, path: SheetPath, input: SheetPatch): Promise<Sheet> {
    const address = addressOf(caller, path);
    return this.db.transaction(async (tx) => {
      // Lock the table before the sheet everywhere, to prevent deadlocks.
      await lockTable(tx, address.workspaceId, address.tableId);
      const sheet = await lockSheet(tx, address);
      await this.follow(tx, sheet, input.auto_recalculate ?? sheet.autoRecalculate);
      const before = { title: sheet.title, index: sheet.index };
      sheet.title = input.title ?? sheet.title;
      if (input.index !== undefined && input.index !== null) {
        sheet.index = await placeSheet(tx, address, { sheetId: sheet.id, index: input.index });
      }
      const after = { title: sheet.title, index: sheet.index };
      if (before.title === after.title && before.index === after.index) return sheet;
      await tx.update(Sheet, { workspaceId: address.workspaceId, id: sheet.id }, after);
      const deltas = [{ type: 'sheet.update', before, after }];
      await recordVersion(tx, sheet, { deltas, createdBy: caller.keyName });
      return sheet;
    });
  }

  /** The setting belongs to no version: restoring an earlier one does not change it. */
  private async follow(tx: EntityManager, sheet: Sheet, autoRecalculate: AutoRecalculate): Promise<void> {
    if (autoRecalculate === sheet.autoRecalculate) return;
    sheet.autoRecalculate = autoRecalculate;
    await tx.update(Sheet, { workspaceId: sheet.workspaceId, id: sheet.id }, { autoRecalculate });
    noteStale(tx, sheet, sheet.rows);
  }

  /** Hides the sheet and everything in it, and ends its computations and imports. */
  delete(caller: Caller, path: SheetPath): Promise<void> {
    const address = addressOf(caller, path);
    return this.db.transaction(async (tx) => {
      const { workspaceId } = await lockTable(tx, address.workspaceId, address.tableId);
      const sheet = await lockSheet(tx, address);
      await endWork(tx, sheet, SHEET_DELETED);
      await tx.update(Sheet, { workspaceId, id: sheet.id }, { deletedAt: new Date() });
      await packSheets(tx, address);
      await audit(tx, caller, { action: 'sheet.delete', entityId: sheet.id, details: { name: sheet.title } });
    });
  }
}
