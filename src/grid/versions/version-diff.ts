import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import type { Order } from '../../platform/http/list.js';
import type { CellAddress } from '../shared/cell-id.js';
import { CellView } from '../computing/cell-view.js';
import type { CellJson } from '../cells/cell-json.js';
import type { LargeValues } from '../cells/large-values.js';
import type { ChunkStates } from '../states/chunk-states.js';
import { stateOf } from '../columns/column-state.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../shared/row-set.js';
import { readStatesAt } from './grid-at-version.queries.js';
import type { PastGrid } from './sheet-grid.js';
import { BEFORE_ALL, findWrittenCells, readCellsAtAddresses, type RowSides } from './version-diff.queries.js';

/** A cell that differs; null on the side where it does not exist. */
export interface CellDifference extends CellAddress {
  older: CellJson | null;
  newer: CellJson | null;
}

/** Columns compared by one statement. */
const COLUMNS_AT_ONCE = 32;
/** Cells whose contents are read at once, and the limit of characters on a page: cells may hold megabytes. */
const CELLS_AT_ONCE = 16;
const CHARACTERS_PER_PAGE = 4 * 1024 * 1024;

interface Column {
  key: string;
  older: SheetColumn | undefined;
  newer: SheetColumn | undefined;
  /** Only rows after this one. */
  after: number;
}

/** The cells after one, or all; backward, those before it. */
export interface DiffWalk {
  after: CellAddress | null;
  order: Order;
  limit: number;
}

/**
 * The cells in which two versions of a sheet differ, by column key and row. It reads only contents written between the
 * versions. Large values are marks of `large`. Blank cells of columns and rows that exist on one side only are left
 * out.
 */
export class VersionDiff {
  private readonly sides: RowSides;

  constructor(
    private readonly workspaceId: number,
    readonly older: PastGrid,
    readonly newer: PastGrid,
    private readonly large: LargeValues,
  ) {
    this.sides = {
      both: older.rows.intersect(newer.rows),
      onlyOlder: older.rows.without(newer.rows),
      onlyNewer: newer.rows.without(older.rows),
    };
  }

  /** A page in the order of the walk. It shows the first `shown` cells; any others mean that there is a next page. */
  async page(tx: EntityManager, walk: DiffWalk): Promise<{ cells: CellDifference[]; shown: number }> {
    const cells: CellDifference[] = [];
    let characters = 0;
    for await (const found of this.differences(tx, { ...walk, limit: walk.limit + 1 })) {
      const isFull = cells.length === walk.limit || (cells.length > 0 && characters > CHARACTERS_PER_PAGE);
      cells.push(found);
      if (isFull) return { cells, shown: cells.length - 1 };
      characters += this.sizeOf(found.older) + this.sizeOf(found.newer);
    }
    return { cells, shown: cells.length };
  }

  private sizeOf(cell: CellJson | null): number {
    return cell ? 2 * this.large.sizeOf(cell.display_value) + (cell.error_message?.length ?? 0) : 0;
  }

  private async *differences(tx: EntityManager, walk: DiffWalk) {
    const columns = this.columnsFrom(walk);
    for (let start = 0; start < columns.length; start += COLUMNS_AT_ONCE) {
      const batch = columns.slice(start, start + COLUMNS_AT_ONCE);
      yield* this.ofColumns(tx, batch, walk);
    }
  }

  /** The columns of both sides by key, from the one in which a page starts. */
  private columnsFrom({ after, order }: DiffWalk): Column[] {
    const keys = new Set([...this.older.columns.ofSheet, ...this.newer.columns.ofSheet].map((column) => column.key));
    const isBefore = (a: string, b: string) => (order === 'asc' ? BigInt(a) < BigInt(b) : BigInt(a) > BigInt(b));
    return [...keys]
      .filter((key) => after === null || !isBefore(key, after.columnKey))
      .sort((a, b) => (isBefore(a, b) ? -1 : 1))
      .map((key) => ({
        key,
        older: this.older.columns.byKey(key),
        newer: this.newer.columns.byKey(key),
        after: after?.columnKey === key ? after.rowIndex : BEFORE_ALL[order],
      }));
  }

  private async *ofColumns(tx: EntityManager, columns: Column[], walk: DiffWalk): AsyncGenerator<CellDifference> {
    const states = {
      older: await this.readStates(tx, 'older', columns),
      newer: await this.readStates(tx, 'newer', columns),
    };
    const written = await this.findWritten(tx, columns, walk);
    for (const column of columns) {
      const restated = this.restated(column, states);
      let rows = mergeRows(written.get(column.key) ?? [], restated, column.after, walk);
      while (rows.length > 0) {
        for (let at = 0; at < rows.length; at += CELLS_AT_ONCE) {
          yield* await this.compare(tx, column, rows.slice(at, at + CELLS_AT_ONCE), states);
        }
        if (rows.length < walk.limit) break;
        const rest = { ...column, after: rows.at(-1)! };
        const more = await this.findWritten(tx, [rest], walk);
        rows = mergeRows(more.get(column.key) ?? [], restated, rest.after, walk);
      }
    }
  }

