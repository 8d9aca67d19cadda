import type { EntityManager } from 'typeorm';
import type { CellView } from '../computing/cell-view.js';
import { LargeValues } from '../cells/large-values.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { rangeOf, RowSet } from '../shared/row-set.js';
import { readLightCellsAt, type RowSize } from './grid-at-version.queries.js';
import type { GridPart, SheetGrid } from './sheet-grid.js';

/** Bytes, as stored, that one statement reads, and that a page may have unless one row has more. */
const AT_ONCE = 2 * 1024 * 1024;
const PER_PAGE = 16 * 1024 * 1024;

/** The rows to write, and how. */
export interface RowWriting {
  list: SheetColumn[];
  indexes: number[];
  /**
   * True when the last row comes first on the page. Rows that do not fit are left out at the end of `indexes` anyway.
   */
  isReversed?: boolean;
  /** True when no row may be left out, however long the answer becomes. */
  isWhole?: boolean;
  /** A row as JSON text. */
  write(view: CellView, index: number): string;
}

export type RowTexts = {
  /** The rows that fit into a page: at least one. */
  indexes: number[];
} & (
  | { texts: string[]; pieces: null }
  /** Separated by commas, and read during sending, because they are long. */
  | { texts: null; pieces: AsyncGenerator<string> }
);

/** Rows as JSON texts of any size: parts that do not fit into memory are read on demand. */
export async function readRowTexts(tx: EntityManager, grid: SheetGrid, writing: RowWriting): Promise<RowTexts> {
  const { list, indexes, write, isReversed, isWhole } = writing;
  const inOrder = <T>(items: T[]): T[] => (isReversed ? items.toReversed() : items);
  if (indexes.length === 0) return { indexes, texts: [], pieces: null };
  const sizes = await grid.sizes(tx, partOf(list, indexes));
  if (sizes.reduce((sum, { bytes }) => sum + bytes, 0) <= AT_ONCE) {
    const view = await grid.view(tx, partOf(list, indexes));
    const shown = inOrder(indexes);
    return { indexes: shown, texts: shown.map((index) => write(view, index)), pieces: null };
  }
  const batches = inOrder(batchesOf(indexes, sizes, isWhole ? Infinity : PER_PAGE)).map(inOrder);
  const shown = batches.flat();
  const view = await grid.view(tx, { list, rows: hull(shown), records: [] });
  const { connection } = tx;
  return { indexes: shown, texts: null, pieces: readBatches(connection.manager, grid, { ...writing, batches, view }) };
}

/**
 * Each batch is read in a separate transaction, so that none waits for a client. The cells are those of the version.
 */
async function* readBatches(
  db: EntityManager,
  grid: SheetGrid,
  { list, batches, view, write }: RowWriting & { batches: number[][]; view: CellView },
): AsyncGenerator<string> {
  const { workspaceId } = grid;
  const columnKeys = list.map((column) => column.key);
  let separator = '';
  for (const indexes of batches) {
    const large = new LargeValues(db, workspaceId);
    const part = { workspaceId, columnKeys, rows: indexes };
    const cells = view.withRecords(large.mark(await readLightCellsAt(db, part, grid.version)));
    for (const index of indexes) {
      yield* large.fill(separator + write(cells, index));
      separator = ',';
    }
  }
}

/** Groups the rows of a page so that each group fits into memory; a large row is a group by itself. */
function batchesOf(indexes: number[], sizes: RowSize[], most: number): number[][] {
  const bytesOf = new Map(sizes.map(({ row, bytes }) => [row, bytes]));
  const batches: number[][] = [];
  let [total, inBatch] = [0, Infinity];
  for (const index of indexes) {
    const bytes = bytesOf.get(index) ?? 0;
    if (batches.length > 0 && total + bytes > most) break;
    total += bytes;
    inBatch += bytes;
    if (inBatch > AT_ONCE) {
      batches.push([]);
      inBatch = bytes;
    }
    batches.at(-1)!.push(index);
  }
  return batches;
}

/** Rows from a filter or a sort may be far apart: the cells between them are then not read. */
export function partOf(list: SheetColumn[], indexes: number[]): GridPart {
  const rows = hull(indexes);
  const isSparse = rows.to - rows.from > 2 * indexes.length;
  return { list, rows, ...(isSparse && { single: indexes }) };
}

const hull = (indexes: number[]) => rangeOf(RowSet.of(indexes));
