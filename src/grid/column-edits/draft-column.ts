import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { ColumnTypes, RegisteredColumnType } from '../column-type/column-type.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { checkColumn, type ColumnInput } from './add-column.js';
import { ColumnEdge, SheetColumn } from '../columns/column.entity.js';
import { RANK_GAP, toEdgeRows } from '../columns/insert-column.js';
import { SheetColumns } from '../columns/sheet-columns.js';

/** The key of a column that is not stored. Stored keys begin with 1, so no cell has this one. */
const NO_KEY = '0';

/** The columns of a sheet with a further one at the end, which is not stored. Throws the errors of adding it. */
export async function readWithDraft(
  tx: EntityManager,
  { types, type }: { types: ColumnTypes; type: RegisteredColumnType },
  sheet: Sheet,
  { title, config, dependencies }: Pick<ColumnInput, 'title' | 'config' | 'dependencies'>,
): Promise<{ column: SheetColumn; columns: SheetColumns }> {
  const { before, edges } = await checkColumn(tx, { types, type }, sheet, { config, dependencies });
  const { workspaceId, id: sheetId, version } = sheet;
  const id = randomUUID();
  const last = Math.max(0, ...before.ofSheet.map(({ positionRank }) => positionRank));
  const place = { workspaceId, id, key: NO_KEY, sheetId, positionRank: last + RANK_GAP };
  const now = new Date();
  const column = Object.assign(new SheetColumn(), place, {
    owner: 'sheet' as const,
    title,
    type: type.options.name,
    config,
    guard: null,
    isOutputColumn: true,
    version,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  });
  const added = toEdgeRows({ workspaceId, sheetId, columnId: id }, edges).map((edge) =>
    Object.assign(new ColumnEdge(), edge),
  );
  // Steps of a scorecard come after all columns of the sheet.
  const list = [...before.ofSheet, column, ...before.steps];
  return { column, columns: new SheetColumns(list, [...before.edges, ...added], types) };
}
