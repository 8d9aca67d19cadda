import { Injectable } from '@nestjs/common';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import type { Sheet } from '../grid/sheet.entity.js';
import { CellStates } from '../rows/cell-states.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { type ColumnStatistics, type FrequentText, readStatistics } from './summary.queries.js';

export interface ColumnSummary {
  column: SheetColumn;
  /** Cells by status. */
  failed: number;
  stale: number;
  pending: number;
  /** Nothing for a column without any stored cell. */
  statistics: ColumnStatistics | undefined;
  frequent: FrequentText[];
}

export interface SheetSummary {
  sheet: Sheet;
  columns: ColumnSummary[];
}

@Injectable()
export class SummariesService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /** Every column of a sheet in figures, as it is at one moment. */
  read(caller: Caller, path: SheetPath, options: { withSystem: boolean }): Promise<SheetSummary> {
    return this.reading.read(async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const states = await CellStates.read(tx, sheet, columns);
      const shown = columns.shown(options);
      const { statistics, frequent } = await readStatistics(tx, sheet, shown);
      return { sheet, columns: shown.map((column) => summarize(column, { states, statistics, frequent })) };
    });
  }
}

function summarize(
  column: SheetColumn,
  read: { states: CellStates; statistics: ColumnStatistics[]; frequent: FrequentText[] },
): ColumnSummary {
  const count = (status: 'error' | 'stale' | 'queued' | 'running') => read.states.rowsWith(column, status).count;
  return {
    column,
    failed: count('error'),
    stale: count('stale'),
    pending: count('queued') + count('running'),
    statistics: read.statistics.find(({ key }) => key === column.key),
    frequent: read.frequent.filter(({ key }) => key === column.key),
  };
}
