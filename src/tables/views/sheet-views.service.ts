import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import type { SheetViewRequest } from './sheet-views.dto.js';
import { type ShownView, SheetView } from './sheet-view.entity.js';

const UNSET: ShownView = { hidden: [], pinned: [], widths: {}, rowLines: 1, updatedAt: null };

/** The view of a sheet, which all users share. The last write wins. */
@Injectable()
export class SheetViewsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
  ) {}

  async get(caller: Caller, path: SheetPath): Promise<ShownView> {
    const tx = this.db.manager;
    const sheet = await getSheet(tx, addressOf(caller, path));
    const where = { workspaceId: sheet.workspaceId, sheetId: sheet.id };
    const view = (await tx.findOneBy(SheetView, where)) ?? UNSET;
    const known = new Set((await this.columns(tx, sheet)).ofSheet.map(({ id }) => id));
    const isKnown = (id: string) => known.has(id);
    const widths = Object.fromEntries(Object.entries(view.widths).filter(([id]) => isKnown(id)));
    return {
      hidden: view.hidden.filter(isKnown),
      pinned: view.pinned.filter(isKnown),
      widths,
      rowLines: view.rowLines,
      updatedAt: view.updatedAt,
    };
  }

  /**
   * Replaces the view. It needs no lock, because it is one row and no content of the sheet. Throws column_not_found.
   */
  async put(caller: Caller, path: SheetPath, given: SheetViewRequest): Promise<ShownView> {
    const tx = this.db.manager;
    const sheet = await getSheet(tx, addressOf(caller, path));
    const columns = await this.columns(tx, sheet);
    const idsOf = (ids: string[]) => [...new Set(ids.map((id) => columns.require(id).id))];
    const widths = given.widths.map(({ column_id: id, width }) => [columns.require(id).id, width]);
    const view = {
      hidden: idsOf(given.hidden_column_ids),
      pinned: idsOf(given.pinned_column_ids),
      widths: Object.fromEntries(widths) as Record<string, number>,
      rowLines: given.row_lines ?? UNSET.rowLines,
      updatedAt: new Date(),
    };
    const key = { workspaceId: sheet.workspaceId, sheetId: sheet.id };
    await tx.upsert(SheetView, { ...key, ...view }, ['workspaceId', 'sheetId']);
    return view;
  }

  private columns(tx: EntityManager, sheet: Sheet): Promise<SheetColumns> {
    return SheetColumns.read(tx, this.types, sheet);
  }
}
