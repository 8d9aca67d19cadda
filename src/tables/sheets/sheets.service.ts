import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { decodeCursor, type ListOrder } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';
import { type PromptFilters, promptConditions } from '../grid/prompt-links/column-prompts.queries.js';
import { getSheet, getTable } from './lock-sheet.js';
import { Sheet } from '../grid/sheet.entity.js';
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
    { tableId, filters }: { tableId: string; filters: PromptFilters },
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<Sheet[]> {
    const { workspaceId } = caller;
    const table = await getTable(this.db.manager, workspaceId, tableId);
    const query = this.db.manager
      .createQueryBuilder(Sheet, 's')
      .where('s.workspaceId = :workspaceId AND s.tableId = :tableId AND s.deletedAt IS NULL')
      .setParameters({ workspaceId, tableId: table.id })
      .orderBy('s.index', page.order === 'asc' ? 'ASC' : 'DESC')
      .limit(page.limit + 1);
    for (const condition of promptConditions(filters, 's.id')) query.andWhere(condition, filters);
    if (page.cursor) {
      const [after] = decodeCursor(sheetOrder(table.id, filters, page.order), page.cursor, ['number']);
      query.andWhere(`s.index ${page.order === 'asc' ? '>' : '<'} :after`, { after });
    }
    return query.getMany();
  }
}

export function sheetOrder(tableId: string, filters: PromptFilters, order: Order): ListOrder {
  return { sort: `sheets:${tableId}`, order, filters };
}

export function addressOf(caller: Caller, path: SheetPath) {
  return {
    workspaceId: caller.workspaceId,
    tableId: path.table_id.toLowerCase(),
    sheetId: path.sheet_id.toLowerCase(),
  };
}
