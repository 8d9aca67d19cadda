import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan, MoreThan } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { decodeCursor, type ListOrder } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';
import { getSheet, getTable } from './lock-sheet.js';
import { Sheet } from './sheet.entity.js';
import type { SheetPath } from './sheets.dto.js';

@Injectable()
export class SheetsService {
  constructor(private readonly db: DataSource) {}

  get(caller: Caller, path: SheetPath): Promise<Sheet> {
    return getSheet(this.db.manager, addressOf(caller, path));
  }

  /** Up to `limit + 1` sheets by position: the extra one tells that there are more. */
  async list(
    caller: Caller,
    tableId: string,
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<Sheet[]> {
    const { workspaceId } = caller;
    const table = await getTable(this.db.manager, workspaceId, tableId);
    const [after] = page.cursor ? decodeCursor(sheetOrder(table.id, page.order), page.cursor, ['number']) : [null];
    const beyond = page.order === 'asc' ? MoreThan(after as number) : LessThan(after as number);
    return this.db.manager.find(Sheet, {
      where: { workspaceId, tableId: table.id, deletedAt: IsNull(), ...(after !== null && { index: beyond }) },
      order: { index: page.order },
      take: page.limit + 1,
    });
  }
}

export function sheetOrder(tableId: string, order: Order): ListOrder {
  return { sort: `sheets:${tableId}`, order };
}

export function addressOf(caller: Caller, path: SheetPath) {
  return {
    workspaceId: caller.workspaceId,
    tableId: path.table_id.toLowerCase(),
    sheetId: path.sheet_id.toLowerCase(),
  };
}
