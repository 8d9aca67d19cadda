import type { EntityManager } from 'typeorm';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { partOf } from '../../grid/versions/row-texts.js';
import type { SheetGrid } from '../../grid/versions/sheet-grid.js';

/** Limit of the cells of a page: many times the size of a screen. */
const MAX_CELLS = 20_000;

/** The verdict of a cell, as `GridJudgementBody` describes it. */
interface GridJudgement {
  value: boolean;
  yes_count: number;
  question_count: number;
  reasoning: string | null;
}

/** Maximum number of rows on a page with this many columns. */
export function rowsPerGridPage(columns: number): number {
  return Math.max(1, Math.floor(MAX_CELLS / Math.max(1, columns)));
}

/** Rows as JSON texts of `GridRowBody`. One statement reads the beginnings of the cells. */
export async function readGridTexts(
  tx: EntityManager,
  grid: SheetGrid,
  { list, indexes }: { list: SheetColumn[]; indexes: number[] },
): Promise<string[]> {
  if (indexes.length === 0) return [];
  const part = partOf(list, indexes);
  const found = list.length > 0 ? await grid.texts(tx, part) : [];
  const view = await grid.view(tx, { ...part, records: [] });
  const judged = await readVerdicts(tx, grid, { list, indexes });
  const texts = new Map(list.map(({ key }) => [key, new Map<number, string | null>()]));
  for (const { columnKey, rowIndex, text } of found) texts.get(columnKey)!.set(rowIndex, text);
  return indexes.map((row) => {
    const states = list.flatMap((column, at) => {
      const status = view.status(column, row);
      return status === 'completed' ? [] : [`"${at}":"${status}"`];
    });
    const shown = list.map(({ key }) => texts.get(key)!.get(row) ?? null);
    const verdicts = judged.get(row);
    const more = verdicts ? `,"judgements":${JSON.stringify(verdicts)}` : '';
    return `{"row_index":${row},"texts":${JSON.stringify(shown)},"statuses":{${states.join(',')}}${more}}`;
  });
}

/** The judgements of each row, by the place of the column. */
async function readVerdicts(
  tx: EntityManager,
  grid: SheetGrid,
  { list, indexes }: { list: SheetColumn[]; indexes: number[] },
): Promise<Map<number, Record<number, GridJudgement>>> {
  const judging = list.filter((column) => grid.columns.type(column).options.judges);
  const found = judging.length > 0 ? await grid.judgements(tx, partOf(judging, indexes)) : [];
  const places = new Map(list.map(({ key }, at) => [key, at]));
  const rows = new Map<number, Record<number, GridJudgement>>();
  for (const { columnKey, rowIndex, yes, questions, reasoning } of found) {
    const judgement = { value: yes === questions, yes_count: yes, question_count: questions, reasoning };
    rows.set(rowIndex, { ...rows.get(rowIndex), [places.get(columnKey)!]: judgement });
  }
  return rows;
}
