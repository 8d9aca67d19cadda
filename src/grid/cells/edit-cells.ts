import { isDeepStrictEqual } from 'node:util';
import type { EntityManager } from 'typeorm';
import { Problem } from '../../platform/errors/problem.js';
import type { JsonObject } from '../../platform/json.js';
import { asText } from '../column-type/values.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { GridErrors } from '../shared/grid.errors.js';
import { RowSet } from '../shared/row-set.js';
import { type RowsByColumn, rowsByColumn } from '../shared/rows-by-column.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { settleStates } from './settle-states.js';
import { recordVersion } from '../shared/record-version.js';
import { type CellContent, type CellEdit, editedContent, isSameContent } from './cell-edit.js';
import { addressOf, type CellPlace, CellPlaces, type CellReference } from './cell-places.js';
import { readSingleCells, valueOf, writeCells } from './cells.queries.js';

/** A cell and what to write into it. */
export interface EditOfCell {
  cell: CellReference;
  edit: CellEdit;
  /** Name of the edit in error messages, such as `cells[2]`. Absent for a single edit. */
  name?: string;
}

export interface EditedCells {
  /** Positions of the cells, in the order of the edits. */
  places: CellPlace[];
  changedCount: number;
  /** Number of cells that became stale. */
  staleCount: number;
}

interface Change extends CellPlace {
  before: CellContent;
  after: CellContent;
}

/**
 * Writes cells of a locked sheet as one version and marks their dependents in the same rows stale. Nothing is written
 * when one of the edits is rejected, and no version is made when no edit changes anything. Throws the errors of
 * `CellPlaces.find` and `editedContent`, and cell_given_twice.
 */
export async function editCells(
  tx: EntityManager,
  sheet: Sheet,
  { columns, createdBy }: { columns: SheetColumns; createdBy: string | null },
  edits: EditOfCell[],
): Promise<EditedCells> {
  const places = findPlaces(new CellPlaces(sheet, columns), edits);
  const contents = await readContents(tx, sheet, places);
  const changes = edits.flatMap((edit, index) => changeOf(columns, edit, places[index]!, contents[index]!));
  if (changes.length === 0) return { places, changedCount: 0, staleCount: 0 };
  const version = await recordVersion(tx, sheet, { deltas: [deltaOf(changes)], createdBy });
  const cells = changes.map((change) => ({ ...addressOf(change), ...change.after }));
  await writeCells(tx, { workspaceId: sheet.workspaceId, version, executionId: null, mayReplace: true }, cells);
  const stale = readersOf(columns, changes);
  return { places, changedCount: changes.length, staleCount: await settleStates(tx, sheet, columns, { stale, cells }) };
}

function findPlaces(places: CellPlaces, edits: EditOfCell[]): CellPlace[] {
  const seen = new Map<string, EditOfCell>();
  return edits.map((edit) =>
    withName(edit, () => {
      const place = places.find(edit.cell);
      const address = `${place.column.key}:${place.rowIndex}`;
      const earlier = seen.get(address);
      if (earlier) throw GridErrors.cell_given_twice(earlier.name ?? 'another edit');
      seen.set(address, edit);
      return place;
    }),
  );
}

async function readContents(tx: EntityManager, sheet: Sheet, places: CellPlace[]): Promise<CellContent[]> {
  const records = await readSingleCells(tx, sheet.workspaceId, places.map(addressOf));
  const known = new Map(records.map((record) => [`${record.columnKey}:${record.rowIndex}`, record]));
  return places.map(({ column, rowIndex }) => {
    const record = known.get(`${column.key}:${rowIndex}`);
    return { value: valueOf(record), displayValue: record?.displayValue ?? null };
  });
}

/** null for an edit that changes nothing. */
function changeOf(columns: SheetColumns, edit: EditOfCell, place: CellPlace, before: CellContent): Change[] {
  const after = withName(edit, () => editedContent(columns, place.column, edit.edit, before));
  return isSameContent(before, after) ? [] : [{ ...place, before, after }];
}

/** Adds the name of the edit to the message of an error. */
function withName<T>({ name }: EditOfCell, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (name === undefined || !(error instanceof Problem)) throw error;
    throw new Problem(error.status, error.code, `${name}: ${error.message}`, error.extra);
  }
}

/** Describes the changes briefly at any number of cells, because versions keep the old values anyway. */
function deltaOf(changes: Change[]): JsonObject {
  const [first, ...others] = changes;
  if (others.length === 0) return { type: 'cell.update', ...detailOf(first!) };
  const columnIds = new Set(changes.map(({ column }) => column.id));
  return { type: 'cells.update', count: changes.length, column_ids: [...columnIds] };
}

function detailOf({ column, rowIndex, before, after }: Change): JsonObject {
  return {
    column_id: column.id,
    row_index: rowIndex,
    characters_before: asText(before.value).length,
    characters_after: asText(after.value).length,
  };
}

/** The rows of each column in which the value of a source has changed. */
function readersOf(columns: SheetColumns, changes: Change[]): RowsByColumn {
  // The displayed text alone affects no computed cell.
  const changed = changes.filter(({ before, after }) => !isDeepStrictEqual(before.value, after.value));
  const found = new Map<string, RowSet[]>();
  for (const [key, rows] of rowsByColumn(changed.map(addressOf))) {
    for (const reader of columns.dependents([columns.byKey(key)!])) {
      const sets = found.get(reader.key);
      if (sets) sets.push(rows);
      else found.set(reader.key, [rows]);
    }
  }
  return new Map([...found].map(([key, sets]) => [key, RowSet.union(sets)]));
}
