import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { withinMoment } from '../../platform/database/within-time.js';
import { Spool } from '../../platform/http/spool.js';
import type { JsonValue } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { RowSet } from '../../grid/shared/row-set.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import type { CellMetrics } from '../../grid/column-type/cell-metrics.js';
import { type CellRecord, valueOf } from '../../grid/cells/cells.queries.js';
import { endWithinBytes, readCellsAt } from '../../grid/versions/grid-at-version.queries.js';
import { readGrid } from '../../grid/versions/sheet-grid.js';
import { selectRows } from '../rows/selected-rows.queries.js';
import { RowErrors } from '../rows/rows.errors.js';
import { SheetExportErrors } from './sheet-exports.errors.js';
import type { SheetCsvOptions } from './csv.js';
import { type SheetExportFormat, type SheetWriter, writerFor } from './sheet-writer.js';
import { readSummary } from '../summaries/read-summary.js';
import { summaryPage } from './summary-page.js';
import { XLSX_LIMITS } from './xlsx.js';

/** Limits of a page, which one statement reads; the first one reached ends it. A single row may be larger. */
const PAGE = { rows: 1000, cells: 50_000, storedBytes: 4 * 1024 * 1024 };
/** The title of the column that lists reused values. */
const REUSED = 'Reused';
/** Time limit of the page of figures. The export continues without it. */
const FIGURES_MS = 10_000;
/** Time after which an export ends when its client reads nothing. */
const PATIENCE_MS = 60_000;

export interface SheetFile {
  title: string;
  content: Readable;
}

/** Options of an export. */
export interface ExportedPart {
  /** The number or id of a version; without it, the present content. */
  version?: string;
  /** Includes columns that measure others. */
  withSystem: boolean;
  /** Adds a column that lists which values of a row are reused results of earlier cells. */
  withReused: boolean;
  /** The filter group of the request; null means all rows. */
  filter: JsonValue;
}

/** The part of a sheet that an export shows. */
interface Grid {
  workspaceId: number;
  version: number;
  rows: RowSet;
  columns: SheetColumn[];
  withReused: boolean;
  /** All columns of the sheet; null for a version. */
  present: SheetColumns | null;
}

@Injectable()
export class SheetExportsService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /**
   * Opens the file of a sheet at one moment. It is written as fast as the database delivers it and sent as fast as the
   * client reads it: no database connection waits for a client. Throws all errors before anything is sent.
   */
  async open(
    caller: Caller,
    path: SheetPath,
    { format, escapeFormulas, ...part }: ExportedPart & SheetCsvOptions & { format: SheetExportFormat },
  ): Promise<SheetFile> {
    if (part.filter !== null && part.version !== undefined) throw RowErrors.rows_of_version_unfiltered();
    const spool = new Spool();
    try {
      const title = await this.reading.readForFile(async (tx) => {
        const sheet = await getSheet(tx, addressOf(caller, path));
        const grid = await readPart(tx, this.types, sheet, part);
        if (format === 'xlsx') refuseTooLarge(grid);
        const columns = [...grid.columns.map((column) => column.title), ...(grid.withReused ? [REUSED] : [])];
        const summary = format === 'xlsx' ? await readPage(tx, sheet, grid) : null;
        const writer = writerFor(format, { title: sheet.title, columns, summary }, { escapeFormulas });
        for await (const piece of encode(tx, grid, writer)) await spool.write(piece);
        return sheet.title;
      });
      return { title, content: patiently(spool.read()) };
    } catch (error) {
      await spool.discard();
      throw error;
    }
  }
}

async function readPart(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  { version, withSystem, withReused, filter }: ExportedPart,
): Promise<Grid> {
  const grid = await readGrid(tx, types, sheet, version);
  const rows = filter === null ? grid.rows : await selectRows(tx, { sheet, columns: grid.columns, filter });
  const columns = grid.columns.shown({ withSystem });
  const present = version === undefined ? grid.columns : null;
  return { workspaceId: sheet.workspaceId, version: grid.version, rows, columns, withReused, present };
}

/**
 * Reads the page of figures about the export. It exists only for the present content, and not for a very large sheet.
 */
async function readPage(tx: EntityManager, sheet: Sheet, { present, columns, rows }: Grid) {
  const read = (within: EntityManager) => readSummary(within, sheet, present!, { shown: columns, rows });
  const summary = present && (await withinMoment(tx, FIGURES_MS, read));
  return summary && summaryPage(summary);
}

function refuseTooLarge({ rows, columns, withReused }: Grid): void {
  if (rows.count < XLSX_LIMITS.rows && columns.length + Number(withReused) <= XLSX_LIMITS.columns) return;
  throw SheetExportErrors.sheet_export_too_large(XLSX_LIMITS.rows, XLSX_LIMITS.columns);
}

async function* encode(tx: EntityManager, grid: Grid, writer: SheetWriter): AsyncGenerator<Uint8Array> {
  yield writer.start();
  for await (const rows of readPages(tx, grid)) {
    const bytes = writer.write(rows);
    // The compression of XLSX returns bytes only now and then.
    if (bytes.length > 0) yield bytes;
  }
  yield writer.end();
}

async function* readPages(tx: EntityManager, grid: Grid): AsyncGenerator<JsonValue[][]> {
  const { workspaceId, version, columns, withReused } = grid;
  const columnKeys = columns.map(({ key }) => key);
  if (columnKeys.length === 0) return;
  const limit = Math.max(1, Math.min(PAGE.rows, Math.floor(PAGE.cells / columnKeys.length)));
  for (let after: number | null = null; ;) {
    const page = grid.rows.page(after, limit, 'asc');
    if (page.length === 0) return;
    const range = { workspaceId, columnKeys, rows: { from: page[0]!, to: page.at(-1)! + 1 } };
    const to = await endWithinBytes(tx, range, version, PAGE.storedBytes);
    const indexes = page.filter((row) => row < to);
    const cells = await readCellsAt(tx, { ...range, rows: { from: page[0]!, to } }, version);
    const values = new Map(cells.map((cell) => [`${cell.columnKey}:${cell.rowIndex}`, valueOf(cell)]));
    const reused = withReused ? reusedCells(cells) : null;
    yield indexes.map((row) => {
      const shown = columnKeys.map((key) => values.get(`${key}:${row}`) ?? null);
      if (!reused) return shown;
      return [...shown, columns.flatMap(({ key, title }) => (reused.has(`${key}:${row}`) ? [title] : []))];
    });
    after = indexes.at(-1)!;
  }
}

/** Cells with a reused result. */
function reusedCells(cells: CellRecord[]): Set<string> {
  const isReused = ({ metrics }: CellRecord) =>
    metrics !== null && (readJson(metrics) as CellMetrics | null)?.reused_from;
  return new Set(cells.filter(isReused).map(({ columnKey, rowIndex }) => `${columnKey}:${rowIndex}`));
}

/** Ends the stream and its file when its reader reads nothing for too long. */
function patiently(content: Readable): Readable {
  const giveUp = () => content.destroy(new Error('The client took nothing for too long.'));
  let timer = setTimeout(giveUp, PATIENCE_MS);
  content.on('data', () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, PATIENCE_MS);
  });
  content.pause();
  // The sender of the file handles failures too. The listener only keeps them from ending the process.
  content.on('error', () => undefined).once('close', () => clearTimeout(timer));
  return content;
}
