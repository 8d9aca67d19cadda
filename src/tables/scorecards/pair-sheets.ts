import type { EntityManager } from 'typeorm';
import type { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { readColumnsAt } from '../../grid/versions/grid-at-version.queries.js';
import type { CompletedCalculation } from './completed-calculation.js';
import { commonInputs, namedColumns, type ScoredColumns } from './input-columns.js';
import { findMismatch, type Mismatch, pairByInputs, type RowPairs } from './pair-rows.js';
import { readRowInputs } from './row-inputs.queries.js';
import { ScorecardErrors } from './scorecards.errors.js';

type Side = CompletedCalculation & { rows: number[] };

/**
 * Pairs the rows of two sheets: by their inputs at the time of the calculations, or by the named columns. Throws
 * calculations_not_comparable.
 */
export async function pairRowsOfSheets(
  tx: EntityManager,
  types: ColumnTypes,
  { first, second, matchBy }: { first: Side; second: Side; matchBy: string[] | null },
): Promise<{ pairs: RowPairs; matchedBy: string[] }> {
  const [before, now] = [await readScored(tx, types, first), await readScored(tx, types, second)];
  const columns = matchBy ? namedColumns(matchBy, before, now) : commonInputs(before, now);
  const missing = matchBy?.find((title) => !columns.titles.includes(title));
  if (missing !== undefined) throw refuse(`match_by: both sheets need exactly one column called "${missing}".`);
  const firstInputs = await readRowInputs(tx, first.calculation, columns.first);
  const secondInputs = await readRowInputs(tx, second.calculation, columns.second);
  const filled = [...firstInputs.values(), ...secondInputs.values()];
  // Columns that are blank everywhere, such as the first one of a new sheet, distinguish no rows.
  const titles = columns.titles.filter((_, place) => filled.some((inputs) => inputs[place] !== null));
  if (titles.length === 0) throw refuse(`Their sheets have no column of inputs in common. ${HINT}`);
  const pairs = pairByInputs([first.rows, firstInputs], [second.rows, secondInputs]);
  const isPaired = pairs.some(([before, now]) => before !== null && now !== null);
  const mismatch = findMismatch(pairs, firstInputs, secondInputs);
  if (mismatch && (!matchBy || !isPaired)) throw refuse(textOf(mismatch, columns.titles));
  if (!isPaired) throw refuse(`No row has the same ${listed(titles)} in both sheets. ${HINT}`);
  return { pairs, matchedBy: titles };
}

const HINT = 'Set match_by to the titles of columns that identify a row.';

const refuse = (problem: string) => ScorecardErrors.calculations_not_comparable(problem);

const listed = (titles: string[]) => titles.map((title) => `"${title}"`).join(', ');

/** Rows that are missing on one side only are no problem: they have no partner. */
function textOf({ first, second, columns }: Mismatch, titles: string[]): string {
  const differing = columns.length > 0 ? columns.map((place) => titles[place]!) : titles;
  return `${second} of its rows and ${first} of the other calculation differ in ${listed(differing)}, so they are not the same rows. ${HINT}`;
}

/** Reads the columns at the version of the calculation. */
async function readScored(tx: EntityManager, types: ColumnTypes, side: Side): Promise<ScoredColumns> {
  const { sheet, calculation, scorecard } = side;
  const columns = SheetColumns.of(await readColumnsAt(tx, sheet, calculation.version), types);
  return { columns, evaluated: scorecard.evaluatedColumnIds };
}
