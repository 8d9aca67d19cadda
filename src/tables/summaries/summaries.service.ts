import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { readSummary, type SheetSummary } from './read-summary.js';

@Injectable()
export class SummariesService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /** Summarizes every column of a sheet from one snapshot. */
  read(caller: Caller, path: SheetPath, options: { withSystem: boolean }): Promise<SheetSummary> {
    return this.reading.read(async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      return readSummary(tx, sheet, columns, { shown: columns.shown(options), rows: sheet.rows });
    });
  }
}
