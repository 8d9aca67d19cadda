import { isSameName } from '../platform/comparable-text.js';
import { randomUUID } from 'node:crypto';
import { type EntityManager, In, IsNull } from 'typeorm';
import { SheetColumn } from '../grid/columns/column.entity.js';
import { RANK_GAP } from '../grid/columns/insert-column.js';
import type { SheetColumns } from '../grid/columns/sheet-columns.js';
import type { Sheet } from '../grid/shared/sheet.entity.js';
import { ImportErrors } from './imports.errors.js';

/** Adds text columns at the end of a locked sheet with one statement. Hidden ones are shown when their import ends. */
export async function insertTextColumns(
  tx: EntityManager,
  sheet: Sheet,
  titles: string[],
  { version, hidden }: { version: number; hidden: boolean },
): Promise<SheetColumn[]> {
  if (titles.length === 0) return [];
  const { workspaceId, id: sheetId } = sheet;
  const last = await tx.maximum(SheetColumn, 'positionRank', { workspaceId, sheetId, deletedAt: IsNull() });
  const rows = titles.map((title, index) => ({
    workspaceId,
    sheetId,
    id: randomUUID(),
    title,
    type: 'TEXT',
    config: {} as object,
    isOutputColumn: false,
    positionRank: (last ?? 0) + (index + 1) * RANK_GAP,
    version,
    deletedAt: hidden ? new Date() : null,
  }));
  await tx.insert(SheetColumn, rows);
  const inserted = await tx.findBy(SheetColumn, { workspaceId, id: In(rows.map(({ id }) => id)) });
  const byId = new Map(inserted.map((column) => [column.id, column]));
  return rows.map(({ id }) => byId.get(id)!);
}

/** Finds the text column of each title, if there is one. Throws import_column_computed. */
export function matchColumns(columns: SheetColumns, titles: string[]): (SheetColumn | undefined)[] {
  const texts = new Set(columns.inputs);
  return titles.map((title) => {
    const namesakes = columns.ofSheet.filter((column) => isSameName(column.title, title));
    const text = namesakes.find((column) => texts.has(column));
    if (!text && namesakes.length > 0) throw ImportErrors.import_column_computed(title);
    return text;
  });
}
