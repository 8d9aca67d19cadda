import { jsonWithPieces } from '../../platform/http/json-stream.js';
import type { ReadingPool } from '../../platform/database/reading-pool.js';
import { toColumnBody } from '../columns/columns.dto.js';
import type { CellView } from '../../grid/computing/cell-view.js';
import { readRowTexts } from '../../grid/versions/row-texts.js';
import type { PastGrid } from '../../grid/versions/sheet-grid.js';
import type { SheetVersion } from '../../grid/shared/sheet-version.entity.js';
import { toConfigBody } from '../scorecards/scorecard-response.js';
import type { Scorecard } from '../scorecards/scorecard.entity.js';
import type { VersionScores } from '../../scoring/index.js';
import { toSnapshotCell, toVersionBody } from './versions.dto.js';

/** Number of cells read at once; fewer if they are large: see `readRowTexts`. */
const CELLS_AT_ONCE = 5000;
const MAX_ROWS_AT_ONCE = 1000;

/** A version with its score. */
export interface ScoredSheetVersion {
  version: SheetVersion;
  scores: VersionScores;
}

/** A version whose content is read, and the scorecard of the sheet at that time. */
export interface DetailedVersion extends ScoredSheetVersion {
  scorecard: Scorecard | null;
}

/** A version with the whole content of the sheet, as pieces of JSON: a million cells are never in memory at once. */
export async function* snapshotPieces(
  reading: ReadingPool,
  { version, scores, scorecard }: DetailedVersion,
  grid: PastGrid,
): AsyncGenerator<string> {
  const { columns, rows } = grid;
  const body = toVersionBody(version, scores);
  const structure = {
    sheet: { title: version.title, index: version.index, row_count: rows.count },
    columns: columns.ofSheet.map((column) => toColumnBody(column, columns.edgesOf(column))),
    score_configuration: body.score_configuration,
    scorecard: scorecard && toConfigBody(scorecard, columns),
  };
  const head = JSON.stringify(body).slice(0, -1);
  yield `{"success":true,"version":${head},"snapshot":`;
  yield* jsonWithPieces(structure, 'rows', rowPieces(reading, grid));
  yield '}}';
}

/**
 * Rows as JSON text, separated by commas. Every part is read in a separate transaction, so a slow reader holds none.
 */
async function* rowPieces(reading: ReadingPool, grid: PastGrid): AsyncGenerator<string> {
  const list = grid.columns.ofSheet;
  const limit = Math.max(1, Math.min(MAX_ROWS_AT_ONCE, Math.floor(CELLS_AT_ONCE / Math.max(1, list.length))));
  const write = (view: CellView, row_index: number) => {
    const cells = list.map((column) => [column.id, toSnapshotCell(view.cell(column, row_index))]);
    return JSON.stringify({ row_index, cells: Object.fromEntries(cells) });
  };
  for (let after: number | null = null; ;) {
    const page: number[] = grid.rows.page(after, limit, 'asc');
    if (page.length === 0) return;
    const rows = await reading.read((tx) => readRowTexts(tx, grid, { list, indexes: page, write }));
    if (after !== null) yield ',';
    if (rows.texts) yield rows.texts.join(',');
    else yield* rows.pieces;
    after = rows.indexes.at(-1)!;
  }
}
