import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import type { JsonValue } from '../../platform/json.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import type { RowSet } from '../grid/rows/row-set.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../grid/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { valueOf } from '../grid/cells/cells.queries.js';
import { endWithinBytes, readCellsAt } from '../grid/versions/grid-at-version.queries.js';
import { readGrid } from '../grid/versions/sheet-grid.js';
import { SheetExportErrors } from './sheet-exports.errors.js';
import { type SheetExportFormat, type SheetWriter, writerFor } from './sheet-writer.js';
import { XLSX_LIMITS } from './xlsx.js';

/** Read with one statement: whichever is reached first. A single row may be larger. */
const PAGE = { rows: 1000, cells: 50_000, storedBytes: 4 * 1024 * 1024 };
/** A client that takes nothing for so long gives up its place among the few who may read. */
const PATIENCE_MS = 60_000;

export interface SheetFile {
  title: string;
  content: Readable;
}

/** What of a sheet is asked for. */
export interface ExportedPart {
  /** The number or id of a version; the present when it is left out. */
  version?: string;
  /** Columns that measure others, too. */
  withSystem: boolean;
}

/** The part of a sheet that an export shows. */
interface Grid {
  workspaceId: number;
  version: number;
  rows: RowSet;
  columns: { key: string; title: string }[];
}

@Injectable()
export class SheetExportsService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
  ) {}

  /**
   * Begins to write the file of a sheet as it is at one moment. The file is read from the database while it is sent, no
   * faster than the client takes it; the transaction ends with it. Throws what is wrong before anything is sent.
   */
  open(
    caller: Caller,
    path: SheetPath,
    { format, ...part }: ExportedPart & { format: SheetExportFormat },
  ): Promise<SheetFile> {
    return new Promise((resolve, reject) => {
      const read = this.reading.read(async (tx) => {
        const sheet = await getSheet(tx, addressOf(caller, path));
        const grid = await readPart(tx, this.types, sheet, part);
        if (format === 'xlsx') refuseTooLarge(grid);
        const columns = grid.columns.map(({ title }) => title);
        const writer = writerFor(format, { title: sheet.title, columns });
        const content: Readable = Readable.from(
          patient(encode(tx, grid, writer), () => content),
          { objectMode: false },
        );
        const closed = new Promise((done) => content.once('close', done));
        // Whoever sends the file learns of a failure too; here it must not end the process.
        content.on('error', () => undefined);
        resolve({ title: sheet.title, content });
        // The transaction must not end under a statement that still runs in it.
        await closed;
      });
      // Too late for an answer once the file is on its way; its stream has failed then.
      read.catch(reject);
    });
  }
}

async function readPart(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  { version, withSystem }: ExportedPart,
): Promise<Grid> {
  const { version: number, rows, columns } = await readGrid(tx, types, sheet, version);
  return { workspaceId: sheet.workspaceId, version: number, rows, columns: columns.shown({ withSystem }) };
}

function refuseTooLarge({ rows, columns }: Grid): void {
  if (rows.count < XLSX_LIMITS.rows && columns.length <= XLSX_LIMITS.columns) return;
  throw SheetExportErrors.sheet_export_too_large(XLSX_LIMITS.rows, XLSX_LIMITS.columns);
}

async function* encode(tx: EntityManager, grid: Grid, writer: SheetWriter): AsyncGenerator<Uint8Array> {
  yield writer.start();
  for await (const rows of readPages(tx, grid)) {
    const bytes = writer.write(rows);
    // XLSX gives bytes only when its compression has some.
    if (bytes.length > 0) yield bytes;
  }
  yield writer.end();
}

async function* readPages(tx: EntityManager, grid: Grid): AsyncGenerator<JsonValue[][]> {
  const { workspaceId, version, columns } = grid;
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
    yield indexes.map((row) => columnKeys.map((key) => values.get(`${key}:${row}`) ?? null));
    after = indexes.at(-1)!;
  }
}

/** Ends the stream when its reader waits too long between two pieces. */
async function* patient(pieces: AsyncIterable<Uint8Array>, stream: () => Readable): AsyncGenerator<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const piece of pieces) {
      timer = setTimeout(() => stream().destroy(new Error('The client took nothing for too long.')), PATIENCE_MS);
      yield piece;
      clearTimeout(timer);
    }
  } finally {
    clearTimeout(timer);
  }
}
