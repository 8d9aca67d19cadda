import type { EntityManager } from 'typeorm';
import { type CellText, readCellTexts, readCellTextsAt } from '../cells/cell-texts.queries.js';
import { type CellJudgement, readJudgements } from '../cells/cell-verdicts.queries.js';
import { CellView } from '../computing/cell-view.js';
import type { CellRecord, GridRange } from '../cells/cells.queries.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import type { RowRange, RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { findVersion } from './find-version.js';
import {
  readCellsAt,
  readColumnsAt,
  readRowSizes,
  readSizesOfRows,
  readStatesAt,
  type RowSize,
} from './grid-at-version.queries.js';
import type { SheetVersion } from '../shared/sheet-version.entity.js';

/** Some columns over a range of rows. */
export interface GridPart {
  list: SheetColumn[];
  rows: RowRange;
  /** Set for only these rows of the range, because they are far apart. A past grid reads the whole range anyway. */
  single?: number[];
  /** Its cells, if they have been read already or are read later. */
  records?: CellRecord[];
}

/** The columns and rows of a sheet, as they are now or as they were at one of its versions. */
export interface SheetGrid {
  workspaceId: number;
  version: number;
  rows: RowSet;
  columns: SheetColumns;
  /** The cells of a part of it. For a past grid, the transaction may be another one than that of the grid. */
  view(tx: EntityManager, part: GridPart): Promise<CellView>;
  /** The beginnings of the texts in a part. */
  texts(tx: EntityManager, part: GridPart): Promise<CellText[]>;
  /** The verdicts of the judged cells of a part. */
  judgements(tx: EntityManager, part: GridPart): Promise<CellJudgement[]>;
  /** The sizes of the rows of a part. */
  sizes(tx: EntityManager, part: GridPart): Promise<RowSize[]>;
}

/**
 * The grid of a sheet at a version, given by number or id, or as it is now when none is given. Throws
 * version_not_found.
 */
export async function readGrid(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  reference: string | undefined,
): Promise<SheetGrid> {
  if (reference !== undefined) return PastGrid.read(tx, types, sheet, await findVersion(tx, sheet, reference));
  return currentGrid(sheet, await SheetColumns.read(tx, types, sheet));
}

/** A sheet as it is now. */
export function currentGrid(sheet: Sheet, columns: SheetColumns): SheetGrid {
  const { workspaceId, version, rows } = sheet;
  return {
    workspaceId,
    version,
    rows,
    columns,
    view: (tx, part) => CellView.read(tx, sheet, columns, part),
    texts: (tx, part) => readCellTexts(tx, { ...rangeOf(workspaceId, part), single: part.single }),
    judgements: (tx, part) => readJudgements(tx, { ...rangeOf(workspaceId, part), single: part.single }),
    sizes: (tx, part) =>
      part.single
        ? readSizesOfRows(tx, { ...rangeOf(workspaceId, part), rows: part.single })
        : readRowSizes(tx, rangeOf(workspaceId, part), null),
  };
}

/**
 * A sheet at one of its versions. A version below the newest never changes, so its parts may be read in separate
 * transactions. No cell in it is queued or running: such cells show their other state.
 */
export class PastGrid implements SheetGrid {
  private constructor(
    private readonly sheet: Sheet,
    readonly version: number,
    readonly rows: RowSet,
    readonly columns: SheetColumns,
  ) {}

  static async read(tx: EntityManager, types: ColumnTypes, sheet: Sheet, version: SheetVersion): Promise<PastGrid> {
    const { list, edges } = await readColumnsAt(tx, sheet, version.number);
    return new PastGrid(sheet, version.number, version.rows, new SheetColumns(list, edges, types));
  }

  get workspaceId(): number {
    return this.sheet.workspaceId;
  }

  async view(tx: EntityManager, part: GridPart): Promise<CellView> {
    const { workspaceId } = this.sheet;
    const { list, rows } = part;
    const stateful = this.stateKeys(list);
    const states = await readStatesAt(tx, { workspaceId, columnKeys: stateful, rows }, this.version);
    const read = () => (list.length > 0 ? readCellsAt(tx, rangeOf(workspaceId, part), this.version) : []);
    const records = part.records ?? (await read());
    return new CellView(this.sheet, new Set(stateful), { records, states, pending: [] });
  }

  texts(tx: EntityManager, part: GridPart): Promise<CellText[]> {
    return readCellTextsAt(tx, rangeOf(this.workspaceId, part), this.version);
  }

  judgements(tx: EntityManager, part: GridPart): Promise<CellJudgement[]> {
    return readJudgements(tx, rangeOf(this.workspaceId, part), this.version);
  }

  sizes(tx: EntityManager, part: GridPart): Promise<RowSize[]> {
    return readRowSizes(tx, rangeOf(this.workspaceId, part), this.version);
  }

  /** The columns among these whose cells have a state. */
  stateKeys(list: SheetColumn[]): string[] {
    return list.filter((column) => this.columns.rules(column).hasStates).map((column) => column.key);
  }
}

function rangeOf(workspaceId: number, { list, rows }: GridPart): GridRange {
  return { workspaceId, columnKeys: list.map((column) => column.key), rows };
}
