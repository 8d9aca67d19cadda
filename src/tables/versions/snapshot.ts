import { jsonWithLongItems } from '../../platform/http/json-stream.js';
import type { ReadingPool } from '../../platform/database/reading-pool.js';
import { toColumnBody } from '../columns/columns.dto.js';
import type { PastGrid } from '../grid/versions/sheet-grid.js';
import type { SheetVersion } from '../grid/versions/sheet-version.entity.js';
import { toSnapshotCell, toVersionBody } from './versions.dto.js';

/** Cells read at once; fewer when they are large. */
const CELLS_AT_ONCE = 5000;
const MAX_ROWS_AT_ONCE = 1000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;

/** A version with everything the sheet was then, as pieces of JSON: a million cells are never in memory at once. */
export async function* snapshotPieces(
  reading: ReadingPool,
  version: SheetVersion,
  grid: PastGrid,
): AsyncGenerator<string> {
  const { columns, rows } = grid;
  const structure = {
    sheet: { title: version.title, index: version.index, row_count: rows.count },
    columns: columns.list.map((column) => toColumnBody(column, columns.edgesOf(column))),
    score_configuration: null,
    scorecard: null,
  };
  const head = JSON.stringify(toVersionBody(version)).slice(0, -1);
  yield `{"success":true,"version":${head},"snapshot":`;
  yield* jsonWithLongItems(structure, 'rows', rowPieces(reading, grid));
  yield '}}';
}

/** Rows as JSON text, several in a piece. Every piece is read in a transaction of its own, so a slow reader holds none. */
async function* rowPieces(reading: ReadingPool, grid: PastGrid): AsyncGenerator<string> {
  const { list } = grid.columns;
  const limit = Math.max(1, Math.min(MAX_ROWS_AT_ONCE, Math.floor(CELLS_AT_ONCE / Math.max(1, list.length))));
  for (let after: number | null = null; ;) {
    const page: number[] = grid.rows.page(after, limit, 'asc');
    if (page.length === 0) return;
    const { piece, last } = await reading.read(async (tx) => {
      const rows = { from: page[0]!, to: page.at(-1)! + 1 };
      const to = await grid.endWithin(tx, { list, rows }, BYTES_AT_ONCE);
      const view = await grid.view(tx, { list, rows: { from: rows.from, to } });
      const shown = page.filter((row) => row < to);
      const texts = shown.map((row_index) => {
        const cells = list.map((column) => [column.id, toSnapshotCell(view.cell(column, row_index))]);
        return JSON.stringify({ row_index, cells: Object.fromEntries(cells) });
      });
      return { piece: texts.join(','), last: shown.at(-1)! };
    });
    yield piece;
    after = last;
  }
}
