import { comparableText } from '../../platform/comparable-text.js';
import { Brackets, DataSource, type EntityManager, In, IsNull, Like } from 'typeorm';
import { type Caller, FindsInPath, type PathLookup } from '../../access/index.js';
import { lockFolder } from '../../folders/index.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, readingOrder } from '../../platform/http/list.js';
import { type PromptFilters, promptConditions } from '../../grid/prompt-links/column-prompts.queries.js';
import { insertBlankSheet, lockTable } from '../sheets/insert-sheet.js';
import { getTable } from '../sheets/lock-sheet.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
import type { TablePath } from '../sheets/sheets.dto.js';
import { deleteTables } from './delete-tables.js';
import { insertTable } from './insert-table.js';
import { Table } from '../shared/table.entity.js';

export interface TableWithSheets {
  table: Table;
  /** By position. */
  sheets: Sheet[];
}

export interface TableFilters extends PromptFilters {
  name?: string;
  folderId?: number;
}

const UNTITLED = 'Untitled Table';
const UNTITLED_LOCK = 7_261_002;

@FindsInPath({ name: 'table_id', ids: { table_id: 'uuid' } })
export class TablesService implements PathLookup<TablePath> {
  constructor(private readonly db: DataSource) {}

  create(
    caller: Caller,
    input: { title?: string | null; folderId?: number | null; withSheet: boolean },
  ): Promise<TableWithSheets> {
    return this.db.transaction(async (tx) => {
      const { workspaceId } = caller;
      const title = input.title ?? (await nextUntitled(tx, workspaceId));
      const table = await insertTable(tx, caller, { title, folderId: input.folderId ?? null });
      const sheets = input.withSheet ? [await insertBlankSheet(tx, workspaceId, { tableId: table.id })] : [];
      return { table, sheets };
    });
  }

  async get(caller: Caller, id: string): Promise<TableWithSheets> {
    return withSheets(this.db.manager, await getTable(this.db.manager, caller.workspaceId, id));
  }

  findInPath(caller: Caller, { table_id: id }: TablePath): Promise<Table> {
    return getTable(this.db.manager, caller.workspaceId, id);
  }

  /** Changes the given fields: a title of null stays as it is, a folder of null removes the table from its folder. */
  update(
    caller: Caller,
    id: string,
    input: { title?: string | null; folderId?: number | null },
  ): Promise<TableWithSheets> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      await getTable(tx, workspaceId, id);
      const { folderId } = input;
      // Lock the folder before the table everywhere, to prevent deadlocks.
      if (folderId) await lockFolder(tx, workspaceId, folderId);
      const table = await lockTable(tx, workspaceId, id);
      const after = {
        title: input.title ?? table.title,
        folderId: folderId === undefined ? table.folderId : folderId,
      };
      if (after.title !== table.title || after.folderId !== table.folderId) {
        await tx.update(Table, { workspaceId, id: table.id }, { ...after, updatedAt: new Date() });
      }
      return withSheets(tx, await getTable(tx, workspaceId, table.id));
    });
  }

  /** Hides the table and everything in it. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      const table = await lockTable(tx, caller.workspaceId, id);
      await deleteTables(tx, caller, [table.id]);
    });
  }

  /** Up to `limit + 1` tables by creation: the extra one shows that there are more. */
  async list(
    caller: Caller,
    filters: TableFilters,
    page: { cursor?: string; limit: number; order: Order },
  ): Promise<{ table: Table; sheetCount: number }[]> {
    const { workspaceId } = caller;
    const list = tableOrder(page.order, filters);
    const position = page.cursor ? decodePosition(list, page.cursor, ['timestamp', 'uuid']) : null;
    const order = readingOrder(page.order, position);
    const query = this.db.manager
      .createQueryBuilder(Table, 't')
      .where('t.workspaceId = :workspaceId AND t.deletedAt IS NULL', { workspaceId })
      .orderBy('t.createdAt', order === 'asc' ? 'ASC' : 'DESC')
      .addOrderBy('t.id', order === 'asc' ? 'ASC' : 'DESC')
      .limit(page.limit + 1);
    if (filters.name)
      query.andWhere('comparable_text(t.title) ILIKE :name', { name: `%${escapeLike(comparableText(filters.name))}%` });
    if (filters.folderId) query.andWhere('t.folderId = :folderId', { folderId: filters.folderId });
    for (const condition of promptConditions(filters, 's.id')) {
      query.andWhere(
        `EXISTS (SELECT 1 FROM sheets s
          WHERE s.workspace_id = :workspaceId AND s.table_id = t.id AND s.deleted_at IS NULL AND ${condition})`,
        filters,
      );
    }
    if (position) {
      const [createdAt, id] = position.values;
      const beyond = order === 'asc' ? '>' : '<';
      query.andWhere(
        new Brackets((and) => and.where(`(t.createdAt, t.id) ${beyond} (:createdAt, :id)`, { createdAt, id })),
      );
    }
    const tables = await query.getMany();
    const counts = await this.countSheets(workspaceId, tables);
    return tables.map((table) => ({ table, sheetCount: counts.get(table.id) ?? 0 }));
  }

  private async countSheets(workspaceId: number, tables: Table[]): Promise<Map<string, number>> {
    const where = { workspaceId, tableId: In(tables.map((table) => table.id)), deletedAt: IsNull() };
    const sheets = await this.db.manager.find(Sheet, { select: { id: true, tableId: true }, where });
    const counts = new Map<string, number>();
    for (const { tableId } of sheets) counts.set(tableId!, (counts.get(tableId!) ?? 0) + 1);
    return counts;
  }
}

async function withSheets(tx: EntityManager, table: Table): Promise<TableWithSheets> {
  const where = { workspaceId: table.workspaceId, tableId: table.id, deletedAt: IsNull() };
  return { table, sheets: await tx.find(Sheet, { where, order: { index: 'ASC' } }) };
}

export function tableOrder(order: Order, filters: TableFilters): ListOrder {
  return { sort: 'created_at', order, filters };
}

/** "Untitled Table", then "Untitled Table 2", always one more than the highest number in use. */
async function nextUntitled(tx: EntityManager, workspaceId: number): Promise<string> {
  // Two tables created at once must not get the same number.
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [UNTITLED_LOCK, workspaceId]);
  const taken = await tx.find(Table, {
    select: { title: true },
    where: { workspaceId, title: Like(`${UNTITLED}%`), deletedAt: IsNull() },
  });
  const numbers = taken.map(({ title }) =>
    title === UNTITLED ? 1 : Number(/^Untitled Table (\d{1,9})$/.exec(title)?.[1] ?? 0),
  );
  const highest = numbers.reduce((a, b) => Math.max(a, b), 0);
  return highest === 0 ? UNTITLED : `${UNTITLED} ${highest + 1}`;
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
