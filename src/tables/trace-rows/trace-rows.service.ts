import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json.js';
import { SpanTrees } from '../../traces/index.js';
import type { CellJson } from '../../grid/cells/cell-json.js';
import { CellView } from '../../grid/computing/cell-view.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import { addTraceRow } from './add-trace-row.js';

/** A trace and the sheet to add it to. */
export interface TraceForSheet {
  tableId: string;
  sheetId: string;
  traceId: string;
  spanId: string | null;
  metadata: JsonObject;
}

export interface AddedTraceRow {
  rowIndex: number;
  /** By column id, with those of metadata columns. */
  cells: Record<string, CellJson>;
  version: number;
}

/** Adds traces to sheets. */
@Injectable()
export class TraceRowsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly trees: SpanTrees,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async add(caller: Caller, { tableId, sheetId, traceId, spanId, metadata }: TraceForSheet): Promise<AddedTraceRow> {
    const address = { workspaceId: caller.workspaceId, tableId, sheetId };
    // Checked before waiting for the trace.
    await getSheet(this.db.manager, address);
    demand(caller, 'TABLE_EDIT');
    const tree = await this.trees.get(caller, { traceId, spanId });
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, address);
      const adding = { types: this.types, createdBy: caller.keyName, maxRows: this.config.maxRowsPerSheet };
      const rowIndex = await addTraceRow(tx, sheet, adding, { tree, spanId, metadata });
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const list = columns.shown({ withSystem: true });
      const view = await CellView.read(tx, sheet, columns, { list, rows: { from: rowIndex, to: rowIndex + 1 } });
      const cells = Object.fromEntries(list.map((column) => [column.id, view.cell(column, rowIndex)]));
      return { rowIndex, cells, version: sheet.version };
    });
  }
}
