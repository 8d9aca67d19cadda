import { DataSource, IsNull } from 'typeorm';
import { type Caller, FindsInPath, type PathLookup } from '../../access/index.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, readingOrder } from '../../platform/http/list.js';
import { type PromptFilters, promptConditions } from '../../grid/prompt-links/column-prompts.queries.js';
import { getSheet, getTable } from './lock-sheet.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import type { SheetPath } from './sheets.dto.js';

@FindsInPath({ name: 'sheet_id', ids: { table_id: 'uuid', sheet_id: 'uuid' } })
export class SheetsService implements PathLookup<SheetPath> {
  constructor(private readonly db: DataSource) {}

  get(caller: Caller, path: SheetPath): Promise<Sheet> {
    return getSheet(this.db.manager, addressOf(caller, path));
  }

  findInPath(caller: Caller, path: SheetPath): Promise<Sheet> {
    return this.get(caller, path);
  }

  /** Up to `limit + 1` sheets by position: the extra one shows that there are more. */
  async list(
    caller: Caller,
    { tableId, filters }: { tableId: string; filters: PromptFilters },
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<Sheet[]> {
    const { workspaceId } = caller;
    const table = await getTable(this.db.manager, workspaceId, tableId);
    const list = sheetOrder(table.id, filters, page.order);
    const position = page.cursor ? decodePosition(list, page.cursor, ['number', 'uuid']) : null;
    const order = readingOrder(page.order, position);
    const query = this.db.manager
      .createQueryBuilder(Sheet, 's')
      .where('s.workspaceId = :workspaceId AND s.tableId = :tableId AND s.deletedAt IS NULL')
      .setParameters({ workspaceId, tableId: table.id })
      .orderBy('s.index', order === 'asc' ? 'ASC' : 'DESC')
      .limit(page.limit + 1);
    for (const condition of promptConditions(filters, 's.id')) query.andWhere(condition, filters);
    if (position) {
      const [index, id] = position.values as [number, string];
      // Earlier sheets may have been added or deleted since.
      const beside = await this.db.manager.findOneBy(Sheet, {
        workspaceId,
        id,
        tableId: table.id,
        deletedAt: IsNull(),
      });
      query.andWhere(`s.index ${order === 'asc' ? '>' : '<'} :beside`, { beside: beside?.index ?? index });
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
