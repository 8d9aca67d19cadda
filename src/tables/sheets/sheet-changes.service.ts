import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { recordVersion } from '../grid/versions/record-version.js';
import { endWork } from './end-work.js';
import { lockTable } from './insert-sheet.js';
import { lockSheet } from './lock-sheet.js';
import { packSheets, placeSheet } from './sheet-order.js';
import { Sheet } from '../grid/sheet.entity.js';
import type { SheetPath } from './sheets.dto.js';
import { addressOf } from './sheets.service.js';

/** Renames, moves and deletes sheets. */
@Injectable()
export class SheetChangesService {
  constructor(private readonly db: DataSource) {}

  /** Changes what is given and not null; a new version when anything is different afterwards. */
  update(caller: Caller, path: SheetPath, input: { title?: string | null; index?: number | null }): Promise<Sheet> {
    const address = addressOf(caller, path);
    return this.db.transaction(async (tx) => {
      // The table before the sheet, as everywhere: two orders would deadlock.
      await lockTable(tx, address.workspaceId, address.tableId);
      const sheet = await lockSheet(tx, address);
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

  /** Hides the sheet and everything in it, and ends what is being computed and imported. */
  delete(caller: Caller, path: SheetPath): Promise<void> {
    const address = addressOf(caller, path);
    return this.db.transaction(async (tx) => {
      const { workspaceId } = await lockTable(tx, address.workspaceId, address.tableId);
      const sheet = await lockSheet(tx, address);
      await endWork(tx, sheet, 'The sheet was deleted.');
      await tx.update(Sheet, { workspaceId, id: sheet.id }, { deletedAt: new Date() });
      await packSheets(tx, address);
      await audit(tx, caller, { action: 'sheet.delete', entityId: sheet.id, details: { name: sheet.title } });
    });
  }
}
