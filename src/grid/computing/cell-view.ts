import type { EntityManager } from 'typeorm';
import { readJson } from '../../platform/read-json.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { type PendingRows, readPending } from './tasks.queries.js';
import { rangeOf, type RowRange, RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { type CellState, CellWriter } from '../cells/cell-writer.js';
import { addressOf, type CellPlace } from '../cells/cell-places.js';
import { type CellRecord, readCells, readCellsOfRows } from '../cells/cells.queries.js';
import { type LargeValues, readSingleLightCells } from '../cells/large-values.js';
import { ChunkStates } from '../states/chunk-states.js';
import type { CellJson, CellStatus } from '../cells/cell-json.js';

/** The stored cells of a range and their states, now or at a version. */
export interface CellFacts {
  records: CellRecord[];
  states: ChunkStates;
  pending: PendingRows[];
}

/** Some columns of a sheet over a range of rows, as readers see them: stored cells and their states. */
export class CellView {
  /** By column key and row. */
  private readonly cells = new Map<string, Map<number, CellRecord>>();
  private readonly writers = new Map<string, CellWriter>();
  private readonly times = new Timestamps();

  /** `computed` holds the keys of the columns whose cells have a state. */
  constructor(
    private readonly sheet: Pick<Sheet, 'id'>,
    private readonly computed: Set<string>,
    private readonly facts: CellFacts,
  ) {
    for (const record of facts.records) {
      let column = this.cells.get(record.columnKey);
      if (!column) this.cells.set(record.columnKey, (column = new Map()));
      column.set(record.rowIndex, record);
    }
  }

  /** Reads at one moment when the transaction is REPEATABLE READ or holds the lock of the sheet. */
  static async read(
    tx: EntityManager,
    sheet: Sheet,
    columns: SheetColumns,
    range: { list: SheetColumn[]; rows: RowRange; single?: number[]; records?: CellRecord[] },
  ) {
    const columnKeys = range.list.map((column) => column.key);
    const part = { workspaceId: sheet.workspaceId, columnKeys };
    const read = () => {
      if (columnKeys.length === 0) return [];
      return range.single
        ? readCellsOfRows(tx, { ...part, rows: range.single })
        : readCells(tx, { ...part, rows: range.rows });
    };
    return CellView.of(tx, sheet, columns, { ...range, records: range.records ?? (await read()) });
  }

  /** The same for single cells, which may be far apart. The large values of `large` are marks in them. */
  static async readSingle(
    tx: EntityManager,
    { sheet, columns, large }: { sheet: Sheet; columns: SheetColumns; large: LargeValues },
    places: CellPlace[],
  ) {
    const records = large.mark(await readSingleLightCells(tx, sheet.workspaceId, places.map(addressOf)));
    const list = [...new Set(places.map(({ column }) => column))];
    const rows = rangeOf(RowSet.of(places.map(({ rowIndex }) => rowIndex)));
    return CellView.of(tx, sheet, columns, { list, rows, records });
  }

  private static async of(
    tx: EntityManager,
    sheet: Sheet,
    columns: SheetColumns,
    { list, rows, records }: { list: SheetColumn[]; rows: RowRange; records: CellRecord[] },
  ) {
    const computed = list.filter((column) => columns.rules(column).hasStates).map((column) => column.key);
    const states = await ChunkStates.read(tx, sheet.workspaceId, computed, rows);
    const shown = RowSet.range(rows.from, rows.to);
    const pending =
      computed.length > 0 ? (await readPending(tx, sheet)).filter((task) => task.rows.overlaps(shown)) : [];
    return new CellView(sheet, new Set(computed), { records, states, pending });
  }

  /** The same states with other cells. */
  withRecords(records: CellRecord[]): CellView {
    return new CellView(this.sheet, this.computed, { ...this.facts, records });
  }

  cell(column: SheetColumn, rowIndex: number): CellJson {
    return readJson<CellJson>(this.json(column, rowIndex));
  }

  /** A cell as JSON text. */
  json(column: SheetColumn, rowIndex: number): string {
    const record = this.cells.get(column.key)?.get(rowIndex);
    const status = this.computed.has(column.key) ? this.stateOf(column.key, rowIndex) : null;
    return this.writer(column).write(rowIndex, record, {
      status: status ?? 'completed',
      updatedAt: this.times.of(record?.updatedMs ?? column.createdAt.getTime()),
      lastComputedVersion: status ? lastComputed(record, status) : null,
    });
  }

  status(column: SheetColumn, rowIndex: number): CellStatus {
    return this.computed.has(column.key) ? this.stateOf(column.key, rowIndex) : 'completed';
  }

  private writer(column: SheetColumn): CellWriter {
    let writer = this.writers.get(column.key);
    if (!writer) this.writers.set(column.key, (writer = new CellWriter(this.sheet, column)));
    return writer;
  }

  private stateOf(columnKey: string, row: number): CellStatus {
    const { states, pending } = this.facts;
    const task = pending.find((candidate) => candidate.columnKey === columnKey && candidate.rows.has(row));
    if (task) return task.running ? 'running' : 'queued';
    if (states.isStale(columnKey, row)) return 'stale';
    return states.isFailed(columnKey, row) ? 'error' : 'completed';
  }
}

/** ISO 8601 texts of times. Cells that were written together share one. */
class Timestamps {
  private ms = NaN;
  private text = '';

  of(ms: number): string {
    if (ms !== this.ms) this.text = new Date(ms).toISOString();
    this.ms = ms;
    return this.text;
  }
}

/**
 * The version that computed the cell. Answers of people carry no execution but count as computed; a text from before
 * the column was computed does not.
 */
function lastComputed(record: CellRecord | undefined, status: CellStatus): number | null {
  if (!record) return null;
  return record.executionId !== null || status === 'completed' ? record.version : null;
}

/**
 * The cells of a new column as JSON text. Nothing is stored about them yet, so they differ only in their row. There may
 * be a hundred thousand.
 */
export function* freshCells(sheet: Sheet, column: SheetColumn, blank: boolean): Generator<string> {
  const writer = new CellWriter(sheet, column);
  const state: CellState = {
    status: blank ? 'completed' : 'stale',
    updatedAt: column.createdAt.toISOString(),
    lastComputedVersion: null,
  };
  for (const rowIndex of sheet.rows) yield writer.write(rowIndex, undefined, state);
}
