import { DataSource } from 'typeorm';
import { type Caller, FindsInPath, type PathLookup } from '../../access/index.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, readingOrder } from '../../platform/http/list.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { parseConfig } from '../../grid/column-type/parse-config.js';
import { addColumn, type ColumnInput } from '../../grid/column-edits/add-column.js';
import { findCreatableType, isTypeName } from '../../grid/columns/creatable-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import type { ColumnPath } from './columns.dto.js';

const TEXT = 'TEXT';

interface ColumnPage {
  cursor?: string;
  limit: number;
  order: Order;
  withSystem: boolean;
}

@FindsInPath({ name: 'column_id', ids: { table_id: 'uuid', sheet_id: 'uuid', column_id: 'uuid' } })
export class ColumnsService implements PathLookup<ColumnPath> {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
  ) {}

  /** Adds a column at the end. The cells of a computed one are queued in the same transaction. */
  async create(caller: Caller, path: SheetPath, given: ColumnInput & { type: string | null }) {
    const { type, input } = typed(this.types, given);
    // Validated before the sheet is locked.
    parseConfig(type, input.config);
    const created = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const adding = { types: this.types, type, createdBy: caller.keyName };
      return { sheet, ...(await addColumn(tx, adding, sheet, input)) };
    });
    this.notifier.notify(created.queued);
    return created;
  }

  async findInPath(caller: Caller, path: ColumnPath): Promise<SheetColumn> {
    const sheet = await getSheet(this.db.manager, addressOf(caller, path));
    return (await SheetColumns.read(this.db.manager, this.types, sheet)).require(path.column_id);
  }

  /** Up to `limit + 1` columns in the order they are shown. */
  async list(caller: Caller, path: SheetPath, page: ColumnPage) {
    const sheet = await getSheet(this.db.manager, addressOf(caller, path));
    const columns = await SheetColumns.read(this.db.manager, this.types, sheet);
    const position = page.cursor ? decodePosition(columnOrder(path, page.order), page.cursor, ['number']) : null;
    const order = readingOrder(page.order, position);
    const list = columns.shown(page);
    const ordered = order === 'asc' ? list : list.toReversed();
    const beside = (position?.values[0] ?? null) as number | null;
    const rest = ordered.filter(({ positionRank }) => isBeyond(positionRank, beside, order));
    return { columns, list: rest.slice(0, page.limit + 1) };
  }
}

/**
 * Returns a column with its type. Without a type in the request, it is the one named in the config, which is removed
 * from the config, or else text.
 */
export function typed(types: ColumnTypes, { type: name, ...input }: ColumnInput & { type: string | null }) {
  if (name !== null) return { type: findCreatableType(types, name), input };
  const { type: named, ...config } = input.config;
  if (typeof named !== 'string' || !isTypeName(types, named)) return { type: findCreatableType(types, TEXT), input };
  return { type: findCreatableType(types, named), input: { ...input, config } };
}

export function columnOrder(path: SheetPath, order: Order): ListOrder {
  return { sort: `position_rank:${path.sheet_id.toLowerCase()}`, order };
}

function isBeyond(rank: number, after: number | null, order: Order): boolean {
  if (after === null) return true;
  return order === 'asc' ? rank > after : rank < after;
}