  private readStates(tx: EntityManager, side: 'older' | 'newer', columns: Column[]): Promise<ChunkStates> {
    const grid = this[side];
    const columnKeys = grid.stateKeys(columns.flatMap((column) => column[side] ?? []));
    const rows = { from: 0, to: grid.rows.end };
    return readStatesAt(tx, { workspaceId: this.workspaceId, columnKeys, rows }, grid.version);
  }

  private async findWritten(
    tx: EntityManager,
    columns: Column[],
    { order, limit }: DiffWalk,
  ): Promise<Map<string, number[]>> {
    const found = new Map<string, number[]>();
    for (const [rows, group] of this.groups(columns)) {
      if (group.length === 0) continue;
      const { workspaceId, older, newer } = this;
      const search = { workspaceId, older: older.version, newer: newer.version, rows, columns: group, order, limit };
      for (const [key, indexes] of await findWrittenCells(tx, search)) found.set(key, indexes);
    }
    return found;
  }

  /** Groups columns by their rows on both sides. A side without a column has no rows for it. */
  private groups(columns: Column[]): [RowSides, Column[]][] {
    const none = { both: RowSet.EMPTY, onlyOlder: RowSet.EMPTY, onlyNewer: RowSet.EMPTY };
    return [
      [this.sides, columns.filter((column) => column.older && column.newer)],
      [{ ...none, onlyOlder: this.older.rows }, columns.filter((column) => !column.newer)],
      [{ ...none, onlyNewer: this.newer.rows }, columns.filter((column) => !column.older)],
    ];
  }

  /** Rows in which the state of the cell differs, with any content. */
  private restated({ key, older, newer }: Column, states: { older: ChunkStates; newer: ChunkStates }): RowSet {
    if (!older || !newer) return RowSet.EMPTY;
    const stale = { older: states.older.stale(key), newer: states.newer.stale(key) };
    const failed = {
      older: states.older.failed(key).without(stale.older),
      newer: states.newer.failed(key).without(stale.newer),
    };
    return symmetricDifference(stale).union(symmetricDifference(failed)).intersect(this.sides.both);
  }

  private async compare(
    tx: EntityManager,
    column: Column,
    rows: number[],
    states: { older: ChunkStates; newer: ChunkStates },
  ): Promise<CellDifference[]> {
    const older = await this.view(tx, 'older', { column, rows, states: states.older });
    const newer = await this.view(tx, 'newer', { column, rows, states: states.newer });
    const { key: columnKey } = column;
    const cells = rows.map((rowIndex) => ({ columnKey, rowIndex, older: older(rowIndex), newer: newer(rowIndex) }));
    return cells.filter(differs);
  }

  /** Returns a function for the cell of a row on one side; null where there is none. */
  private async view(
    tx: EntityManager,
    side: 'older' | 'newer',
    { column, rows, states }: { column: Column; rows: number[]; states: ChunkStates },
  ): Promise<(rowIndex: number) => CellJson | null> {
    const grid = this[side];
    const shown = column[side];
    if (!shown) return () => null;
    const addresses = rows.map((rowIndex) => ({ columnKey: column.key, rowIndex }));
    const found = await readCellsAtAddresses(tx, this.workspaceId, addresses, grid.version);
    const records = this.large.mark(found);
    const view = new CellView({ id: shown.sheetId }, new Set(grid.stateKeys([shown])), {
      records,
      states,
      pending: [],
    });
    return (rowIndex) => (grid.rows.has(rowIndex) ? view.cell(shown, rowIndex) : null);
  }
}

/** The columns in which two versions differ. */
export function columnDifferences(older: SheetColumns, newer: SheetColumns) {
  const whole = (columns: SheetColumns, column: SheetColumn) => ({
    ...stateOf(columns, column),
    positionRank: column.positionRank,
  });
  const changed = newer.ofSheet.flatMap((after) => {
    const before = older.find(after.id);
    return before && !isDeepStrictEqual(whole(older, before), whole(newer, after))
      ? [{ older: before, newer: after }]
      : [];
  });
  return {
    onlyOlder: older.ofSheet.filter((column) => !newer.find(column.id)),
    onlyNewer: newer.ofSheet.filter((column) => !older.find(column.id)),
    changed,
  };
}

/** The first rows of both after one, in the order of the walk. */
function mergeRows(written: number[], restated: RowSet, after: number, { order, limit }: DiffWalk): number[] {
  const rows = new Set([...written, ...restated.page(after, limit, order)]);
  return [...rows].sort((a, b) => (order === 'asc' ? a - b : b - a)).slice(0, limit);
}

function symmetricDifference({ older, newer }: { older: RowSet; newer: RowSet }): RowSet {
  return older.without(newer).union(newer.without(older));
}

function differs({ older, newer }: CellDifference): boolean {
  if (!older || !newer) return isFilled(older ?? newer);
  return !isDeepStrictEqual(comparable(older), comparable(newer));
}

function comparable({ value, display_value, status, error_message }: CellJson) {
  return { value, display_value, status, error_message };
}

function isFilled(cell: CellJson | null): boolean {
  return cell !== null && (cell.value !== null || cell.display_value !== null || cell.error_message !== null);
}
