import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { decodeCursor, type ListOrder } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { markStale } from '../cells/mark-stale.js';
import { ColumnTypes } from '../column-types/column-type.js';
import { rulesOf } from '../column-types/kinds.js';
import { parseConfig } from '../column-types/parse-config.js';
import { sourceFields } from '../column-types/source-fields.js';
import { linkMirrors } from '../composition/composition-links.js';
import { ComputationBell } from '../computation/computation.processor.js';
import { queueCells } from '../computation/queue-cells.js';
import { linkColumn } from '../prompt-links/column-prompts.queries.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../sheets/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { recordVersion } from '../versions/record-version.js';
import type { SheetColumn } from './column.entity.js';
import { findCreatableType } from './creatable-type.js';
import { insertColumn } from './insert-column.js';
import { insertMetadataColumns } from './metadata-columns.js';
import { type GivenDependency, resolveReferences } from './references.js';
import { SheetColumns } from './sheet-columns.js';

export interface ColumnInput {
  title: string;
  type: string;
  config: JsonObject;
  dependencies: GivenDependency[];
  isOutputColumn?: boolean;
}

interface ColumnPage {
  cursor?: string;
  limit: number;
  order: Order;
  withSystem: boolean;
}

@Injectable()
export class ColumnsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly bell: ComputationBell,
  ) {}

  /** Adds a column at the end. The cells of a computed one are queued in the same transaction. */
  async create(caller: Caller, path: SheetPath, input: ColumnInput) {
    const type = findCreatableType(this.types, input.type);
    const { options } = type;
    const parsed = parseConfig(type, input.config);
    const created = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const { list } = await SheetColumns.read(tx, this.types, sheet);
      const edges = resolveReferences(sourceFields(options.config), parsed, input.dependencies, list);
      const { computes, hasStates } = rulesOf(options.kind);
      const { title, config, isOutputColumn = computes } = input;
      const column = await insertColumn(tx, sheet, { title, type: options.name, config, isOutputColumn, edges });
      await linkColumn(tx, column, type.plugin.prompts?.(parsed) ?? []);
      await linkMirrors(tx, this.types, sheet, [column]);
      if (options.measured) await insertMetadataColumns(tx, sheet, column);
      const version = await recordVersion(tx, sheet, {
        deltas: [{ type: 'column.create', column_id: column.id, after: { title, type: options.name, config } }],
        createdBy: caller.keyName,
      });
      const columns = await SheetColumns.read(tx, this.types, sheet);
      if (hasStates) await markStale(tx, sheet, [column], sheet.rows);
      const queued = computes ? await startFilling(tx, sheet, columns, column) : null;
      return { sheet, column, blank: !hasStates, version, queued, columns };
    });
    this.bell.ring(created.sheet, created.queued);
    return created;
  }

  /** Up to `limit + 1` columns in the order they are shown. */
  async list(caller: Caller, path: SheetPath, page: ColumnPage) {
    const sheet = await getSheet(this.db.manager, addressOf(caller, path));
    const columns = await SheetColumns.read(this.db.manager, this.types, sheet);
    const [after] = page.cursor ? decodeCursor(columnOrder(path, page.order), page.cursor, ['number']) : [null];
    const list = columns.shown(page);
    const ordered = page.order === 'asc' ? list : list.toReversed();
    const rest = ordered.filter(({ positionRank }) => isBeyond(positionRank, after as number | null, page.order));
    return { columns, list: rest.slice(0, page.limit + 1) };
  }
}

async function startFilling(tx: EntityManager, sheet: Sheet, columns: SheetColumns, column: SheetColumn) {
  const selection = new Map([[columns.require(column.id), sheet.rows]]);
  return queueCells(tx, sheet, columns, { selection, skipsBlankRows: true });
}

export function columnOrder(path: SheetPath, order: Order): ListOrder {
  return { sort: `position_rank:${path.sheet_id.toLowerCase()}`, order };
}

function isBeyond(rank: number, after: number | null, order: Order): boolean {
  if (after === null) return true;
  return order === 'asc' ? rank > after : rank < after;
}
